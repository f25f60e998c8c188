import type { Document } from 'bson';
import { MongoClient } from 'mongodb';
import { expect, onTestFinished, test } from 'vitest';
import { startCommand } from './commands/index.ts';
import { MemoryBudget } from './memory.ts';
import { Store } from './store.ts';
import { removeExpired } from './sweeps.ts';
import { openTestStore, spawnStore, temporaryDirectory } from './test-store.ts';
import { encode } from './values/codec.ts';

const DOCUMENTS = 300;
const CLIENT = { id: 1, closed: false, isLocal: true, onClose: () => undefined };

/** Opens a store that never begins a slice, so that each command pauses wherever it can. */
async function openStore(): Promise<Store> {
  const store = new Store(await temporaryDirectory());
  onTestFinished(() => store.close());
  const collection = store.catalog.create('a', 'things');
  for (let n = 0; n < DOCUMENTS; n++) {
    const document = { _id: n, n, text: `text ${n}`, at: new Date(0) };
    collection.insert(document, encode(document));
  }
  store.engine.keepCommand();
  store.engine.commit();
  return store;
}

/** Runs a command. Returns its reply and how often it paused. */
function runCounting(store: Store, command: Document): { answer: Document; pauses: number } {
  const account = store.memory.openAccount();
  const work = account.run(() => startCommand(store, { ...command, $db: 'a' }, CLIENT)) as Generator;
  let pauses = 0;
  for (;;) {
    const step = account.run(() => work.next());
    store.engine.keepCommand();
    if (step.done) return { answer: step.value as Document, pauses };
    pauses += 1;
  }
}

const aggregate = (...pipeline: Document[]) => ({ aggregate: 'things', pipeline, cursor: {} });

test.each<[string, Document]>([
  ['update', { update: 'things', updates: [{ q: {}, u: { $inc: { n: 1 } }, multi: true }] }],
  ['updates', { update: 'things', updates: new Array(DOCUMENTS).fill({ q: { _id: 1 }, u: { $inc: { n: 1 } } }) }],
  ['inserts', { insert: 'things', documents: Array.from({ length: DOCUMENTS }, (_, n) => encode({ _id: n + 1000 })) }],
  ['delete', { delete: 'things', deletes: [{ q: {}, limit: 0 }] }],
  ['createIndexes', { createIndexes: 'things', indexes: [{ key: { n: 1 }, name: 'n' }] }],
  ['distinct', { distinct: 'things', key: 'text' }],
  ['count', { count: 'things', query: { text: /nowhere/ } }],
  ['find with a projection', { find: 'things', projection: { x: { $concat: ['$text', '!'] } }, batchSize: 1000 }],
  ['find with a sort', { find: 'things', sort: { text: 1 }, batchSize: 1000 }],
  ['$group', aggregate({ $group: { _id: '$text' } })],
  ['$set', aggregate({ $set: { x: 1 } }, { $match: { x: 2 } })],
  ['$unwind', aggregate({ $unwind: '$text' }, { $match: { n: -1 } })],
  [
    '$lookup',
    aggregate({ $lookup: { from: 'things', localField: 'n', foreignField: '_id', as: 'x' } }, { $limit: 400 }),
  ],
  ['$out', aggregate({ $out: 'other' })],
  ['$merge', aggregate({ $merge: 'other' })],
])('%s can pause after each document', async (_name, command) => {
  const store = await openStore();
  expect(runCounting(store, command).pauses).toBeGreaterThanOrEqual(DOCUMENTS);
});

test('the first count, database sizes, sweeps, and the rest of a drop pause, too', async () => {
  const store = await openStore();
  const collection = store.catalog.find('a', 'things');
  for (let n = 1000; n < 13_000; n++) collection?.insert({ _id: n }, encode({ _id: n }));
  store.engine.keepCommand();
  store.engine.commit();
  expect(runCounting(store, { count: 'things' })).toMatchObject({ answer: { n: 12_300 } });
  const again = new Store(await temporaryDirectory());
  again.close();
  expect([...(collection?.bytes() ?? [])].length).toBeGreaterThan(2);
  runCounting(store, { createIndexes: 'things', indexes: [{ key: { at: 1 }, name: 'at', expireAfterSeconds: 1 }] });
  expect([...removeExpired(store, Date.now())].length).toBeGreaterThanOrEqual(DOCUMENTS);
  expect(runCounting(store, { count: 'things' })).toMatchObject({ answer: { n: 12_000 } });
  runCounting(store, { count: 'things' });
  store.catalog.drop(store.catalog.find('a', 'things') as never);
  expect(store.catalog.garbage.size).toBe(3);
  expect([...store.catalog.emptyGarbage()].length).toBeGreaterThan(300);
  expect(store.catalog.garbage.size).toBe(0);
  const tables = store.engine.prepareRows("SELECT name FROM sqlite_master WHERE name LIKE 'documents%'").all();
  expect(tables).toEqual([]);
});

