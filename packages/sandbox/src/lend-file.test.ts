import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, readdir, readFile, stat, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { Readable } from 'node:stream';
import { temporaryFolder } from '@chorus/testing';
import { expect, test } from 'vitest';
import { lendFile, lendFolder } from './lend-file.ts';
import { lendingFolder } from './lending-folder.ts';

test.each<[string, (folder: string) => Promise<string | Uint8Array | Readable>]>([
  ['bytes', async () => Buffer.from('content')],
  ['a stream', async () => Readable.from([Buffer.from('con'), Buffer.from('tent')])],
  [
    'a file that only we can read',
    async (folder) => {
      await writeFile(join(folder, 'source'), 'content', { mode: 0o600 });
      return join(folder, 'source');
    },
  ],
])('%s can be lent, under the given name, and leave nothing when removed', async (_name, source) => {
  const lent = await lendFile(await source(await temporaryFolder('chorus-lend-')), 'upload.pdf');
  expect(await readFile(lent.path, 'utf8')).toBe('content');
  expect(lent.path.endsWith('/upload.pdf')).toBe(true);
  await lent.remove();
  expect(existsSync(dirname(lent.path))).toBe(false);
  await lent.remove(); // once more does no harm
});

test('the source of a lent file survives its removal', async () => {
  const source = join(await temporaryFolder('chorus-lend-'), 'source');
  await writeFile(source, 'content');
  const lent = await lendFile(source, 'file');
  await lent.remove();
  expect(await readFile(source, 'utf8')).toBe('content');
});

test('a failed loan leaves nothing behind', async () => {
  const before = await readdir(lendingFolder());
  const broken = new Readable({
    read() {
      this.destroy(new Error('broken source'));
    },
  });
  await expect(lendFile(broken, 'file')).rejects.toThrow('broken source');
  expect(await readdir(lendingFolder())).toEqual(before);
});

test('the folder of lent files can be entered, but not listed', async () => {
  expect((await stat(lendingFolder())).mode & 0o777).toBe(0o711);
});

test('takes only regular files from a folder that a child wrote to', async () => {
  const target = join(await temporaryFolder('chorus-lend-'), 'target');
  const lent = await lendFolder({ uid: null });
  await symlink('/etc/passwd', join(lent.path, 'link'));
  await mkdir(join(lent.path, 'folder'));
  spawnSync('mkfifo', [join(lent.path, 'pipe')]);
  await expect(lent.take('link', target)).rejects.toMatchObject({ code: 'ELOOP' });
  await expect(lent.take('folder', target)).rejects.toThrow('regular file');
  await expect(lent.take('pipe', target)).rejects.toThrow('regular file');
  await expect(lent.take('missing', target)).rejects.toMatchObject({ code: 'ENOENT' });
  expect(existsSync(target)).toBe(false);
  await writeFile(join(lent.path, 'made'), 'signed');
  await lent.take('made', target);
  expect(await readFile(target, 'utf8')).toBe('signed');
  expect((await stat(target)).mode & 0o777).toBe(0o600);
  await lent.remove();
  expect(existsSync(lent.path)).toBe(false);
});
