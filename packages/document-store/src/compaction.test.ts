import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdir, readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Db, MongoClient } from 'mongodb';
import { expect, test } from 'vitest';
import { backUp, restore } from './backup.ts';
import { checkIntegrity } from './storage/integrity.ts';
import { Store } from './store.ts';
import { openTestStore, spawnStore, temporaryDirectory } from './test-store.ts';

const WORD = 'Geheimwort';
const ROUNDS = 6;

/** Returns the files in a folder that contain a word. */
async function filesWith(folder: string, word: string): Promise<string[]> {
  const names = await readdir(folder);
  const texts = await Promise.all(names.map((name) => readFile(join(folder, name), 'latin1').catch(() => '')));
  return names.filter((_, at) => texts[at]?.includes(word));
}

/** Inserts documents of very different sizes. Every other one contains the word, including in an index. */
async function fill(db: Db, count: number): Promise<void> {
  const documents = Array.from({ length: count }, (_, at) => ({
    word: at % 2 === 0 ? `${WORD} ${at}` : `other ${at}`,
    text: `${at % 2 === 0 ? WORD : 'kept'} `.repeat((at * 37) % 900),
  }));
  await db.collection('words').createIndex({ word: 1 });
  for (let at = 0; at < count; at += 50) await db.collection('words').insertMany(documents.slice(at, at + 50));
}

test('leaves nothing deleted in any file, and keeps everything else', async () => {
  const { directory, client } = await openTestStore();
  const data = join(directory, 'data');
  const db = client.db('chorus');
  await fill(db, 600);
  expect(await filesWith(data, WORD)).not.toEqual([]);
  await db.collection('words').deleteMany({ word: new RegExp(`^${WORD}`) });
  const writing = Array.from({ length: 20 }, (_, at) => db.collection('more').insertOne({ at }));
  await Promise.all([db.admin().command({ compactFile: 1 }), ...writing]);
  expect(await filesWith(data, WORD)).toEqual([]);
  expect(await db.collection('words').countDocuments({ text: /kept/ })).toBe(300);
  expect(await db.collection('more').countDocuments()).toBe(20);
  await db.collection('more').insertOne({ at: 'the end' });

  // Backup and start still work.
  await backUp(data, join(directory, 'backup'));
  const other = join(directory, 'other');
  await mkdir(other);
  restore(other, join(directory, 'backup'));
  const opened = new Store(other);
  expect(checkIntegrity(opened.engine, opened.catalog)).toMatchObject({ problems: [], documents: 321 });
  opened.close();
});

test('leaves nothing of a dropped collection', async () => {
  const { directory, client } = await openTestStore();
  await fill(client.db('chorus'), 600);
  await client.db('chorus').collection('words').drop();
  await client.db('admin').command({ compactFile: 1 });
  expect(await filesWith(join(directory, 'data'), WORD)).toEqual([]);
});

test('compaction waits for a backup', async () => {
  const { client, directory } = await openTestStore();
  const holder = await new MongoClient(`mongodb://${encodeURIComponent(join(directory, 's.sock'))}`).connect();
  await client.db('chorus').collection('words').insertOne({ word: WORD });
  await holder.db('admin').command({ holdFile: 1 });
  const compacting = client.db('admin').command({ compactFile: 1 });
  await client.db('chorus').collection('words').deleteMany({});
  const first = await Promise.race([compacting.then(() => 'compacted'), client.db('chorus').command({ ping: 1 })]);
  expect(first).not.toBe('compacted');
  await holder.close();
  await compacting;
  expect(await filesWith(join(directory, 'data'), WORD)).toEqual([]);
});

test('a store killed during compaction starts with all its data', async () => {
  const directory = await temporaryDirectory();
  const data = join(directory, 'data');
  let interrupted = 0;
  for (let round = 0; round < ROUNDS; round += 1) {
    const server = await spawnStore(directory);
    const client = await new MongoClient(server.uri).connect();
    if (round === 0) await fill(client.db('chorus'), 3_000);
    expect(await client.db('chorus').collection('words').countDocuments({})).toBe(3_000 + round);
    await client
      .db('chorus')
      .collection<{ word: string }>('words')
      .insertOne({ word: `round ${round}` });
    let over = false;
    const compacting = client
      .db('admin')
      .command({ compactFile: 1 })
      .catch(() => undefined)
      .finally(() => {
        over = true;
      });
    const journal = join(data, 'store.sqlite-journal');
    while (!existsSync(journal) && !over) await new Promise(setImmediate);
    // Kills it a bit later each time.
    await new Promise((resolve) => setTimeout(resolve, round * 4));
    server.child.kill('SIGKILL');
    await once(server.child, 'exit');
    await compacting;
    if (existsSync(journal)) interrupted += 1;
    await client.close();
  }
  expect(interrupted).toBeGreaterThan(0);
  const opened = new Store(data);
  expect(checkIntegrity(opened.engine, opened.catalog)).toMatchObject({ problems: [], documents: 3_000 + ROUNDS });
  opened.close();
});
