import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, mkdirSync, openSync, rmSync, statSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { MongoClient } from 'mongodb';
import { expect, onTestFinished, test } from 'vitest';
import { spawnStore, temporaryDirectory } from './test-store.ts';

/** A small disk that can be filled and freed. */
interface SmallDisk {
  path: string;
  fill(): void;
  free(): void;
}

/**
 * Mounts a small tmpfs. Without the permission to do so, the test fails instead of being skipped.
 * Run it as root or under `unshare -Urm`.
 */
async function smallDisk(megabytes: number): Promise<SmallDisk> {
  const path = join(await temporaryDirectory(), 'disk');
  mkdirSync(path);
  const mounted = spawnSync('mount', ['-t', 'tmpfs', '-o', `size=${megabytes}m`, 'tmpfs', path], { encoding: 'utf8' });
  if (mounted.status !== 0) {
    throw new Error(
      `This test needs a disk that it can fill. Run it as root or under "unshare -Urm": ${mounted.stderr}`,
    );
  }
  onTestFinished(() => void spawnSync('umount', ['-l', path]));
  const ballast = join(path, 'ballast');
  return {
    path,
    fill() {
      const descriptor = openSync(ballast, 'a');
      for (let size = 65_536; size >= 1; size = size >> 4) {
        try {
          for (;;) writeSync(descriptor, Buffer.alloc(size));
        } catch (error) {
          expect((error as { code: string }).code).toBe('ENOSPC');
        }
      }
      closeSync(descriptor);
    },
    free: () => rmSync(ballast),
  };
}

const OUT_OF_DISK_SPACE = { code: 14031, codeName: 'OutOfDiskSpace' };
const document = (n: number) => ({ n, text: 'x'.repeat(2000) });

test('a full disk only rejects writes, and recovers on its own', async () => {
  const disk = await smallDisk(12);
  const sockets = await temporaryDirectory();
  const listen = ['--socket', join(sockets, 's.sock')];
  const { uri, child } = await spawnStore(disk.path, listen);
  const client = await new MongoClient(uri).connect();
  onTestFinished(() => client.close());
  const things = client.db('full').collection<{ n: number; text: string }>('things');
  await things.createIndex({ n: 1 }, { unique: true });
  await things.insertMany(Array.from({ length: 100 }, (_, n) => document(n)));
  disk.fill();

  // Reads and writes at once, so that they share turns.
  let acknowledged = 100;
  const write = async () => {
    try {
      await things.insertOne(document(acknowledged));
    } catch (error) {
      expect(error).toMatchObject(OUT_OF_DISK_SPACE);
      return false;
    }
    acknowledged += 1;
    return true;
  };
  while (await write());
  for (let round = 0; round < 20; round++) {
    const [wrote, found, counted] = await Promise.all([
      write(),
      things.find({ n: { $lt: 100 } }).toArray(),
      things.countDocuments({ text: /x$/ }),
      expect(things.updateMany({}, { $set: { text: 'y'.repeat(3000) } })).rejects.toMatchObject(OUT_OF_DISK_SPACE),
    ]);
    expect(found.map(({ text }) => text[0])).toEqual(new Array(100).fill('x'));
    expect(counted).toBe(wrote ? acknowledged - 1 : acknowledged);
  }

  // Starts with no byte free, after a kill and after an orderly end.
  child.kill('SIGKILL');
  await once(child, 'exit');
  disk.fill();
  for (const signal of ['SIGTERM', 'SIGKILL'] as const) {
    const again = await spawnStore(disk.path, listen);
    expect(await things.countDocuments()).toBe(acknowledged);
    await expect(things.updateMany({}, { $set: { text: 'y'.repeat(3000) } })).rejects.toMatchObject(OUT_OF_DISK_SPACE);
    expect(await things.countDocuments({ text: /^x/ })).toBe(acknowledged);
    again.child.kill(signal);
    await once(again.child, 'exit');
    disk.fill();
  }

  const last = await spawnStore(disk.path, listen);
  expect(await things.countDocuments()).toBe(acknowledged);
  disk.free();
  await things.insertMany(Array.from({ length: 100 }, (_, n) => document(acknowledged + n)));
  expect(await things.countDocuments()).toBe(acknowledged + 100);
  last.child.kill('SIGTERM');
  await once(last.child, 'exit');
  const report = spawnSync(process.execPath, [
    join(import.meta.dirname, 'main.ts'),
    '--path',
    join(disk.path, 'data'),
    '--check',
  ]);
  expect(String(report.stderr)).toBe('');
});

test('acknowledges committed writes although the log cannot be checkpointed', async () => {
  const disk = await smallDisk(200);
  const { uri } = await spawnStore(disk.path, ['--socket', join(await temporaryDirectory(), 's.sock')]);
  const client = await new MongoClient(uri).connect();
  onTestFinished(() => client.close());
  const things = client.db('full').collection('things');
  const log = join(disk.path, 'data', 'store.sqlite-wal');
  const insert = (n: number) =>
    things.insertMany(Array.from({ length: 100 }, (_, at) => document(n + at))).then(
      () => true,
      (error) => {
        expect(error).toMatchObject(OUT_OF_DISK_SPACE);
        return false;
      },
    );
  // Inserts until a checkpoint has made room in the log. Later, the full disk has no room for the next one.
  let acknowledged = 0;
  const insertMore = async () => {
    const isKept = await insert(acknowledged);
    if (isKept) acknowledged += 100;
    return isKept;
  };
  let longest = -1;
  while (statSync(log).size > longest) {
    longest = statSync(log).size;
    await insertMore();
  }
  expect(longest).toBeGreaterThan(30_000_000);
  disk.fill();
  while (await insertMore());
  expect(await things.countDocuments({ text: /^x/ })).toBe(acknowledged);
  const holder = await new MongoClient(uri, { maxPoolSize: 1 }).connect();
  await expect(holder.db('admin').command({ holdFile: 1 })).rejects.toMatchObject(OUT_OF_DISK_SPACE);
  await expect(holder.db('admin').command({ compactFile: 1 })).rejects.toMatchObject(OUT_OF_DISK_SPACE);
  expect(await things.countDocuments({ text: /^x/ })).toBe(acknowledged);
  disk.free();
  expect(await insertMore()).toBe(true);
  expect(await holder.db('admin').command({ holdFile: 1 })).toMatchObject({ ok: 1 });
  await holder.close();
  expect(await things.countDocuments({ text: /^x/ })).toBe(acknowledged);
});
