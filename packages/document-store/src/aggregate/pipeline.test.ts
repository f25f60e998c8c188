import { type Document, Double, Long } from 'bson';
import mongoose, { Schema } from 'mongoose';
import { describe, expect, onTestFinished, test } from 'vitest';
import { openTestStore } from '../test-store.ts';

interface Row extends Document {
  _id: number;
}

async function collections() {
  const { client } = await openTestStore();
  const database = client.db('app');
  return { database, orders: database.collection<Row>('orders'), items: database.collection<Row>('items') };
}

const ORDERS: Row[] = [
  {
    _id: 1,
    customer: 'ada',
    total: 10,
    lines: [
      { item: 1, n: 2 },
      { item: 2, n: 1 },
    ],
    at: new Date('2024-01-05'),
  },
  { _id: 2, customer: 'bob', total: 25.5, lines: [{ item: 2, n: 5 }], at: new Date('2024-01-20') },
  { _id: 3, customer: 'ada', total: 7, lines: [], at: new Date('2024-02-01') },
  { _id: 4, customer: 'eve', lines: null, at: new Date('2024-02-10') },
];
const ITEMS: Row[] = [
  { _id: 1, name: 'pen', stock: 5 },
  { _id: 2, name: 'ink', stock: 1 },
  { _id: 3, name: 'cap', stock: 0 },
];

