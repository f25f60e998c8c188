import { chmodSync, mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { socketFolder } from './socket-folder.ts';

function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'chorus-sockets-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

test('returns the preferred folder if its paths are short enough', () => {
  const preferred = join(temporaryFolder(), 'run');
  expect(socketFolder(preferred)).toBe(preferred);
  expect(statSync(preferred).mode & 0o777).toBe(0o700);
});

test('otherwise returns a short one for this user only, the same each time', () => {
  const temporary = temporaryFolder();
  const deep = join(temporary, 'x'.repeat(100));
  const folder = socketFolder(deep, temporary);
  expect(folder.startsWith(temporary)).toBe(true);
  expect(statSync(folder).mode & 0o777).toBe(0o700);
  expect(socketFolder(deep, temporary)).toBe(folder);
  expect(socketFolder(`${deep}2`, temporary)).not.toBe(folder);
});

test('refuses a folder that others may enter', () => {
  const temporary = temporaryFolder();
  const deep = join(temporary, 'x'.repeat(100));
  chmodSync(socketFolder(deep, temporary), 0o777);
  expect(() => socketFolder(deep, temporary)).toThrow('not private to this user');
});
