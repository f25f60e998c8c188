import { execFile } from 'node:child_process';
import { mkdtemp, readdir, rm, stat, truncate, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { promisify } from 'node:util';
import { ChorusError } from '@chorus/contract';
import { afterAll, expect, onTestFinished, test } from 'vitest';
import { createFileBlobs } from './file-blobs.ts';
import { describePort } from './test-port.ts';

const shared = await mkdtemp(join(tmpdir(), 'chorus-blobs-'));
afterAll(() => rm(shared, { recursive: true, force: true }));

const incomingOf = (folder: string): Promise<string[]> => readdir(join(folder, 'incoming')).catch(() => []);

describePort('files', () => ({
  blobs: createFileBlobs(join(shared, 'data/blobs')),
  unfinished: async () => (await incomingOf(join(shared, 'data/blobs'))).length,
}));

async function newFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'chorus-blobs-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

const codeOf = (error: unknown) => (error instanceof ChorusError ? error.code : String(error));

test('folders and files are readable by their owner only', async () => {
  const folder = join(await newFolder(), 'data/blobs');
  await createFileBlobs(folder).put('a/b', Buffer.from('secret'));
  const modes = new Set<string>();
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    const { mode } = await stat(join(entry.parentPath, entry.name));
    modes.add(`${entry.isFile() ? 'file' : 'folder'} ${(mode & 0o777).toString(8)}`);
  }
  expect(modes).toEqual(new Set(['folder 700', 'file 600']));
  expect(((await stat(folder)).mode & 0o777).toString(8)).toBe('700');
});

test('a process that dies during a put leaves a file that only removeUnfinished sees', async () => {
  const folder = await newFolder();
  const blobs = createFileBlobs(folder);
  const sources = ['assets/a', 'assets/b', 'other/c'].map((key) => {
    const source = new PassThrough();
    void blobs.put(key, source).catch(() => undefined);
    source.write(Buffer.alloc(600_000));
    return source;
  });
  const written = async () => {
    const files = (await incomingOf(folder)).map((name) => stat(join(folder, 'incoming', name)));
    return (await Promise.all(files)).map(({ size }) => size);
  };
  await expect.poll(written).toEqual([600_000, 600_000, 600_000]);
  expect((await blobs.list()).blobs).toEqual([]);
  const old = new Date(Date.now() - 3_600_000);
  for (const name of await incomingOf(folder)) {
    if (!name.startsWith('assets~b')) await utimes(join(folder, 'incoming', name), old, old);
  }
  const aMinuteAgo = new Date(Date.now() - 60_000);
  expect(await blobs.removeUnfinished({ olderThan: aMinuteAgo, prefix: 'assets/' })).toBe(1);
  expect((await incomingOf(folder)).map((name) => name.split('.')[0]).sort()).toEqual(['assets~b', 'other~c']);
  expect(await blobs.removeUnfinished({ olderThan: aMinuteAgo })).toBe(1);
  for (const source of sources) source.destroy();
  await expect.poll(() => incomingOf(folder)).toEqual([]);
});

test('foreign files are skipped', async () => {
  const folder = await newFolder();
  const blobs = createFileBlobs(folder);
  await blobs.put('a', Buffer.from('a'));
  const [shard = ''] = (await readdir(folder)).filter((name) => name !== 'incoming');
  for (const name of ['.DS_Store', 'Thumbs.db', 'b', 'lost+found']) await writeFile(join(folder, shard, name), 'x');
  expect((await blobs.list()).blobs.map(({ key }) => key)).toEqual(['a']);
  await expect(blobs.list({ after: `${shard}/b` })).rejects.toThrow(TypeError);
  await expect(blobs.list({ after: '../../etc' })).rejects.toThrow(TypeError);
});

test('an unusable folder makes the store unavailable, without revealing the path', async () => {
  const folder = await newFolder();
  await writeFile(join(folder, 'file'), '');
  const blobs = createFileBlobs(join(folder, 'file/blobs'));
  const source = new PassThrough();
  const failures = [
    await blobs.put('a', source).catch((error) => error),
    await blobs.check().catch((error) => error),
    await blobs.open('a').catch((error) => error),
    await blobs.list().catch((error) => error),
  ];
  for (const error of failures) {
    expect(codeOf(error)).toBe('store_unavailable');
    expect(error.message).not.toContain(folder);
    expect(error.cause).toMatchObject({ code: 'ENOTDIR' });
  }
  expect(source.destroyed).toBe(true);
});

test('a full disk makes the store unavailable, and leaves nothing behind', async () => {
  const folder = await newFolder();
  const program = `
    import { randomBytes } from 'node:crypto';
    import { Readable } from 'node:stream';
    const { createFileBlobs } = await import(${JSON.stringify(new URL('file-blobs.ts', import.meta.url).href)});
    const source = Readable.from(Array.from({ length: 100 }, () => randomBytes(10_000)));
    const error = await createFileBlobs(${JSON.stringify(folder)}).put('a', source).catch((error) => error);
    console.log(JSON.stringify([error.code, error.cause.code, source.destroyed]));
  `;
  // A limit on the file size fails during a write, like a full disk.
  const limited = 'ulimit -f 500 && exec "$0" --input-type=module --eval "$1"';
  const { stdout } = await promisify(execFile)('sh', ['-c', limited, process.execPath, program]);
  expect(JSON.parse(stdout)).toEqual(['store_unavailable', 'EFBIG', true]);
  expect(await incomingOf(folder)).toEqual([]);
  expect((await createFileBlobs(folder).list()).blobs).toEqual([]);
});

test('a truncated file fails its reader', async () => {
  const folder = await newFolder();
  const blobs = createFileBlobs(folder);
  await blobs.put('a', Buffer.alloc(1_000_000));
  const reader = await blobs.open('a');
  const [file = ''] = (await readdir(folder, { recursive: true })).filter((name) => name.endsWith('/a'));
  await truncate(join(folder, file), 500_000);
  expect(await buffer(reader).catch(codeOf)).toBe('store_unavailable');
});