const CASES: [string, Document[], Document[]][] = [
  [
    '$group with its accumulators',
    [
      { $match: { customer: { $in: ['ada', 'bob'] } } },
      {
        $group: {
          _id: '$customer',
          n: { $sum: 1 },
          total: { $sum: '$total' },
          mean: { $avg: '$total' },
          low: { $min: '$total' },
          ids: { $push: '$_id' },
          first: { $first: '$_id' },
          last: { $last: '$_id' },
        },
      },
      { $sort: { _id: 1 } },
    ],
    [
      {
        _id: 'ada',
        n: 2,
        total: 17,
        mean: 8.5,
        low: 7,
        ids: [1, 3],
        first: 1,
        last: 3,
      },
      {
        _id: 'bob',
        n: 1,
        total: 25.5,
        mean: 25.5,
        low: 25.5,
        ids: [2],
        first: 2,
        last: 2,
      },
    ],
  ],
  [
    '$group with null and missing as one group, and $addToSet',
    [{ $group: { _id: '$nothing', who: { $addToSet: '$customer' } } }, { $project: { n: { $size: '$who' } } }],
    [{ _id: null, n: 3 }],
  ],
  [
    '$unwind with an index, preserving empty arrays',
    [
      { $unwind: { path: '$lines', includeArrayIndex: 'at', preserveNullAndEmptyArrays: true } },
      { $project: { item: '$lines.item', at: 1 } },
    ],
    [
      { _id: 1, at: 0, item: 1 },
      { _id: 1, at: 1, item: 2 },
      { _id: 2, at: 0, item: 2 },
      { _id: 3, at: null },
      { _id: 4, at: null },
    ],
  ],
  [
    '$lookup by a field inside an array',
    [
      { $match: { _id: { $lte: 3 } } },
      { $lookup: { from: 'items', localField: 'lines.item', foreignField: '_id', as: 'items' } },
      { $project: { names: '$items.name' } },
    ],
    [
      { _id: 1, names: ['pen', 'ink'] },
      { _id: 2, names: ['ink'] },
      { _id: 3, names: [] },
    ],
  ],
  [
    '$lookup by a pipeline with variables, and with fields as well',
    [
      { $unwind: '$lines' },
      {
        $lookup: {
          from: 'items',
          let: { wanted: '$lines.n', item: '$lines.item' },
          pipeline: [
            { $match: { $expr: { $and: [{ $eq: ['$_id', '$$item'] }, { $lt: ['$stock', '$$wanted'] }] } } },
            { $project: { _id: 0, name: 1, missing: { $subtract: ['$$wanted', '$stock'] } } },
          ],
          as: 'short',
        },
      },
      {
        $lookup: {
          from: 'items',
          localField: 'lines.item',
          foreignField: '_id',
          pipeline: [{ $match: { stock: { $gt: 1 } } }, { $count: 'n' }],
          as: 'plenty',
        },
      },
      { $project: { _id: 0, item: '$lines.item', short: 1, plenty: '$plenty.n' } },
    ],
    [
      { short: [], item: 1, plenty: [1] },
      { short: [], item: 2, plenty: [] },
      { short: [{ name: 'ink', missing: 4 }], item: 2, plenty: [] },
    ],
  ],
  [
    '$facet',
    [
      {
        $facet: {
          count: [{ $count: 'n' }],
          dear: [{ $match: { total: { $gt: 8 } } }, { $sort: { total: -1 } }, { $project: { total: 1 } }],
          none: [{ $match: { total: { $gt: 99 } } }, { $count: 'n' }],
        },
      },
    ],
    [
      {
        count: [{ n: 4 }],
        dear: [
          { _id: 2, total: 25.5 },
          { _id: 1, total: 10 },
        ],
        none: [],
      },
    ],
  ],
  [
    '$bucket',
    [{ $bucket: { groupBy: '$total', boundaries: [0, 10, 20], default: 'other', output: { ids: { $push: '$_id' } } } }],
    [
      { _id: 0, ids: [3] },
      { _id: 10, ids: [1] },
      { _id: 'other', ids: [2, 4] },
    ],
  ],
  ['$sortByCount', [{ $sortByCount: '$customer' }, { $limit: 1 }], [{ _id: 'ada', count: 2 }]],
  [
    '$unionWith',
    [
      { $project: { customer: 1 } },
      { $unionWith: { coll: 'items', pipeline: [{ $match: { stock: 0 } }] } },
      { $skip: 3 },
    ],
    [
      { _id: 4, customer: 'eve' },
      { _id: 3, name: 'cap', stock: 0 },
    ],
  ],
  [
    '$set, $unset, and $replaceRoot',
    [
      { $match: { _id: 1 } },
      { $set: { 'lines.paid': true, total: { $add: ['$total', 1] }, gone: '$$REMOVE', 'deep.er': '$_id' } },
      { $unset: ['customer', 'at', 'lines.n'] },
      { $replaceRoot: { newRoot: { $mergeObjects: ['$$ROOT', { new: 1 }] } } },
    ],
    [
      {
        _id: 1,
        total: 11,
        lines: [
          { item: 1, paid: true },
          { item: 2, paid: true },
        ],
        deep: { er: 1 },
        new: 1,
      },
    ],
  ],
];

describe('stages', () => {
  let orders: Awaited<ReturnType<typeof collections>>['orders'];

  test('gives the results of MongoDB', async () => {
    const opened = await collections();
    orders = opened.orders;
    await orders.insertMany(ORDERS);
    await opened.items.insertMany(ITEMS);
    for (const [name, pipeline, expected] of CASES) {
      expect(await orders.aggregate(pipeline).toArray(), name).toEqual(expected);
    }
    const ids = await orders.aggregate([{ $sample: { size: 3 } }, { $project: { _id: 1 } }]).toArray();
    expect(new Set(ids.map(({ _id }) => _id)).size).toBe(3);
  });

  test.each<[string, Document[], number]>([
    ['unknown', [{ $nope: 1 }], 40324],
    ['refused', [{ $geoNear: {} }], 40324],
    ['unusual', [{ $bucketAuto: { groupBy: '$a', buckets: 2 } }], 40324],
    ['writing, not at the end', [{ $out: 'x' }, { $limit: 1 }], 40324],
    ['of two fields', [{ $match: {}, $limit: 1 }], 40323],
    ['change stream', [{ $changeStream: {} }], 40573],
    ['inside a facet', [{ $facet: { a: [{ $facet: { b: [] } }] } }], 40600],
    ['group without _id', [{ $group: { n: { $sum: 1 } } }], 15955],
    ['accumulator of many', [{ $group: { _id: 1, n: { $firstN: { n: 1, input: '$a' } } } }], 15952],
    ['unknown accumulator', [{ $group: { _id: 1, n: { $nope: 1 } } }], 15952],
    ['expression deep inside', [{ $lookup: { from: 'x', pipeline: [{ $set: { a: { $nope: 1 } } }], as: 'a' } }], 168],
    ['limit', [{ $limit: 0 }], 15958],
    ['sort', [{ $sort: {} }], 15976],
    ['where', [{ $match: { $where: 'true' } }], 115],
    ['unbound variable', [{ $match: { $expr: { $eq: ['$a', '$$b'] } } }], 17276],
  ])('rejects malformed pipelines even on an empty collection: %s', async (_, pipeline, code) => {
    const { orders } = await collections();
    await expect(orders.aggregate(pipeline).toArray()).rejects.toMatchObject({ code });
  });
});

