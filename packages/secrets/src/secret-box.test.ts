import { mkdtemp, readFile, rm, stat, unlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { isSealed, SecretBox } from './secret-box.ts';
import { addSecretKey, createSecretKeyFile, readSecretBox } from './secret-keys.ts';

const [first, second] = ['the first secret key of this test', 'the second secret key of this test'];
const boxOf = (...keys: string[]) => new SecretBox(() => keys);

async function keyFile(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'chorus-key-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return join(folder, 'made', 'secret-key');
}

test('a sealed value opens with its key and context only', () => {
  const box = boxOf(first);
  const sealed = box.seal('users/1/secret', 'words — with ünicode');
  expect(isSealed(sealed)).toBe(true);
  expect(sealed).not.toContain('words');
  expect(box.seal('users/1/secret', 'words — with ünicode')).not.toBe(sealed);
  expect(boxOf(first).open('users/1/secret', sealed)).toBe('words — with ünicode');
  expect(() => box.open('users/2/secret', sealed)).toThrow('was changed or belongs to another record');
  expect(() => boxOf(second).open('users/1/secret', sealed)).toThrow(/SECRET_KEY .*same SECRET_KEY/);
  expect(() => box.open('users/1/secret', 'plain')).toThrow(/SECRET_KEY .*not encrypted/);
});

test('no part of a sealed value can be changed or removed', () => {
  const box = boxOf(first);
  const sealed = box.seal('c', 'text');
  const start = sealed.lastIndexOf(':') + 1;
  const bytes = Buffer.from(sealed.slice(start), 'base64url');
  for (let at = 0; at < bytes.length; at += 1) {
    const changed = Buffer.from(bytes);
    changed[at] = (changed[at] ?? 0) ^ 1;
    expect(() => box.open('c', sealed.slice(0, start) + changed.toString('base64url'))).toThrow('was changed');
  }
  for (let length = 0; length < bytes.length; length += 1)
    expect(() => box.open('c', sealed.slice(0, start) + bytes.subarray(0, length).toString('base64url'))).toThrow();
});

test('the first key seals, and all of them open', () => {
  const old = boxOf(first).seal('c', 'text');
  const box = boxOf(second, first);
  expect(box.open('c', old)).toBe('text');
  expect([box.isCurrent(old), box.isCurrent(box.seal('c', 'text')), box.isCurrent('text')]).toEqual([
    false,
    true,
    false,
  ]);
  expect(boxOf(second).open('c', box.seal('c', 'text'))).toBe('text');
});

test('the file is created once, for its owner only; running processes see new keys, and survive its removal', async () => {
  const file = await keyFile();
  const source = { keys: null, file };
  expect(readSecretBox(source)).toBeNull();
  createSecretKeyFile(file);
  const text = await readFile(file, 'utf8');
  createSecretKeyFile(file);
  expect(await readFile(file, 'utf8')).toBe(text);
  expect((await stat(file)).mode & 0o777).toBe(0o600);

  const [early, other] = [readSecretBox(source)!, readSecretBox(source)!];
  const old = early.seal('c', 'old');
  addSecretKey(file);
  const late = readSecretBox(source)!;
  const fresh = late.seal('c', 'new');
  expect(early.open('c', fresh)).toBe('new');
  expect(late.open('c', old)).toBe('old');
  expect(other.isCurrent(other.seal('c', 'x'))).toBe(true);
  expect(late.isCurrent(other.seal('c', 'x'))).toBe(true);
  expect((await stat(file)).mode & 0o777).toBe(0o600);
  await unlink(file);
  expect(early.open('c', early.seal('c', 'x'))).toBe('x');
});

test('an unusable file is named together with the variable', async () => {
  const file = await keyFile();
  createSecretKeyFile(file);
  await writeFile(file, '\n');
  expect(() => readSecretBox({ keys: null, file })).toThrow(/SECRET_KEY.*has no key/);
  expect(() => createSecretKeyFile('/dev/null/key')).toThrow(/SECRET_KEY can't be kept in/);
});
