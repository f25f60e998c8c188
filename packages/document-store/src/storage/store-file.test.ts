import { cpSync, mkdirSync, readFileSync, rmSync, truncateSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { MongoClient } from 'mongodb';
import { expect, test } from 'vitest';
import { startDocumentStore } from '../server.ts';
import { Store } from '../store.ts';
import { temporaryDirectory } from '../test-store.ts';
import { checkIntegrity } from './integrity.ts';
import { change, DOCUMENTS, documentsIn, expectRefusal, flipByte, runSample } from './test-sample.ts';

const ROOT_PAGE_OF_FIRST_TABLE = 4096;

test.each<[string, RegExp, (bytes: Buffer) => Buffer | undefined]>([
  ['empty', /not a store file/, () => Buffer.alloc(0)],
  ['one byte long', /not a store file/, () => Buffer.from('S')],
  ['all zeros', /not a store file/, (bytes) => Buffer.alloc(bytes.length)],
  ['garbage', /not a store file/, (bytes) => Buffer.from('whatever its name says '.repeat(bytes.length / 20))],
  ['cut off', /damaged/, (bytes) => bytes.subarray(0, bytes.length - 3 * 4096)],
  ['truncated within a page', /damaged/, (bytes) => bytes.subarray(0, bytes.length >> 1)],
  ['changed in its first bytes', /not a store file/, (bytes) => flipByte(bytes, 3)],
  ['changed in its page size', /not a store file/, (bytes) => flipByte(bytes, 16)],
  ['changed in its application', /another program/, (bytes) => flipByte(bytes, 69)],
  ['changed in its list of tables', /damaged/, (bytes) => flipByte(bytes, 100)],
  ['changed in a page header', /damaged/, (bytes) => flipByte(bytes, ROOT_PAGE_OF_FIRST_TABLE)],
  ['changed in the links of a page', /damaged/, (bytes) => flipByte(bytes, bytes.length - 4096 + 4)],
  ['missing a page in the middle', /damaged/, (bytes) => bytes.fill(0, 8 * 4096, 9 * 4096) as Buffer],
])('rejects a file that is %s', async (_name, words, edit) => {
  const sample = await runSample();
  await sample.close();
  change(sample.file, edit);
  await expectRefusal(sample.directory, words);
});

test('rejects a file of another program, and leaves it unchanged', async () => {
  const directory = await temporaryDirectory();
  const database = new DatabaseSync(join(directory, 'store.sqlite'));
  database.exec('CREATE TABLE theirs (a)');
  database.close();
  await expectRefusal(directory, /belongs to another program/);
});

test('rejects a missing file whose log exists', async () => {
  const sample = await runSample();
  await sample.insert(1000);
  const { directory, file } = await sample.crash();
  rmSync(file);
  await expectRefusal(directory, /is missing, but its log/);
});

test('applies its own log after a crash, without an unfinished last transaction', async () => {
  const sample = await runSample();
  for (let n = 1000; n < 1005; n++) await sample.insert(n);
  const whole = await sample.crash();
  expect(documentsIn(whole.directory)).toBe(DOCUMENTS + 5);
  // The last transaction was not acknowledged, so the record does not include it yet.
  const before = await sample.crash();
  await sample.insert(1005);
  const torn = await sample.crash();
  truncateSync(torn.log, readFileSync(torn.log).length - 2000);
  cpSync(before.record, torn.record);
  expect(documentsIn(torn.directory)).toBe(DOCUMENTS + 5);
});

test('rejects a log with damage in synced frames', async () => {
  const sample = await runSample();
  for (let n = 1000; n < 1005; n++) await sample.insert(n);
  for (const at of [8, 32 + 4, 32 + 24 + 100, 32 + 2 * (4096 + 24) + 500]) {
    const { directory, log } = await sample.crash();
    change(log, (bytes) => flipByte(bytes, at));
    await expectRefusal(directory, /-wal is damaged/);
  }
});

test('rejects the log of another file, and of another time of the same file', async () => {
  const [one, other] = await Promise.all([runSample(), runSample()]);
  const early = await one.crash();
  await one.insert(1000);
  await other.insert(2000);
  const [mine, foreign] = await Promise.all([one.crash(), other.crash()]);
  cpSync(foreign.log, mine.log);
  await expectRefusal(mine.directory, /store.sqlite-wal does not belong to/);
  // A backup copied over the file of a killed server that has checkpointed its log since.
  await one.close();
  await runAgain(one.directory, async () => {
    const late = join(await temporaryDirectory(), 'late');
    mkdirSync(late);
    cpSync(early.file, join(late, 'store.sqlite'));
    cpSync(one.log, join(late, 'store.sqlite-wal'));
    await expectRefusal(late, /store.sqlite-wal does not belong to/);
  });
});

async function runAgain(directory: string, use: () => Promise<void>): Promise<void> {
  const store = await startDocumentStore({ path: directory });
  const client = await new MongoClient(`${store.uri}/sample`).connect();
  try {
    await client.db().collection('things').insertOne({ n: 3000 });
    await use();
  } finally {
    await client.close();
    await store.close();
  }
}

test('reports a damaged document as an error, and serves all others', async () => {
  const sample = await runSample();
  await sample.close();
  change(sample.file, (bytes) => flipByte(bytes, bytes.indexOf('needle 150 ') + 50));
  const damaged = readFileSync(sample.file);
  const store = await startDocumentStore({ path: sample.directory });
  const client = await new MongoClient(`${store.uri}/sample`).connect();
  const things = client.db().collection('things');
  await expect(things.findOne({ n: 150 })).rejects.toMatchObject({ code: 361, codeName: 'DataCorruptionDetected' });
  await expect(things.find().toArray()).rejects.toMatchObject({ code: 361 });
  await expect(things.updateOne({ n: 150 }, { $set: { a: 1 } })).rejects.toMatchObject({ code: 361 });
  expect(await things.findOne({ n: 151 })).toMatchObject({ n: 151 });
  await client.close();
  await store.close();
  expect(readFileSync(sample.file).equals(damaged)).toBe(true);
  const opened = new Store(sample.directory);
  expect(checkIntegrity(opened.engine, opened.catalog).problems).toEqual([
    expect.stringMatching(/^sample\.things, record 151: .*checksum/),
    expect.stringContaining(`${DOCUMENTS} entries, but the documents have ${DOCUMENTS - 1}`),
    expect.stringContaining(`${DOCUMENTS} entries, but the documents have ${DOCUMENTS - 1}`),
  ]);
  opened.close();
});

test('finds missing, orphaned, and duplicate index entries', async () => {
  const sample = await runSample();
  await sample.close();
  const database = new DatabaseSync(sample.file);
  const { id } = database.prepare("SELECT id FROM indexes WHERE name = 'n_1'").get() as { id: number };
  database.exec(`DELETE FROM entries_${id} WHERE record = 5`);
  database.exec(`INSERT INTO entries_${id} SELECT key, 9999 FROM entries_${id} WHERE record IN (7, 8)`);
  database.close();
  const store = new Store(sample.directory);
  expect(checkIntegrity(store.engine, store.catalog).problems).toEqual([
    'sample.things, index n_1: record 5 is missing',
    'sample.things, index n_1: 301 entries, but the documents have 300',
    'sample.things, index n_1: unique keys are repeated',
  ]);
  store.close();
});

/** Converts a file to format 1: documents without checksums, and no lineage. */
function makeFormat1(file: string, also = ''): void {
  const database = new DatabaseSync(file);
  for (const { id } of database.prepare('SELECT id FROM collections').all()) {
    database.exec(`UPDATE documents_${id} SET body = substr(body, 1, length(body) - 4)`);
  }
  database.exec(`DROP TABLE lineage; PRAGMA user_version = 1; ${also}`);
  database.close();
  rmSync(`${file}-commits`);
}

test('upgrades a file of format 1', async () => {
  const sample = await runSample();
  await sample.close();
  makeFormat1(sample.file);
  expect(documentsIn(sample.directory)).toBe(DOCUMENTS);
  const database = new DatabaseSync(sample.file);
  expect(database.prepare('PRAGMA user_version').get()).toEqual({ user_version: 3 });
  database.close();
});

test('leaves a file unchanged if its upgrade fails', async () => {
  const sample = await runSample();
  await sample.close();
  makeFormat1(sample.file, "INSERT INTO collections (database, name, uuid) VALUES ('no', 'table', x'00')");
  await expectRefusal(sample.directory, /could not be upgraded from format 1 to 3 and is unchanged/);
});

test('upgrades a file of format 2, also after a crash', async () => {
  const sample = await runSample();
  await sample.insert(1000);
  const killed = await sample.crash();
  const database = new DatabaseSync(killed.file);
  database.exec('PRAGMA user_version = 2');
  database.close();
  rmSync(killed.record);
  expect(documentsIn(killed.directory)).toBe(DOCUMENTS + 1);
  expect(documentsIn(killed.directory)).toBe(DOCUMENTS + 1);
});

test.each([0, 99])('rejects format %i', async (format) => {
  const sample = await runSample();
  await sample.close();
  const database = new DatabaseSync(sample.file);
  database.exec(`PRAGMA user_version = ${format}`);
  database.close();
  await expectRefusal(sample.directory, new RegExp(`has format ${format}; this server knows formats 1 to 3`));
});