test('supports let variables, indexes in lookups, and explain', async () => {
  const { database, orders, items } = await collections();
  await orders.insertMany(Array.from({ length: 300 }, (_, n) => ({ _id: n, ref: n % 50 })));
  await items.insertMany(Array.from({ length: 3000 }, (_, n) => ({ _id: n, code: n })));
  await items.createIndex({ code: 1 });
  const high = await orders
    .aggregate([{ $match: { $expr: { $gte: ['$_id', '$$least'] } } }], { let: { least: 298 } })
    .toArray();
  expect(high.map(({ _id }) => _id)).toEqual([298, 299]);
  const byExpression = { $match: { $expr: { $eq: ['$code', 7] } } };
  const explained = await items.aggregate([byExpression, { $group: { _id: null } }]).explain('executionStats');
  expect(explained.stages[0].$cursor.executionStats).toMatchObject({ totalDocsExamined: 1 });
  expect(explained.stages[1]).toEqual({ $group: { _id: null } });
  const plain = await items
    .aggregate([{ $match: { code: { $lt: 5 } } }, { $sort: { code: -1 } }, { $limit: 2 }])
    .explain();
  expect(plain.queryPlanner.winningPlan.stage).toBe('LIMIT');
  const [{ n } = { n: 0 }] = await orders
    .aggregate([
      {
        $lookup: {
          from: 'items',
          let: { ref: '$ref' },
          pipeline: [{ $match: { $expr: { $eq: ['$code', '$$ref'] } } }],
          as: 'x',
        },
      },
      { $match: { x: { $size: 1 } } },
      { $count: 'n' },
    ])
    .toArray();
  expect(n).toBe(300);
  expect(await database.command({ aggregate: 'orders', pipeline: [], explain: true })).toHaveProperty('queryPlanner');
});

test('returns results in batches, and aborts a pipeline over its time or memory limit', async () => {
  const { orders } = await collections();
  const filler = 'x'.repeat(10_000);
  await orders.insertMany(Array.from({ length: 2000 }, (_, n) => ({ _id: n, filler, list: [1, 2, 3] })));
  const cursor = orders.aggregate([{ $unwind: '$list' }, { $project: { list: 1 } }], { batchSize: 10 });
  let seen = 0;
  for await (const _ of cursor) seen += 1;
  expect(seen).toBe(6000);
  const cross = { $lookup: { from: 'orders', pipeline: [{ $project: { _id: 1 } }, { $match: { _id: -1 } }], as: 'x' } };
  await expect(orders.aggregate([cross], { maxTimeMS: 50 }).toArray()).rejects.toMatchObject({ code: 50 });
  const everything = { $range: [0, 10] };
  const growing = [{ $set: { n: everything } }, { $unwind: '$n' }, { $group: { _id: null, all: { $push: '$$ROOT' } } }];
  await expect(orders.aggregate(growing).toArray()).rejects.toMatchObject({ code: 292 });
  await expect(orders.aggregate([{ $group: { _id: null, all: { $push: '$$ROOT' } } }]).toArray()).rejects.toMatchObject(
    { code: 10334 },
  );
});