test('a running count includes concurrent changes', async () => {
  const store = await openStore();
  const collection = store.catalog.find('a', 'things');
  if (!collection) throw new Error('there is no collection');
  for (let n = 1000; n < 13_000; n++) collection.insert({ _id: n }, encode({ _id: n }));
  const counting = collection.count();
  counting.next();
  collection.remove(1, { _id: 0, n: 0, text: 'text 0', at: new Date(0) });
  collection.remove(DOCUMENTS + 11_000, { _id: 11_999 });
  collection.insert({ _id: -1 }, encode({ _id: -1 }));
  let step = counting.next();
  while (!step.done) step = counting.next();
  expect(step.value).toBe(DOCUMENTS + 12_000 - 1);
});

test('a long update sees concurrent changes and does not revert them', async () => {
  const store = await openStore();
  runCounting(store, { createIndexes: 'things', indexes: [{ key: { other: 1 }, name: 'other' }] });
  const account = new MemoryBudget().openAccount();
  const command = {
    update: 'things',
    updates: [{ q: { text: /^text/ }, u: { $inc: { n: 1000 } }, multi: true }],
    $db: 'a',
  };
  const long = account.run(() => startCommand(store, command, CLIENT)) as Generator;
  const step = () => {
    const done = account.run(() => long.next());
    store.engine.keepCommand();
    return done;
  };
  for (let at = 0; at < 5; at++) step();
  await store.scheduler.run(() =>
    runCounting(store, { update: 'things', updates: [{ q: { _id: 9 }, u: { $set: { other: 1 } } }] }),
  );
  await store.scheduler.run(() => runCounting(store, { delete: 'things', deletes: [{ q: { _id: 10 }, limit: 1 }] }));
  await store.scheduler.run(() =>
    runCounting(store, { update: 'things', updates: [{ q: { _id: 11 }, u: { $set: { text: 'no longer' } } }] }),
  );
  let last = step();
  while (!last.done) last = step();
  expect(last.value).toMatchObject({ n: DOCUMENTS - 2, nModified: DOCUMENTS - 2 });
  const found = (query: Document) => runCounting(store, { find: 'things', filter: query }).answer.cursor.firstBatch;
  expect(found({ other: 1 })).toHaveLength(1);
  expect(found({ _id: 9, other: 1, n: 1009 })).toHaveLength(1);
  expect(found({ _id: 10 })).toHaveLength(0);
  expect(found({ _id: 11, n: 11 })).toHaveLength(1);
});

test('findAndModify with an in-memory sort claims each document once', async () => {
  const { client } = await openTestStore();
  const jobs = client.db('a').collection<{ n: number; state: string; text: string }>('jobs');
  await jobs.insertMany(
    Array.from({ length: 600 }, (_, n) => ({ n, state: n < 40 ? 'ready' : 'done', text: 'x'.repeat(500) })),
  );
  const claimed = await Promise.all(
    Array.from({ length: 60 }, () =>
      jobs.findOneAndUpdate({ state: { $in: ['ready'] } }, { $set: { state: 'claimed' } }, { sort: { n: 1 } }),
    ),
  );
  const numbers = claimed.filter((job) => job !== null).map(({ n }) => n);
  expect(numbers.toSorted((one, other) => one - other)).toEqual(Array.from({ length: 40 }, (_, n) => n));
});

test('aborts an expensive regular expression over a long array, and serves others meanwhile', async () => {
  const directory = await temporaryDirectory();
  const { uri } = await spawnStore(directory);
  const client = await new MongoClient(uri).connect();
  onTestFinished(() => client.close());
  const texts = client.db('a').collection('texts');
  await texts.insertOne({ text: Array.from({ length: 300_000 }, () => `${'a'.repeat(11)}!`) });
  for (let n = 0; n < 50; n++) await texts.insertOne({ text: `${'a'.repeat(40)}!` });
  const patterns = Array.from({ length: 300 }, (_, n) => new RegExp(`^(a+)+${n}$`));
  for (const filter of [
    { text: /^(a+)+$/ },
    { text: { $in: patterns } },
    { $or: patterns.map((text) => ({ text })) },
  ]) {
    await expect(texts.find(filter).toArray()).rejects.toMatchObject({ code: 51156 });
    await expect(texts.updateMany(filter, { $set: { a: 1 } }))
      .resolves.toBeUndefined()
      .catch(() => undefined);
  }
  const found = { $regexFindAll: { input: { $concat: ['ab', '$_'] }, regex: '(a|b)' } };
  expect(await texts.aggregate([{ $limit: 1 }, { $project: { found } }]).toArray()).toHaveLength(1);
  expect(await client.db('a').command({ ping: 1 })).toEqual({ ok: 1 });
});
