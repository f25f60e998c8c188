import { MongoClient } from 'mongodb';
import { expect, onTestFinished, test } from 'vitest';
import { openTestStore } from './test-store.ts';

test('exactly one of several clients gets each unique key', async () => {
  const { store, client } = await openTestStore();
  const others = await Promise.all(Array.from({ length: 3 }, () => new MongoClient(store.uri).connect()));
  onTestFinished(async () => void (await Promise.all(others.map((other) => other.close()))));
  await client.db('races').collection('users').createIndex({ email: 1 }, { unique: true });
  const races = Array.from({ length: 100 }, async (_, race) => {
    const attempts = [client, ...others].map((racer, by) =>
      racer
        .db('races')
        .collection('users')
        .insertOne({ email: `user-${race}@example.org`, by })
        .then(
          () => 'won',
          (error) => error.code,
        ),
    );
    return (await Promise.all(attempts)).sort();
  });
  for (const outcome of await Promise.all(races)) expect(outcome).toEqual([11000, 11000, 11000, 'won']);
  expect(await client.db('races').collection('users').countDocuments()).toBe(100);
});

test.each(['updateOne', 'findOneAndUpdate'] as const)(
  'lets one of several upserts of the same key insert: %s',
  async (by) => {
    const { client } = await openTestStore();
    const counts = client.db('races').collection(`counts-${by}`);
    await counts.createIndex({ key: 1 }, { unique: true });
    await counts.insertMany(Array.from({ length: 20_000 }, (_, key) => ({ key, filler: 'x'.repeat(200) })));
    // A collection scan yields to others, and a backward one does not see added documents.
    const options = { upsert: true, hint: { $natural: -1 } } as const;
    const upserts = Array.from({ length: 4 }, () => counts[by]({ key: 'new' }, { $inc: { n: 1 } }, options));
    await Promise.all(upserts);
    expect(await counts.find({ key: 'new' }, { projection: { _id: 0 } }).toArray()).toEqual([{ key: 'new', n: 4 }]);
  },
);

test('exactly one of several claims gets a document', async () => {
  const { client } = await openTestStore();
  const jobs = client.db('races').collection('jobs');
  await jobs.createIndex({ status: 1, priority: -1 });
  await jobs.insertMany(
    Array.from({ length: 50 }, (_, number) => ({ number, priority: number % 5, status: 'waiting' })),
  );
  const claims = await Promise.all(
    Array.from({ length: 80 }, (_, worker) =>
      jobs.findOneAndUpdate({ status: 'waiting' }, { $set: { status: 'taken', worker } }, { sort: { priority: -1 } }),
    ),
  );
  const taken = claims.filter((claim) => claim !== null).map((claim) => claim.number);
  expect(taken).toHaveLength(50);
  expect(new Set(taken).size).toBe(50);
  expect(claims[0]?.priority).toBe(4);
});

test('names the index, the key, and the value of a duplicate', async () => {
  const { client } = await openTestStore();
  const collection = client.db('shop').collection('orders');
  await collection.createIndex({ customer: 1, number: -1 }, { unique: true });
  await collection.insertOne({ _id: 1 as never, customer: 'a', number: 7 });
  await expect(collection.insertOne({ customer: 'a', number: 7 })).rejects.toMatchObject({
    code: 11000,
    keyPattern: { customer: 1, number: -1 },
    keyValue: { customer: 'a', number: 7 },
    message:
      'E11000 duplicate key error collection: shop.orders index: customer_1_number_-1 dup key: { customer: "a", number: 7 }',
  });
  await expect(collection.insertOne({ _id: 1 as never })).rejects.toMatchObject({
    code: 11000,
    keyPattern: { _id: 1 },
  });
  await collection.insertOne({ _id: 2 as never, customer: 'b', number: 7 });
  await expect(collection.updateOne({ customer: 'b' }, { $set: { customer: 'a' } })).rejects.toMatchObject({
    code: 11000,
  });
  expect(await collection.findOne({ _id: 2 as never })).toEqual({ _id: 2, customer: 'b', number: 7 });
  // A released key can be used again.
  await collection.deleteOne({ _id: 1 as never });
  await collection.updateOne({ customer: 'b' }, { $set: { customer: 'a' } });
});

test('treats a missing field as null, unless the index is sparse or partial', async () => {
  const { client } = await openTestStore();
  const collection = client.db('u').collection('nulls');
  await collection.createIndex({ a: 1 }, { unique: true });
  await collection.createIndex({ b: 1 }, { unique: true, sparse: true });
  await collection.createIndex({ c: 1 }, { unique: true, partialFilterExpression: { c: { $gt: 0 } } });
  await collection.insertOne({});
  await expect(collection.insertOne({ a: null })).rejects.toMatchObject({ code: 11000, keyValue: { a: null } });
  await collection.insertOne({ a: 1, c: 0 });
  await collection.insertOne({ a: 2, c: 0 });
  await collection.insertOne({ a: 3, b: null, c: 1 });
  await expect(collection.insertOne({ a: 4, b: null })).rejects.toMatchObject({ code: 11000 });
  await expect(collection.insertOne({ a: 4, c: 1 })).rejects.toMatchObject({ code: 11000 });
});

test('handles a failed write in a bulk: ordered stops, unordered continues', async () => {
  const { client } = await openTestStore();
  const documents = [{ _id: 1 }, { _id: 2 }, { _id: 1 }, { _id: 3 }, { _id: 2 }, { _id: 4 }] as never[];
  const ordered = client.db('o').collection('ordered');
  await expect(ordered.insertMany(documents)).rejects.toMatchObject({ code: 11000, result: { insertedCount: 2 } });
  expect(await ordered.distinct('_id')).toEqual([1, 2]);
  const unordered = client.db('o').collection('unordered');
  const failure = await unordered.insertMany(documents, { ordered: false }).catch((error) => error);
  expect(failure.writeErrors.map((error: { index: number }) => error.index)).toEqual([2, 4]);
  expect(await unordered.distinct('_id')).toEqual([1, 2, 3, 4]);
});

test('recognizes a key whether it was the highest, was rolled back, or came with a failed insert', async () => {
  const { client } = await openTestStore();
  const records = client.db('races').collection<{ _id: number; name?: string }>('rising');
  await records.createIndex({ name: 1 }, { unique: true });
  for (const _id of [5, 9, 7]) await records.insertOne({ _id, name: `n${_id}` });
  await expect(records.insertOne({ _id: 9, name: 'x' })).rejects.toMatchObject({ code: 11000, keyPattern: { _id: 1 } });
  await expect(records.insertOne({ _id: 12, name: 'n7' })).rejects.toMatchObject({ keyPattern: { name: 1 } });
  await records.insertOne({ _id: 12, name: 'z' });
  await expect(records.insertOne({ _id: 12, name: 'zz' })).rejects.toMatchObject({ keyPattern: { _id: 1 } });
  await records.deleteOne({ _id: 12 });
  await records.insertOne({ _id: 12, name: 'z' });
  await expect(records.updateOne({ _id: 5 }, { $set: { name: 'z' } })).rejects.toMatchObject({
    keyPattern: { name: 1 },
  });
  await records.updateOne({ _id: 5 }, { $set: { name: 'zzz' } });
  await expect(records.insertOne({ _id: 13, name: 'zzz' })).rejects.toMatchObject({ keyPattern: { name: 1 } });
  expect(await records.countDocuments()).toBe(4);
});
