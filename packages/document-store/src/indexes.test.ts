import type { Collection, Document } from 'mongodb';
import { expect, test } from 'vitest';
import { startCommand } from './commands/index.ts';
import { Store } from './store.ts';
import { openTestStore, temporaryDirectory } from './test-store.ts';
import { encode } from './values/codec.ts';

async function planOf(collection: Collection, filter: Document, sort: Document = {}): Promise<Document> {
  return (await collection
    .find(filter)
    .sort(sort as never)
    .explain('executionStats')) as Document;
}

test('uses an index if there is one, and reads no more than necessary', async () => {
  const { client } = await openTestStore();
  const collection = client.db('i').collection('messages');
  await collection.insertMany(
    Array.from({ length: 500 }, (_, n) => ({ session: `s${n % 10}`, position: Math.floor(n / 10), n })),
  );
  await collection.createIndex({ session: 1, position: -1 });
  const plan = await planOf(collection, { session: 's3', position: { $lt: 40, $gte: 30 } }, { position: -1 });
  expect(plan.queryPlanner.winningPlan).toMatchObject({
    stage: 'FETCH',
    inputStage: { stage: 'IXSCAN', indexName: 'session_1_position_-1' },
  });
  expect(plan.executionStats).toMatchObject({ nReturned: 10, totalKeysExamined: 10, totalDocsExamined: 10 });
  expect((await planOf(collection, { session: { $in: ['s1', 's2'] } })).executionStats).toMatchObject({
    nReturned: 100,
    totalKeysExamined: 100,
  });
  expect((await planOf(collection, { n: 3 })).queryPlanner.winningPlan.stage).toBe('COLLSCAN');
  expect((await planOf(collection, { _id: 3 })).queryPlanner.winningPlan.stage).toBe('IDHACK');
});

test('takes the order from the index in either direction, and otherwise sorts', async () => {
  const { client } = await openTestStore();
  const collection = client.db('i').collection('orders');
  await collection.insertMany(
    Array.from({ length: 300 }, (_, n) => ({ owner: n % 3, pinned: n % 2 === 0, at: (n * 7) % 300 })),
  );
  await collection.createIndex({ owner: 1, pinned: -1, at: -1 });
  const firstStage = async (sort: Document) => (await planOf(collection, { owner: 1 }, sort)).queryPlanner.winningPlan;
  expect(await firstStage({ pinned: -1, at: -1 })).toMatchObject({
    stage: 'FETCH',
    inputStage: { direction: 'forward' },
  });
  expect(await firstStage({ pinned: 1, at: 1 })).toMatchObject({
    stage: 'FETCH',
    inputStage: { direction: 'backward' },
  });
  expect(await firstStage({ owner: 1, pinned: -1 })).toMatchObject({ stage: 'FETCH' });
  expect(await firstStage({ pinned: -1, at: 1 })).toMatchObject({ stage: 'SORT', inputStage: { stage: 'FETCH' } });
  const page = await collection
    .find({ owner: 1 })
    .sort({ pinned: -1, at: -1 })
    .skip(10)
    .limit(5)
    .explain('executionStats');
  expect(page.executionStats).toMatchObject({ nReturned: 5, totalKeysExamined: 15 });
  const sorted = await collection.find({ owner: 1 }).sort({ pinned: -1, at: 1 }).toArray();
  expect(sorted.map(({ at }) => at).slice(0, 50)).toEqual(
    sorted
      .filter(({ pinned }) => pinned)
      .map(({ at }) => at)
      .sort((one, other) => one - other),
  );
});

test('uses sparse and partial indexes only for queries that they cover', async () => {
  const { client } = await openTestStore();
  const collection = client.db('i').collection('covered');
  await collection.insertMany([{ a: 1 }, { a: 2, b: 1 }, { b: 2 }, { a: null }]);
  await collection.createIndex({ a: 1 }, { sparse: true });
  await collection.createIndex({ b: 1 }, { partialFilterExpression: { a: { $gt: 1 } } });
  expect(await collection.find({ a: null }).toArray()).toHaveLength(2);
  expect((await planOf(collection, { a: 1 })).queryPlanner.winningPlan.stage).toBe('FETCH');
  expect(await collection.find().sort({ a: 1 }).toArray()).toHaveLength(4);
  expect(await collection.find({ b: { $gt: 0 } }).toArray()).toHaveLength(2);
  expect((await planOf(collection, { b: 1, a: { $gt: 1 } })).queryPlanner.winningPlan.inputStage.indexName).toBe('b_1');
});

