import { Binary, Decimal128, Double, Int32, Long, MaxKey, MinKey, ObjectId, Timestamp, UUID } from 'mongodb';
import { expect, test } from 'vitest';
import { openTestStore } from './test-store.ts';

test('keeps every type and the order of fields as they were stored', async () => {
  const { client } = await openTestStore();
  const collection = client
    .db('types', { promoteValues: false } as never)
    .collection('all', { promoteValues: false, bsonRegExp: true });
  const document = {
    _id: new ObjectId(),
    z: new Int32(1),
    double: new Double(1),
    long: Long.fromString('9007199254740993'),
    decimal: Decimal128.fromString('1.10'),
    a: 'text\0with zero',
    nothing: null,
    yes: true,
    date: new Date(-1),
    bytes: new Binary(Buffer.from([1, 2, 3]), 0),
    uuid: new UUID(),
    timestamp: new Timestamp({ t: 1, i: 2 }),
    nested: { b: [new Int32(1), new Double(2), { c: Long.fromInt(3) }], a: {} },
    least: new MinKey(),
    most: new MaxKey(),
  };
  await collection.insertOne(document);
  const inserted = await collection.findOne({ _id: document._id });
  expect(inserted).toEqual(document);
  expect(Object.keys(inserted ?? {})).toEqual(Object.keys(document));
  await collection.updateOne({ long: document.long }, { $set: { added: new Double(3) } });
  expect(await collection.findOne({})).toEqual({ ...document, added: new Double(3) });
});

test('updates with operators, one and many, and says what it did', async () => {
  const { client } = await openTestStore();
  const collection = client.db('c').collection<{ n?: number; tags?: string[]; replaced?: boolean }>('updates');
  await collection.insertMany([{ n: 1, tags: ['a'] }, { n: 2, tags: [] }, { n: 3 }]);
  expect(
    await collection.updateOne({ n: 1 }, { $inc: { n: 10 }, $push: { tags: 'b' }, $currentDate: { at: true } }),
  ).toMatchObject({
    matchedCount: 1,
    modifiedCount: 1,
  });
  expect(await collection.findOne({ n: 11 })).toMatchObject({ tags: ['a', 'b'], at: expect.any(Date) });
  expect(await collection.updateMany({}, { $set: { seen: true } })).toMatchObject({
    matchedCount: 3,
    modifiedCount: 3,
  });
  expect(await collection.updateMany({}, { $set: { seen: true } })).toMatchObject({
    matchedCount: 3,
    modifiedCount: 0,
  });
  await collection.updateOne({ tags: 'b' }, { $set: { 'tags.$': 'c' } });
  expect((await collection.findOne({ n: 11 }))?.tags).toEqual(['a', 'c']);
  await collection.replaceOne({ n: 2 }, { replaced: true });
  expect(await collection.findOne({ replaced: true })).toEqual({ _id: expect.any(ObjectId), replaced: true });
  await expect(collection.updateOne({}, { $set: { _id: 1 } })).rejects.toMatchObject({ code: 66 });
  await expect(collection.updateOne({}, { $nonsense: { a: 1 } })).rejects.toMatchObject({ code: 9 });
});

test('upserts from the filter and the update, with an id of its own or the given one', async () => {
  const { client } = await openTestStore();
  const collection = client.db('c').collection<{ _id: string; email?: string; n?: number; new?: boolean }>('upserts');
  const made = await collection.updateOne(
    { email: 'a' },
    { $set: { n: 1 }, $setOnInsert: { new: true } },
    { upsert: true },
  );
  expect(made).toMatchObject({ upsertedCount: 1, matchedCount: 0 });
  expect(await collection.findOne({ _id: made.upsertedId as never })).toEqual({
    _id: made.upsertedId,
    email: 'a',
    n: 1,
    new: true,
  });
  const again = await collection.updateOne(
    { email: 'a' },
    { $set: { n: 2 }, $setOnInsert: { new: false } },
    { upsert: true },
  );
  expect(again).toMatchObject({ upsertedCount: 0, matchedCount: 1 });
  await collection.updateOne({ _id: 'given' }, { $set: { n: 3 } }, { upsert: true });
  expect(await collection.findOne({ _id: 'given' })).toEqual({ _id: 'given', n: 3 });
  expect(
    await collection.findOneAndUpdate({ email: 'b' }, { $inc: { n: 1 } }, { upsert: true, returnDocument: 'after' }),
  ).toMatchObject({
    email: 'b',
    n: 1,
  });
});