test('serves mongoose aggregates, counts, and pipeline updates', async () => {
  const { store } = await openTestStore();
  const connection = await mongoose.createConnection(`${store.uri}/app`).asPromise();
  onTestFinished(() => connection.close());
  const Person = connection.model('Person', new Schema({ name: String, age: Number, tags: [String] }));
  await Person.insertMany([
    { name: 'a', age: 30, tags: ['x', 'y'] },
    { name: 'b', age: 40, tags: ['y'] },
  ]);
  const tags = await Person.aggregate()
    .unwind('tags')
    .group({ _id: '$tags', ages: { $sum: '$age' } })
    .sort('_id');
  expect(tags).toEqual([
    { _id: 'x', ages: 30 },
    { _id: 'y', ages: 70 },
  ]);
  expect(await Person.countDocuments({ $expr: { $gt: ['$age', 35] } })).toBe(1);
  let streamed = 0;
  for await (const _ of Person.aggregate([{ $match: {} }]).cursor()) streamed += 1;
  expect(streamed).toBe(2);
  const update = [{ $set: { age: { $add: ['$age', 1] }, first: { $first: '$tags' } } }];
  await Person.updateMany({}, update, { updatePipeline: true });
  expect(await Person.findOne({ name: 'b' }).lean()).toMatchObject({ age: 41, first: 'y' });
});

test('a lookup finds the same with and without an index', async () => {
  const { orders, items } = await collections();
  const refs = [1, new Double(2), '2', null, [1, 3], [], { a: 1 }, /x/, Long.fromNumber(3), undefined];
  const withRef = (from: number) =>
    refs.map((ref, n) => (ref === undefined ? { _id: from + n } : { _id: from + n, ref }));
  await orders.insertMany(withRef(0));
  await items.insertMany([...withRef(100), { _id: 200, ref: [[1], 'x'] }, { _id: 201, ref: { a: new Double(1) } }]);
  const lookup = { from: 'items', localField: 'ref', foreignField: 'ref', as: 'found' };
  const rest = [{ $project: { found: '$found._id' } }, { $sort: { _id: 1 } }];
  const pipeline = [{ $match: { _id: { $gte: 100 } } }, { $set: { also: '$ref' } }];
  const run = async (extra: Document) => orders.aggregate([{ $lookup: { ...lookup, ...extra } }, ...rest]).toArray();
  const [plain, piped] = [await run({}), await run({ pipeline })];
  expect(plain.map(({ found }) => found)).toEqual([
    [100, 104],
    [101],
    [102],
    [103, 109],
    [100, 104, 108],
    [],
    [106, 201],
    [107],
    [104, 108],
    [103, 109],
  ]);
  expect(piped).toEqual(plain);
  await items.createIndex({ ref: 1 });
  const sorted = (rows: Document[]) => rows.map(({ found }) => found.sort((a: number, b: number) => a - b));
  expect(sorted(await run({}))).toEqual(sorted(plain));
});

test('samples different documents each time, and none twice', async () => {
  const { orders } = await collections();
  await orders.insertMany(Array.from({ length: 1000 }, (_, n) => ({ _id: n })));
  await orders.deleteMany({ _id: { $lt: 100 } });
  const draw = async () => (await orders.aggregate([{ $sample: { size: 20 } }]).toArray()).map(({ _id }) => _id);
  const [one, other] = [await draw(), await draw()];
  expect(new Set(one).size).toBe(20);
  expect(Math.min(...one, ...other)).toBeGreaterThanOrEqual(100);
  expect(one).not.toEqual(other);
  await orders.deleteMany({ _id: { $gt: 110 } });
  expect((await orders.aggregate([{ $sample: { size: 20 } }]).toArray()).length).toBe(11);
});