test('finds each document once by several array elements', async () => {
  const { client } = await openTestStore();
  const collection = client.db('i').collection('tags');
  await collection.createIndex({ tags: 1 });
  await collection.insertMany([{ tags: ['a', 'b', 'c'] }, { tags: ['b'] }, { tags: [] }, { tags: 'a' }]);
  expect(await collection.find({ tags: { $in: ['a', 'b', 'c'] } }).toArray()).toHaveLength(3);
  expect(await collection.find({ tags: { $gt: 'a', $lt: 'b' } }).toArray()).toHaveLength(1);
  await collection.deleteOne({ tags: { $type: 'string' }, 'tags.0': { $exists: false } });
  await collection.updateMany({ tags: { $gte: 'a' } }, { $push: { tags: 'z' } as never });
  expect(await collection.countDocuments({ tags: 'z' })).toBe(2);
  await expect(collection.createIndex({ tags: 1, other: 1 })).resolves.toBe('tags_1_other_1');
  await expect(collection.insertOne({ tags: [1], other: [2] })).rejects.toMatchObject({ code: 171 });
});

test('updates each document once through an index that the update changes', async () => {
  const { client } = await openTestStore();
  const collection = client.db('i').collection('halloween');
  await collection.createIndex({ n: 1 });
  await collection.insertMany(Array.from({ length: 1000 }, (_, n) => ({ n })));
  expect(await collection.updateMany({ n: { $gte: 0 } }, { $inc: { n: 500 } })).toMatchObject({ modifiedCount: 1000 });
  expect((await collection.find().sort({ n: -1 }).limit(1).toArray())[0]?.n).toBe(1499);
});

test('explains what is wrong with an invalid index', async () => {
  const { client } = await openTestStore();
  const collection = client.db('i').collection('wrong');
  await collection.createIndex({ a: 1 });
  await expect(collection.createIndex({ a: 1 })).resolves.toBe('a_1');
  await expect(collection.createIndex({ a: 1 }, { name: 'other' })).rejects.toMatchObject({ code: 85 });
  await expect(collection.createIndex({ a: 1 }, { unique: true })).rejects.toMatchObject({ code: 86 });
  await expect(collection.createIndex({ b: 1 }, { name: 'a_1' })).rejects.toMatchObject({ code: 86 });
  await expect(collection.createIndex({ t: 'text' })).rejects.toMatchObject({ code: 67 });
  await expect(collection.createIndex({ '$**': 1 })).rejects.toMatchObject({ code: 67 });
  await expect(collection.createIndex({ a: 1, b: 1 }, { expireAfterSeconds: 1 })).rejects.toMatchObject({ code: 67 });
  await expect(
    client.db('i').command({ createIndexes: 'wrong', indexes: [{ key: { c: 1 }, name: 'c', nonsense: 1 }] }),
  ).rejects.toMatchObject({ code: 197 });
  await collection.insertMany([{ d: 1 }, { d: 1 }]);
  await expect(collection.createIndex({ d: 1 }, { unique: true })).rejects.toMatchObject({ code: 11000 });
  expect((await collection.indexes()).map(({ name }) => name)).toEqual(['_id_', 'a_1']);
  await expect(client.db('i').collection('none').indexes()).rejects.toMatchObject({ code: 26 });
  await expect(collection.dropIndex('none')).rejects.toMatchObject({ code: 27 });
  await collection.dropIndexes();
  expect(await collection.indexes()).toHaveLength(1);
});

test('builds an index while other clients write', async () => {
  const { client } = await openTestStore();
  const collection = client.db('i').collection('building');
  await collection.insertMany(Array.from({ length: 10_000 }, (_, n) => ({ _id: n as never, n, k: n % 100 })));
  const built = Promise.all([collection.createIndex({ k: 1, n: 1 }), collection.createIndex({ k: 1, n: 1 })]);
  for (let n = 10_000; n < 10_100; n++) {
    await collection.insertOne({ n, k: 5 });
    await collection.deleteOne({ _id: (n - 10_000) as never });
  }
  await built;
  const plan = await planOf(collection, { k: 5 });
  expect(plan.queryPlanner.winningPlan.inputStage.indexName).toBe('k_1_n_1');
  expect(plan.executionStats.nReturned).toBe(100 + 99);
});

test('commits each step of an index build with its turn', async () => {
  const store = new Store(await temporaryDirectory());
  const { engine } = store;
  const commit = (): void => {
    engine.keepCommand();
    engine.commit();
  };
  const collection = store.catalog.create('i', 'pieces');
  for (let _id = 0; _id < 200; _id++) collection.insert({ _id }, encode({ _id }));
  commit();
  const client = { id: 1, closed: false, isLocal: true, onClose: () => undefined };
  const command = { createIndexes: 'pieces', indexes: [{ key: { a: 1 }, name: 'a' }], $db: 'i' };
  const build = startCommand(store, command, client) as Generator;
  const entries = () => engine.prepareRows(`SELECT count(*) FROM ${collection.indexes[1]?.table}`).get();
  build.next();
  commit();
  const before = entries();
  build.next();
  expect(entries()).not.toEqual(before);
  engine.undoCommand(undefined);
  expect(entries()).toEqual(before);
  commit();
  store.close();
});