test('finds and modifies: before, after, sorted, projected, removed', async () => {
  const { client } = await openTestStore();
  const collection = client.db('c').collection('modify');
  await collection.insertMany([1, 2, 3].map((n) => ({ n, status: 'waiting' })));
  const options = { sort: { n: -1 }, projection: { _id: 0 } } as const;
  expect(await collection.findOneAndUpdate({}, { $set: { status: 'taken' } }, options)).toEqual({
    n: 3,
    status: 'waiting',
  });
  expect(
    await collection.findOneAndUpdate(
      { status: 'waiting' },
      { $set: { status: 'taken' } },
      { ...options, returnDocument: 'after' },
    ),
  ).toEqual({ n: 2, status: 'taken' });
  expect(await collection.findOneAndDelete({ status: 'taken' }, options)).toEqual({ n: 3, status: 'taken' });
  expect(await collection.findOneAndReplace({ n: 2 }, { n: 20 }, { ...options, returnDocument: 'after' })).toEqual({
    n: 20,
  });
  expect(await collection.findOneAndUpdate({ n: 99 }, { $set: { a: 1 } })).toBeNull();
  expect(await collection.countDocuments()).toBe(2);
});

test('deletes one and many', async () => {
  const { client } = await openTestStore();
  const collection = client.db('c').collection('deletes');
  await collection.insertMany(Array.from({ length: 600 }, (_, n) => ({ n, odd: n % 2 === 1 })));
  expect(await collection.deleteOne({ odd: true })).toMatchObject({ deletedCount: 1 });
  expect(await collection.deleteMany({ odd: true })).toMatchObject({ deletedCount: 299 });
  expect(await collection.deleteMany({ odd: true })).toMatchObject({ deletedCount: 0 });
  expect(await collection.countDocuments({})).toBe(300);
  expect(await collection.estimatedDocumentCount()).toBe(300);
});

test('counts, with skip and limit, with and without an index, and lists distinct values', async () => {
  const { client } = await openTestStore();
  const collection = client.db('c').collection('counts');
  await collection.insertMany(Array.from({ length: 250 }, (_, n) => ({ n, group: n % 5, tags: [`t${n % 3}`, 'all'] })));
  for (let round = 0; round < 2; round++) {
    expect(await collection.countDocuments()).toBe(250);
    expect(await collection.countDocuments({ group: 2 })).toBe(50);
    expect(await collection.countDocuments({ group: 2 }, { skip: 45, limit: 20 })).toBe(5);
    expect(await collection.countDocuments({ group: { $in: [1, 2] }, n: { $lt: 100 } })).toBe(40);
    expect(await collection.countDocuments({ tags: 'all' })).toBe(250);
    expect(await collection.countDocuments({ group: 77 })).toBe(0);
    expect((await collection.distinct('group')).sort()).toEqual([0, 1, 2, 3, 4]);
    expect((await collection.distinct('tags', { group: 1 })).sort()).toEqual(['all', 't0', 't1', 't2']);
    await collection.createIndexes([{ key: { group: 1, n: 1 } }, { key: { tags: 1 } }]);
  }
  const sums = collection.aggregate([
    { $match: { n: { $lt: 100 } } },
    { $group: { _id: '$group', total: { $sum: '$n' }, documents: { $sum: 1 } } },
    { $sort: { _id: -1 } },
    { $limit: 1 },
  ]);
  expect(await sums.toArray()).toEqual([{ _id: 4, total: 1030, documents: 20 }]);
  await expect(collection.aggregate([{ $frobnicate: {} }]).toArray()).rejects.toMatchObject({ code: 40324 });
});

