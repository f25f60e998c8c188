import {
  Binary,
  type Collection,
  Decimal128,
  type Document,
  Double,
  type FindCursor,
  Int32,
  Long,
  MaxKey,
  MinKey,
  ObjectId,
  Timestamp,
  UUID,
} from 'mongodb';
import { expect, test } from 'vitest';
import { openTestStore } from './test-store.ts';

test('keeps every type and the order of fields', async () => {
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

test('counts with skip and limit, with and without an index, and lists distinct values', async () => {
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

test('sorts, skips, limits, and projects; without a sort, in insertion order', async () => {
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

test('rejects documents over 16 MB and invalid ids', async () => {
  const { client } = await openTestStore();
  const collection = client.db('c').collection<{ _id: string; text?: string; more?: string }>('limits');
  await collection.insertOne({ _id: 'big', text: 'x'.repeat(16_000_000) });
  await expect(collection.updateOne({ _id: 'big' }, { $set: { more: 'y'.repeat(1_000_000) } })).rejects.toMatchObject({
    code: 17419,
  });
  await expect(collection.insertOne({ _id: [1] as never })).rejects.toMatchObject({ code: 53 });
  expect(await collection.countDocuments()).toBe(1);
});

test('treats names of prototype members as plain field names', async () => {
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

test('sorts more than one run, and its pages fit together', async () => {
  const { client } = await openTestStore();
  const collection = client.db('c').collection<{ _id: number; n: number }>('sorted');
  await collection.insertMany(Array.from({ length: 10_000 }, (_, at) => ({ _id: at, n: (at * 7919) % 1000 })));
  const expected = Array.from({ length: 10_000 }, (_, at) => ({ _id: at, n: (at * 7919) % 1000 }));
  expected.sort((one, other) => one.n - other.n || one._id - other._id);
  const ids = expected.map(({ _id }) => _id);
  const idsOf = async (cursor: FindCursor) => (await cursor.toArray()).map(({ _id }) => _id);
  expect(await idsOf(collection.find().sort({ n: 1 }))).toEqual(ids);
  for (const [skip, limit] of [
    [0, 10],
    [1990, 10],
    [1995, 300],
    [5000, 3000],
  ] as const) {
    expect(await idsOf(collection.find().sort({ n: 1 }).skip(skip).limit(limit))).toEqual(
      ids.slice(skip, skip + limit),
    );
  }
});

test('never stores a document that is too deep to be read', async () => {
  const { client } = await openTestStore();
  const collection: Collection<Document & { _id: number }> = client.db('app').collection('deep');
  let deep: Document = {};
  for (let depth = 0; depth < 170; depth += 1) deep = { a: deep };
  await collection.insertOne({ _id: 1, deep });
  const path = Array.from({ length: 300 }, () => 'a').join('.');
  const updates: (Document | Document[])[] = [
    { $set: { [path]: 1 } },
    { $push: { 'a.b.c.d.e.f.g.h.i.j.k': deep } },
    { $rename: { deep: 'x.b.c.d.e.f.g.h.i.j.k' } },
    [
      { $set: { deep: { a: '$deep', b: { c: '$deep' } } } },
      { $set: { deep: { a: '$$ROOT' } } },
      { $set: { e: '$$ROOT' } },
    ],
    ...Array(10).fill([{ $set: { deep: { a: '$deep' } } }]),
  ];
  const codes: unknown[] = [];
  for (const update of updates) codes.push(await collection.updateOne({ _id: 1 }, update).catch(({ code }) => code));
  expect(codes.slice(0, 3)).toEqual([15, 15, 15]);
  expect(codes.at(-1)).toBe(15);
  await expect(collection.updateOne({ _id: 2 }, { $set: { [path]: 1 } }, { upsert: true })).rejects.toMatchObject({
    code: 15,
  });
  expect(await collection.find().toArray()).toHaveLength(1);
});
