import { mkdirSync, mkdtempSync, renameSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { BUILT, programFile, STAMP, stampOf } from './built-programs.mjs';

const SOURCE = 'apps/api/src/main.ts';
const BUNDLE = 'dist/apps/api/src/main.js';
const OTHER = 'packages/events/src/index.ts';
const PACKAGES = 'node_modules/.package-lock.json';

/** A repository whose programs are built. */
function repository(): string {
  const root = mkdtempSync(join(tmpdir(), 'chorus-programs-'));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  for (const path of [SOURCE, OTHER, BUNDLE, PACKAGES]) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), '');
  }
  writeFileSync(join(root, BUILT, STAMP), stampOf(root, [SOURCE, OTHER]));
  return root;
}

const touch = (root: string, path: string) => utimesSync(join(root, path), 1, 1);

test('a bundle runs if it is up to date', () => {
  const root = repository();
  for (const path of [root, `${root}/`]) expect(programFile(path, SOURCE)).toBe(join(root, BUNDLE));
  expect(programFile(root, 'workers/text/src/main.ts')).toBe(join(root, 'workers/text/src/main.ts'));
});

test.each<[string, (root: string) => void]>([
  ['its source has changed', (root) => touch(root, SOURCE)],
  ['a shared source has changed', (root) => touch(root, OTHER)],
  ['a source is gone', (root) => rmSync(join(root, OTHER))],
  ['packages have been installed', (root) => touch(root, PACKAGES)],
  ['the stamp is missing', (root) => rmSync(join(root, BUILT, STAMP))],
  ['the stamp is damaged', (root) => writeFileSync(join(root, BUILT, STAMP), '{"states":')],
])('the source runs if %s', (_, change) => {
  const root = repository();
  change(root);
  expect(programFile(root, SOURCE)).toBe(join(root, SOURCE));
});

test('the source runs in a copy of the repository, since bundles name absolute paths', () => {
  const root = repository();
  const copy = `${root}-copy`;
  onTestFinished(() => rmSync(copy, { recursive: true, force: true }));
  renameSync(root, copy);
  expect(programFile(copy, SOURCE)).toBe(join(copy, SOURCE));
});
