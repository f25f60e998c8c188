import { Long, MongoClient } from 'mongodb';
import { expect, test, vi } from 'vitest';
import { openTestStore } from '../test-store.ts';

test('returns large results in batches', async () => {
  const { client } = await openTestStore();
  const database = client.db('cursors');
  const collection = database.collection('many');
  await collection.insertMany(Array.from({ length: 1000 }, (_, n) => ({ n })));
  const first = await database.command({ find: 'many' });
  expect(first.cursor.firstBatch).toHaveLength(101);
  expect(first.cursor.ns).toBe('cursors.many');
  const second = await database.command({
    getMore: Long.fromNumber(first.cursor.id),
    collection: 'many',
    batchSize: 10,
  });
  expect(second.cursor.nextBatch.map(({ n }: { n: number }) => n)).toEqual(
    Array.from({ length: 10 }, (_, at) => 101 + at),
  );
  const third = await database.command({ getMore: Long.fromNumber(first.cursor.id), collection: 'many' });
  expect(third.cursor.nextBatch).toHaveLength(889);
  expect(third.cursor.id).toEqual(0);
  for (const batchSize of [1, 7, 101, 1000, 5000]) {
    expect((await collection.find().batchSize(batchSize).toArray()).map(({ n }) => n)).toEqual(
      Array.from({ length: 1000 }, (_, n) => n),
    );
  }
  expect(await collection.find().sort({ n: -1 }).batchSize(50).limit(120).toArray()).toHaveLength(120);
});

test('keeps a batch of large documents below the message size', async () => {
  const { client } = await openTestStore();
  const collection = client.db('cursors').collection('large');
  for (let n = 0; n < 5; n++) await collection.insertOne({ n, text: 'x'.repeat(6_000_000) });
  const answer = await client.db('cursors').command({ find: 'large' });
  expect(answer.cursor.firstBatch).toHaveLength(2);
  expect(await collection.find().toArray()).toHaveLength(5);
});

test('opens no cursor if the first batch is everything', async () => {
  const { client } = await openTestStore();
  const database = client.db('cursors');
  await database.collection('few').insertMany([{ n: 1 }, { n: 2 }, { n: 3 }]);
  for (const command of [
    { find: 'few' },
    { find: 'few', batchSize: 3 },
    { find: 'few', limit: 2 },
    { find: 'few', batchSize: 1, singleBatch: true },
  ]) {
    expect((await database.command(command)).cursor.id, JSON.stringify(command)).toEqual(0);
  }
  expect((await database.command({ find: 'missing' })).cursor).toMatchObject({ firstBatch: [], ns: 'cursors.missing' });
});

test('returns CursorNotFound for killed, exhausted, and unknown cursors', async () => {
  const { client } = await openTestStore();
  const database = client.db('cursors');
  await database.collection('some').insertMany(Array.from({ length: 10 }, (_, n) => ({ n })));
  const { cursor } = await database.command({ find: 'some', batchSize: 2 });
  const id = Long.fromNumber(cursor.id);
  await expect(database.command({ getMore: id, collection: 'other' })).rejects.toMatchObject({ code: 13 });
  expect(await database.command({ killCursors: 'some', cursors: [id, Long.fromInt(5)] })).toMatchObject({
    cursorsKilled: [cursor.id],
    cursorsNotFound: [5],
  });
  await expect(database.command({ getMore: id, collection: 'some' })).rejects.toMatchObject({ code: 43 });
  await expect(database.command({ getMore: Long.fromInt(5), collection: 'some' })).rejects.toMatchObject({ code: 43 });
});

test('ends a cursor whose collection is dropped', async () => {
  const { client } = await openTestStore();
  const collection = client.db('cursors').collection('dropped');
  await collection.insertMany(Array.from({ length: 5000 }, (_, n) => ({ n })));
  const cursor = collection.find().batchSize(10);
  expect(await cursor.next()).toMatchObject({ n: 0 });
  await collection.drop();
  await expect(cursor.toArray()).rejects.toMatchObject({ code: 175 });
});

test('runs short commands during a long scan', async () => {
  const { client } = await openTestStore();
  const collection = client.db('cursors').collection('scan');
  await collection.insertMany(
    Array.from({ length: 20_000 }, (_, n) => ({ n, text: 'some words that are looked through' })),
  );
  let finished = false;
  const long = collection.countDocuments({ text: { $regex: 'nowhere to be found$' } }).then((count) => {
    finished = true;
    return count;
  });
  let answeredBefore = 0;
  while (!finished) {
    await client.db('cursors').command({ ping: 1 });
    if (!finished) answeredBefore += 1;
  }
  expect(await long).toBe(0);
  expect(answeredBefore).toBeGreaterThan(1);
  await expect(
    collection
      .find({ text: /nowhere$/ })
      .maxTimeMS(1)
      .toArray(),
  ).rejects.toMatchObject({ code: 50 });
});

test('abandons a scan whose client has disconnected', async () => {
  const { store, client } = await openTestStore();
  await client
    .db('gone')
    .collection('many')
    .insertMany(Array.from({ length: 30_000 }, (_, n) => ({ n, text: 'words '.repeat(10) })));
  const other = await new MongoClient(store.uri, { retryReads: false }).connect();
  const updates = other
    .db('gone')
    .collection('many')
    .updateMany({ text: /words/ }, { $set: { touched: true } });
  const lost = updates.catch((error) => error);
  await vi.waitFor(
    async () => expect(await client.db('gone').collection('many').findOne({ touched: true })).not.toBeNull(),
    15_000,
  );
  await other.close(true);
  await lost;
  const touched = async () => client.db('gone').collection('many').countDocuments({ touched: true });
  let before = -1;
  await vi.waitFor(async () => {
    const [last, now] = [before, await touched()];
    before = now;
    expect(now).toBe(last);
  }, 15_000);
  expect(before).toBeLessThan(30_000);
});