test('sorts, skips, limits and projects; without a sort, in the order of insertion', async () => {
  const { client } = await openTestStore();
  const collection = client.db('c').collection<{ _id: string; n: number }>('order');
  await collection.insertMany(['q', 'a', 'z', 'b'].map((_id, n) => ({ _id, n })));
  await collection.updateOne({ _id: 'q' }, { $set: { longer: 'x'.repeat(5000) } });
  expect((await collection.find().toArray()).map(({ _id }) => _id)).toEqual(['q', 'a', 'z', 'b']);
  expect((await collection.find().sort({ $natural: -1 }).toArray()).map(({ _id }) => _id)).toEqual([
    'b',
    'z',
    'a',
    'q',
  ]);
  expect(
    await collection
      .find({}, { projection: { n: 1 } })
      .sort({ _id: 1 })
      .skip(1)
      .limit(2)
      .toArray(),
  ).toEqual([
    { _id: 'b', n: 3 },
    { _id: 'q', n: 0 },
  ]);
  expect(
    await collection
      .find({}, { projection: { n: 0, longer: 0 } })
      .sort({ n: -1 })
      .limit(1)
      .toArray(),
  ).toEqual([{ _id: 'b' }]);
});

test('refuses documents over 16 MB and ids that can not be', async () => {
  const { client } = await openTestStore();
  const collection = client.db('c').collection<{ _id: string; text?: string; more?: string }>('limits');
  await collection.insertOne({ _id: 'big', text: 'x'.repeat(16_000_000) });
  await expect(collection.updateOne({ _id: 'big' }, { $set: { more: 'y'.repeat(1_000_000) } })).rejects.toMatchObject({
    code: 17419,
  });
  await expect(collection.insertOne({ _id: [1] as never })).rejects.toMatchObject({ code: 53 });
  expect(await collection.countDocuments()).toBe(1);
});

test('never takes names of prototypes for anything but names', async () => {
  const { client } = await openTestStore();
  const collection = client.db('c').collection('names');
  const hostile = JSON.parse('{"__proto__": {"polluted": true}, "constructor": {"prototype": 1}, "toString": "x"}');
  await collection.insertOne({ _id: 1 as never, ...Object.fromEntries(Object.entries(hostile)) });
  await collection.updateOne({ _id: 1 as never }, { $set: { 'constructor.prototype': 2 } });
  await collection.updateOne({ _id: 1 as never }, { $set: { '__proto__.polluted': 'yes' } }).catch(() => undefined);
  expect(({} as { polluted?: unknown }).polluted).toBeUndefined();
  expect(await collection.findOne({ 'constructor.prototype': 2 })).toMatchObject({ toString: 'x' });
  await expect(client.db('__proto__').collection('hasOwnProperty').insertOne({ a: 1 })).resolves.toMatchObject({
    acknowledged: true,
  });
  expect(await client.db('toString').collection('constructor').countDocuments()).toBe(0);
});

test('sorts more than it sorts at once, and pages of it fit together', async () => {
  const { client } = await openTestStore();
  const collection = client.db('c').collection<{ _id: number; n: number }>('sorted');
  await collection.insertMany(Array.from({ length: 10_000 }, (_, at) => ({ _id: at, n: (at * 7919) % 1000 })));
  const expected = Array.from({ length: 10_000 }, (_, at) => ({ _id: at, n: (at * 7919) % 1000 }));
  expected.sort((one, other) => one.n - other.n || one._id - other._id);
  expect(await collection.find().sort({ n: 1 }).toArray()).toEqual(expected);
  for (const [skip, limit] of [
    [0, 10],
    [1990, 10],
    [1995, 300],
    [5000, 3000],
  ] as const) {
    expect(await collection.find().sort({ n: 1 }).skip(skip).limit(limit).toArray()).toEqual(
      expected.slice(skip, skip + limit),
    );
  }
});
