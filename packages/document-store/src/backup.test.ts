import { once } from 'node:events';
import { cpSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { MongoClient } from 'mongodb';
import { expect, onTestFinished, test } from 'vitest';
import { backUp, restore } from './backup.ts';
import { startDocumentStore } from './server.ts';
import { Engine } from './storage/engine.ts';
import { spawnStore, temporaryDirectory } from './test-store.ts';

/** Spawns a store with documents larger than its page cache, and connects a client. */
async function openSpawned() {
  const directory = await temporaryDirectory();
  const { uri, child } = await spawnStore(directory);
  const client = await new MongoClient(`${uri}/kept`).connect();
  // The driver may wait forever for a killed server.
  onTestFinished(() => void client.close().catch(() => undefined));
  const end = async (signal: NodeJS.Signals) => {
    child.kill(signal);
    await once(child, 'exit');
  };
  return { directory, path: join(directory, 'data'), backup: join(directory, 'backup'), uri, client, end };
}

/** Starts a store and returns the numbers in its documents. */
async function numbersIn(path: string): Promise<number[]> {
  const store = await startDocumentStore({ path });
  const client = await new MongoClient(`${store.uri}/kept`).connect();
  const found = await client.db().collection('numbers').find().sort({ n: 1 }).hint('n_1').toArray();
  await client.close();
  await store.close();
  return found.map(({ n }) => n);
}

test('copies everything acknowledged while writes continue', async () => {
  const { directory, path, backup, client, end } = await openSpawned();
  const numbers = client.db().collection('numbers');
  await numbers.createIndex({ n: 1 }, { unique: true });
  let acknowledged = 0;
  let writing = true;
  const writer = (async () => {
    for (let n = 0; writing; n++) {
      await numbers.insertOne({ n, text: 'x'.repeat(1000) });
      acknowledged = n + 1;
    }
  })();
  while (acknowledged < 50) await client.db().command({ ping: 1 });
  const before = acknowledged;
  const report = await backUp(path, backup);
  const after = acknowledged;
  while (acknowledged < after + 50) await client.db().command({ ping: 1 });
  writing = false;
  await writer;
  await end('SIGTERM');
  expect(statSync(backup).mode & 0o077).toBe(0);
  expect(readdirSync(directory).filter((name) => name.startsWith('backup'))).toEqual(['backup']);

  const total = acknowledged;
  const { aside } = restore(path, backup);
  const restored = await numbersIn(path);
  expect(restored.length).toBe(report.documents);
  expect(restored.length).toBeGreaterThanOrEqual(before);
  expect(restored).toEqual(Array.from({ length: restored.length }, (_, n) => n));
  // The old data can be restored as well.
  restore(path, aside as string);
  expect(await numbersIn(path)).toEqual(Array.from({ length: total }, (_, n) => n));
});

test('copies the data of a killed store', async () => {
  const { path, backup, client, end } = await openSpawned();
  await client.db().collection('numbers').createIndex({ n: 1 });
  await client.db().collection('numbers').insertOne({ n: 1 });
  await end('SIGKILL');
  expect(await backUp(path, backup)).toMatchObject({ collections: 1, documents: 1, entries: 2, problems: [] });
});

test('holds the file for one backup at a time, until its connection ends', async () => {
  const { path, backup, uri, client } = await openSpawned();
  await client.db().collection('numbers').insertOne({ n: 1 });
  const holder = await new MongoClient(uri, { maxPoolSize: 1 }).connect();
  await holder.db('admin').command({ holdFile: 1 });
  const still = readFileSync(join(path, 'store.sqlite'));
  await client
    .db()
    .collection('numbers')
    .insertMany(Array.from({ length: 9000 }, (_, n) => ({ n, text: 'x'.repeat(5000) })));
  expect(readFileSync(join(path, 'store.sqlite')).equals(still)).toBe(true);
  await expect(backUp(path, backup)).rejects.toThrow('another backup is in progress');
  await holder.close();
  await expect
    .poll(() =>
      backUp(path, backup).then(
        ({ documents }) => documents,
        () => 0,
      ),
    )
    .toBe(9001);
});

test('reports what prevents a backup', async () => {
  const { directory, path, backup, end } = await openSpawned();
  writeFileSync(backup, 'mine');
  await expect(backUp(path, backup)).rejects.toThrow('already exists');
  await expect(backUp(path, join(directory, 'none', 'backup'))).rejects.toThrow(/The directory .* does not exist/);
  await expect(backUp(join(directory, 'none'), backup)).rejects.toThrow('Nothing to back up');
  expect(() => restore(path, backup)).toThrow(/in use by another document store/);
  await end('SIGTERM');
  expect(() => restore(path, join(directory, 'none'))).toThrow('does not exist');
  expect(readFileSync(backup, 'utf8')).toBe('mine');

  const onPort = await startDocumentStore({ path });
  await expect(backUp(path, `${backup}2`)).rejects.toThrow('not listen on a Unix socket');
  const client = await new MongoClient(onPort.uri).connect();
  await expect(client.db('admin').command({ holdFile: 1 })).rejects.toMatchObject({ code: 20 });
  await client.close();
  await onPort.close();
});

test('does not restore a damaged file', async () => {
  const { path, directory, backup, client, end } = await openSpawned();
  await client.db().collection('numbers').createIndex({ n: 1 });
  await client
    .db()
    .collection('numbers')
    .insertMany([{ n: 1, text: 'needle' }, { n: 2 }]);
  await backUp(path, backup);
  await client.db().collection('numbers').insertOne({ n: 3 });
  await end('SIGKILL');
  const whole = readFileSync(backup);
  const damages: [string, Buffer][] = [
    ['damaged', Buffer.from(whole).fill(0xff, whole.indexOf('needle'), whole.indexOf('needle') + 3)],
    ['damaged', whole.subarray(0, whole.length - 5000)],
    ['not a store file', Buffer.from('something else')],
  ];
  for (const [words, bytes] of damages) {
    const file = join(directory, 'damaged');
    writeFileSync(file, bytes);
    expect(() => restore(path, file)).toThrow(words);
  }
  expect(readdirSync(path).filter((name) => /incoming|before/.test(name))).toEqual([]);
  expect(await numbersIn(path)).toEqual([1, 2, 3]);
});

test('a start after a crash during a restore does not apply the old log to the new data', async () => {
  const { path, directory, backup, client, end } = await openSpawned();
  await client.db().collection('numbers').insertOne({ n: 1 });
  await backUp(path, backup);
  await client.db().collection('numbers').insertOne({ n: 2 });
  await end('SIGKILL');
  const log = join(directory, 'log');
  cpSync(join(path, 'store.sqlite-wal'), log);
  restore(path, backup);
  cpSync(log, join(path, 'store.sqlite-wal'));
  expect(() => new Engine(join(path, 'store.sqlite'))).toThrow('does not belong to');
});
