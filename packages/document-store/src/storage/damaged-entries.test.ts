import { cpSync, readFileSync, writeFileSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { ObjectId } from 'bson';
import { MongoClient } from 'mongodb';
import { expect, test } from 'vitest';
import { startDocumentStore } from '../server.ts';
import { temporaryDirectory } from '../test-store.ts';
import { encodeKey } from '../values/keys.ts';
import { filesIn } from './test-sample.ts';

type Id = ObjectId | string | number;

const DOCUMENTS = 400;
/** Entries in the first, a middle, and the last leaf of the index. */
const DAMAGED = [3, 200, 397];

/** Creates and closes a store with documents whose `_id` comes from `idOf`. */
async function closedStore(idOf: (n: number) => Id): Promise<string> {
  const directory = await temporaryDirectory();
  const store = await startDocumentStore({ path: directory });
  const client = await new MongoClient(`${store.uri}/a`).connect();
  await client
    .db()
    .collection<{ _id: Id; n?: number; a?: number }>('things')
    .insertMany(Array.from({ length: DOCUMENTS }, (_, n) => ({ _id: idOf(n), n })));
  await client.close();
  await store.close();
  return directory;
}

/** Starts the store and searches for an `_id` in every way. */
async function lookFor(directory: string, id: Id): Promise<unknown[]> {
  const store = await startDocumentStore({ path: directory }).catch((error) => error as Error);
  if (store instanceof Error) return [store.message];
  const client = await new MongoClient(`${store.uri}/a`).connect();
  const things = client.db().collection<{ _id: Id; n?: number; a?: number }>('things');
  const codeOf = (work: Promise<unknown>) =>
    work.then(
      (found) => found,
      (error) => error.code,
    );
  try {
    return [
      await codeOf(things.findOne({ _id: id })),
      await codeOf(things.find({ _id: { $in: [id, new ObjectId()] } }).toArray()),
      await codeOf(things.updateOne({ _id: id }, { $set: { a: 1 } }, { upsert: true })),
      await codeOf(things.deleteOne({ _id: id })),
    ];
  } finally {
    await client.close();
    await store.close();
  }
}

function placesOf(key: Buffer, file: Buffer): number[] {
  const places: number[] = [];
  for (let at = file.indexOf(key); at >= 0; at = file.indexOf(key, at + 1)) places.push(at);
  return places;
}

test.each<[string, (n: number) => Id]>([
  ['ObjectIds', (n) => ObjectId.createFromHexString((0x100000 + n * 7).toString(16).padStart(24, '5'))],
  ['strings', (n) => `document ${String(n * 13).padStart(6, '0')}`],
])('detects a flipped byte in an index entry on _id when reading: %s', { timeout: 120_000 }, async (_name, idOf) => {
  const directory = await closedStore(idOf);
  const whole = readFileSync(filesIn(directory).file);
  for (const n of DAMAGED) {
    const key = encodeKey(idOf(n));
    // Split pages have stale copies of the entry.
    const copies = placesOf(key, whole);
    expect(copies.length).toBeGreaterThan(0);
    // The record number follows the key. Flips one bit, and all bits.
    for (let at = 0; at <= key.length; at += at < key.length - 3 ? 4 : 1) {
      for (const bits of [0x01, 0xff]) {
        const bytes = Buffer.from(whole);
        for (const start of copies) bytes[start + at] = (bytes[start + at] as number) ^ bits;
        const copy = await temporaryDirectory();
        cpSync(directory, copy, { recursive: true });
        writeFileSync(filesIn(copy).file, bytes);
        const outcome = await lookFor(copy, idOf(n));
        const what = `document ${n}, byte ${at} of ${key.length}, bits ${bits}`;
        if (typeof outcome[0] === 'string') expect(outcome[0], what).toMatch(/damaged/);
        else expect(outcome, what).toEqual([361, 361, 361, 361]);
      }
    }
  }
});

test('detects a missing document that another index points to when reading', async () => {
  const directory = await closedStore((n) => n);
  const store = await startDocumentStore({ path: directory });
  const client = await new MongoClient(`${store.uri}/a`).connect();
  await client.db().collection('things').createIndex({ n: 1 });
  await client.close();
  await store.close();
  const database = new DatabaseSync(filesIn(directory).file);
  database.exec('DELETE FROM documents_1 WHERE record = 5');
  database.close();
  const again = await startDocumentStore({ path: directory });
  const reader = await new MongoClient(`${again.uri}/a`).connect();
  await expect(reader.db().collection('things').find({ n: 4 }).toArray()).rejects.toMatchObject({ code: 361 });
  await reader.close();
  await again.close();
});
