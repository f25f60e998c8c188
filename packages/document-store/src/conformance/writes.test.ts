import {
  Binary,
  type Collection,
  Decimal128,
  type Document,
  Double,
  Int32,
  Long,
  MaxKey,
  MinKey,
  MongoBulkWriteError,
  ObjectId,
  Timestamp,
} from 'mongodb';
import { describe, expect, test } from 'vitest';
import { shareTestStore } from '../test-store.ts';

const shared = shareTestStore();
let made = 0;

type Records = Collection<Document & { _id: number }>;

async function recordsOf(documents: Document[]): Promise<Records> {
  made += 1;
  const records: Records = shared.client.db('writes').collection(`c${made}`);
  if (documents.length > 0) await records.insertMany(documents.map((document) => ({ ...document })) as never[]);
  return records;
}

/** What is written to which documents, what is answered, and what is stored then; a number is the code of an error. */
type Case = [
  what: string,
  before: Document[],
  write: (records: Records) => Promise<unknown>,
  answer: unknown,
  after?: Document[],
];

function table(cases: Case[]): void {
  test.each(cases)('%s', async (_what, before, write, answer, after = before) => {
    const records = await recordsOf(before);
    const outcome = await write(records).catch((error) => ({ code: error.code, message: error.message }));
    if (typeof answer === 'number') expect(outcome).toMatchObject({ code: answer });
    else if (answer === null) expect(outcome).toBeNull();
    else expect(outcome).toMatchObject(answer as object);
    expect(await records.find().toArray()).toEqual(after);
  });
}

const three = [
  { _id: 1, x: 11 },
  { _id: 2, x: 22 },
  { _id: 3, x: 33 },
];

describe('inserts', () => {
  table([
    ['one', [], (c) => c.insertOne({ _id: 1, x: 1 }), { insertedId: 1 }, [{ _id: 1, x: 1 }]],
    ['many', [], (c) => c.insertMany([{ _id: 2 }, { _id: 1 }]), { insertedCount: 2 }, [{ _id: 2 }, { _id: 1 }]],
    [
      'names with dollars and dots, anywhere',
      [],
      (c) => c.insertOne({ _id: 1, $a: 1, 'b.c': { $d: 1, 'e.f': [{ $g: 1 }] }, h: { $db: 'x' } }),
      { acknowledged: true },
      [{ _id: 1, $a: 1, 'b.c': { $d: 1, 'e.f': [{ $g: 1 }] }, h: { $db: 'x' } }],
    ],
    ['an _id with a dot inside', [], (c) => c.insertOne({ _id: { 'a.b': 1 } as never }), {}, [{ _id: { 'a.b': 1 } }]],
    ['an _id with a dollar inside', [], (c) => c.insertOne({ _id: { $a: 1 } as never }), 52],
    ['an _id with a dollar deep inside', [], (c) => c.insertOne({ _id: { a: [{ $b: 1 }] } as never }), 52],
    ['an array as _id', [], (c) => c.insertOne({ _id: [1] as never }), 53],
    ['a pattern as _id', [], (c) => c.insertOne({ _id: /a/ as never }), 53],
    [
      'a second of the same _id, by another type of number',
      three,
      (c) => c.insertOne({ _id: Long.fromInt(1) as never }),
      11000,
    ],
    [
      'ordered, up to the first error',
      three,
      (c) => c.insertMany([{ _id: 4 }, { _id: 1 }, { _id: 5 }]),
      11000,
      [...three, { _id: 4 }],
    ],
    [
      'unordered, all but those in error',
      three,
      (c) => c.insertMany([{ _id: 1 }, { _id: 4 }, { _id: [1] as never }, { _id: 5 }], { ordered: false }),
      11000,
      [...three, { _id: 4 }, { _id: 5 }],
    ],
  ]);

  test.each<[string, unknown]>([
    ['null', null],
    ['int', 1],
    ['double', 1.5],
    ['long', Long.fromString('9007199254740993')],
    ['decimal', Decimal128.fromString('1.5')],
    ['string', 'a'],
    ['object', { a: { b: 1 } }],
    ['binary', new Binary(Buffer.from('a'))],
    ['object id', new ObjectId()],
    ['bool', false],
    ['date', new Date(0)],
    ['timestamp', new Timestamp({ t: 1, i: 2 })],
    ['MinKey', new MinKey()],
    ['MaxKey', new MaxKey()],
  ])('every way to insert takes an _id that is a %s', async (_type, value) => {
    const _id = value as number;
    const ways: ((c: Records) => Promise<unknown>)[] = [
      (c) => c.insertOne({ _id }, { forceServerObjectId: true }),
      (c) => c.updateOne({ _id }, { $set: { a: 1 } }, { upsert: true }),
      (c) => c.updateOne({}, { $set: { _id } }, { upsert: true }),
      (c) => c.updateOne({}, { $setOnInsert: { _id } }, { upsert: true }),
      (c) => c.replaceOne({ _id }, { a: 1 }, { upsert: true }),
      (c) => c.replaceOne({}, { _id, a: 1 }, { upsert: true }),
      (c) => c.findOneAndUpdate({ _id }, { $set: { a: 1 } }, { upsert: true }),
      (c) => c.updateOne({ _id }, [{ $set: { a: 1 } }], { upsert: true }),
      (c) => c.bulkWrite([{ updateOne: { filter: { _id }, update: { $set: { a: 1 } }, upsert: true } }]),
    ];
    for (const way of ways) {
      const records = await recordsOf([]);
      await way(records);
      expect((await records.find({}, { promoteLongs: false }).toArray()).map((record) => record._id)).toEqual([_id]);
      await expect(records.insertOne({ _id }, { forceServerObjectId: true })).rejects.toMatchObject({
        code: 11000,
        keyPattern: { _id: 1 },
      });
    }
  });
});

describe('updates', () => {
  table([
    [
      'the first match alone',
      three,
      (c) => c.updateOne({ _id: { $gt: 1 } }, { $inc: { x: 1 } }),
      { matchedCount: 1, modifiedCount: 1, upsertedCount: 0, upsertedId: null },
      [three[0], { _id: 2, x: 23 }, three[2]] as Document[],
    ],
    [
      'all matches',
      three,
      (c) => c.updateMany({ _id: { $gt: 1 } }, { $inc: { x: 1 } }),
      { matchedCount: 2, modifiedCount: 2 },
      [three[0], { _id: 2, x: 23 }, { _id: 3, x: 34 }] as Document[],
    ],
    ['none', three, (c) => c.updateMany({ _id: 9 }, { $inc: { x: 1 } }), { matchedCount: 0, modifiedCount: 0 }],
    [
      'those that change are counted apart',
      three,
      (c) => c.updateMany({}, { $max: { x: 22 } }),
      { matchedCount: 3, modifiedCount: 1 },
      [{ _id: 1, x: 22 }, three[1], three[2]] as Document[],
    ],
    [
      'what comes out as it was is no modification',
      [{ _id: 1, a: [1, 2], n: 1, s: 'x', o: { p: 1 } }],
      (c) =>
        c.updateOne(
          { _id: 1 },
          {
            $set: { o: { p: 1 }, 's.y': undefined } as never,
            $inc: { n: 0 },
            $addToSet: { a: 1 },
            $unset: { gone: 1 },
            $setOnInsert: { b: 1 },
          },
          { ignoreUndefined: true },
        ),
      { matchedCount: 1, modifiedCount: 0 },
    ],
    [
      'an upsert',
      three,
      (c) => c.updateOne({ _id: 4 }, { $inc: { x: 1 } }, { upsert: true }),
      { matchedCount: 0, modifiedCount: 0, upsertedCount: 1, upsertedId: 4 },
      [...three, { _id: 4, x: 1 }],
    ],
    [
      'an upsert of many makes one',
      [],
      (c) => c.updateMany({ _id: 4, a: { $gt: 1 } }, { $set: { x: 1 } }, { upsert: true }),
      { matchedCount: 0, upsertedCount: 1 },
      [{ _id: 4, x: 1 }],
    ],
    [
      'an upsert that finds its document',
      three,
      (c) => c.updateOne({ _id: 1 }, { $set: { x: 1 }, $setOnInsert: { y: 1 } }, { upsert: true }),
      { matchedCount: 1, modifiedCount: 1, upsertedCount: 0 },
      [{ _id: 1, x: 1 }, three[1], three[2]] as Document[],
    ],
    [
      'the fields of an upsert from its filter',
      [],
      (c) =>
        c.updateOne(
          {
            _id: 1,
            a: { $eq: 1 },
            b: { $in: [2] },
            c: { $all: [3] },
            d: { $gt: 4 },
            'e.f': 5,
            $and: [{ g: 6 }, { $or: [{ h: 7 }] }],
            $or: [{ i: 8 }, { i: 9 }],
            j: /x/,
            k: { $exists: false },
            l: { $not: { $eq: 1 } },
            m: { $elemMatch: { n: 1 } },
            o: [1, 2],
          },
          { $set: { z: 0 } },
          { upsert: true },
        ),
      { upsertedId: 1 },
      [{ _id: 1, a: 1, b: 2, c: 3, e: { f: 5 }, g: 6, h: 7, o: [1, 2], z: 0 }],
    ],
    ['an upsert with a filter that says two things', [], (c) => upsert(c, { a: 1, $and: [{ a: 2 }] }), 54],
    ['an upsert with a filter of a field and its part', [], (c) => upsert(c, { a: { b: 1 }, 'a.b': 1 }), 54],
    ['an upsert with $expr', three, (c) => upsert(c, { $expr: { $eq: ['$x', 1] } }), 224],
    [
      'an upsert that changes its own _id',
      [],
      (c) => c.updateOne({ _id: 1 }, { $set: { _id: 2 } }, { upsert: true }),
      66,
    ],
    [
      'an upsert with an array as _id',
      [],
      (c) => c.updateOne({}, { $set: { _id: [1] as never } }, { upsert: true }),
      53,
    ],
    [
      'an upsert whose _id is taken by another',
      [{ _id: 1, x: 1 }],
      (c) => c.updateOne({ x: 2 }, { $set: { _id: 1 } }, { upsert: true }),
      11000,
    ],
    [
      'an upsert with a name that begins with a dollar',
      [],
      (c) => c.updateOne({ _id: 1 }, { $set: { $hotel: 1 } }, { upsert: true }),
      { upsertedId: 1 },
      [{ _id: 1, $hotel: 1 }],
    ],
    ['a name that begins with a dollar', three, (c) => c.updateOne({ _id: 1 }, { $set: { $hotel: 1 } }), 52],
    [
      'a name that begins with a dollar, inside',
      three,
      (c) => c.updateOne({ _id: 1 }, { $set: { a: { $b: 1 }, 'c.$d': 2 } }),
      { modifiedCount: 1 },
      [{ _id: 1, x: 11, a: { $b: 1 }, c: { $d: 2 } }, three[1], three[2]] as Document[],
    ],
    ['another _id', three, (c) => c.updateOne({ _id: 1 }, { $set: { _id: 9 } }), 66],
    ['the same _id', three, (c) => c.updateOne({ _id: 1 }, { $set: { _id: 1 } }), { modifiedCount: 0 }],
    ['two operators on one path', three, (c) => c.updateOne({}, { $set: { a: 1 }, $inc: { a: 1 } }), 40],
    ['operators on a path and its part', three, (c) => c.updateOne({}, { $set: { a: 1 }, $unset: { 'a.b': 1 } }), 40],
    ['a part of what has no parts', three, (c) => c.updateOne({ _id: 1 }, { $set: { 'x.y': 1 } }), 28],
    ['numbers added to a string', [{ _id: 1, s: 'a' }], (c) => c.updateOne({}, { $inc: { s: 1 } }), 14],
    ['an operator that does not exist', three, (c) => c.updateOne({}, { $frob: { a: 1 } } as never), 9],
    [
      'a hint by name and by key',
      three,
      async (c) => {
        await c.createIndex({ x: 1 });
        const byName = await c.updateOne({ x: 11 }, { $set: { y: 1 } }, { hint: 'x_1' });
        const byKey = await c.updateMany({ x: { $gt: 11 } }, { $set: { y: 2 } }, { hint: { x: 1 } });
        return { modified: [byName.modifiedCount, byKey.modifiedCount] };
      },
      { modified: [1, 2] },
      [
        { _id: 1, x: 11, y: 1 },
        { _id: 2, x: 22, y: 2 },
        { _id: 3, x: 33, y: 2 },
      ],
    ],
    ['a hint of no index', three, (c) => c.updateOne({}, { $set: { y: 1 } }, { hint: 'no_1' }), 2],
    [
      'a comment',
      three,
      (c) => c.updateOne({ _id: 9 }, { $set: { y: 1 } }, { comment: { a: 'why' } }),
      { matchedCount: 0 },
    ],
    [
      'validation that is passed by',
      three,
      (c) => c.updateOne({ _id: 9 }, { $set: { y: 1 } }, { bypassDocumentValidation: true }),
      { matchedCount: 0 },
    ],
    [
      'a sort, which came with MongoDB 8',
      three,
      (c) => c.updateOne({}, { $set: { y: 1 } }, { sort: { x: -1 } }),
      40415,
    ],
    [
      'a collation',
      three,
      (c) => c.updateOne({}, { $set: { y: 1 } }, { collation: { locale: 'en', strength: 2 } }),
      238,
    ],
    [
      'the collation that is none',
      three,
      (c) => c.updateOne({ _id: 9 }, { $set: { y: 1 } }, { collation: { locale: 'simple' } }),
      { matchedCount: 0 },
    ],
    [
      'through an index that the update moves documents in',
      three,
      async (c) => {
        await c.createIndex({ x: 1 });
        return c.updateMany({ x: { $gt: 0 } }, { $inc: { x: 100 } });
      },
      { matchedCount: 3, modifiedCount: 3 },
      [
        { _id: 1, x: 111 },
        { _id: 2, x: 122 },
        { _id: 3, x: 133 },
      ],
    ],
    [
      'a unique index stops many where it is hurt, and keeps what came before',
      three,
      async (c) => {
        await c.createIndex({ x: 1 }, { unique: true });
        return c.updateMany({}, { $set: { x: 5 } });
      },
      11000,
      [{ _id: 1, x: 5 }, three[1], three[2]] as Document[],
    ],
  ]);
});

function upsert(records: Records, filter: Document): Promise<unknown> {
  return records.updateOne(filter, { $set: { z: 1 } }, { upsert: true });
}

describe('array filters and positions', () => {
  const nested = [
    {
      _id: 1,
      y: [
        { b: 3, c: [{ d: 1 }, { d: 2 }] },
        { b: 1, c: [{ d: 2 }] },
      ],
    },
    { _id: 2, y: [{ b: 0 }, { b: 1 }] },
  ];
  const scores = [
    {
      _id: 1,
      s: [40, 80, 95],
      t: [
        { k: 'a', n: 1 },
        { k: 'b', n: 1 },
      ],
    },
  ];
  table([
    [
      'a filter by a field',
      nested,
      (c) => c.updateMany({}, { $set: { 'y.$[i].b': 2 } }, { arrayFilters: [{ 'i.b': 1 }] }),
      { matchedCount: 2, modifiedCount: 2 },
      [
        { _id: 1, y: [nested[0]?.y[0], { b: 2, c: [{ d: 2 }] }] },
        { _id: 2, y: [{ b: 0 }, { b: 2 }] },
      ],
    ],
    [
      'two filters, one in the other',
      nested,
      (c) =>
        c.updateOne(
          { _id: 1 },
          { $set: { 'y.$[i].c.$[j].d': 0 } },
          { arrayFilters: [{ 'i.b': 3 }, { 'j.d': { $gt: 1 } }] },
        ),
      { modifiedCount: 1 },
      [{ _id: 1, y: [{ b: 3, c: [{ d: 1 }, { d: 0 }] }, nested[0]?.y[1]] }, nested[1]] as Document[],
    ],
    [
      'a filter of several conditions',
      nested,
      (c) =>
        c.updateOne(
          { _id: 2 },
          { $inc: { 'y.$[i].b': 10 } },
          { arrayFilters: [{ $or: [{ 'i.b': 0 }, { 'i.b': { $gt: 5 } }] }] },
        ),
      { modifiedCount: 1 },
      [nested[0], { _id: 2, y: [{ b: 10 }, { b: 1 }] }] as Document[],
    ],
    [
      'filters test what was there before the update',
      scores,
      (c) =>
        c.updateOne(
          {},
          { $set: { 't.$[x].k': 'c' }, $inc: { 't.$[y].n': 1 } },
          { arrayFilters: [{ 'x.k': 'a' }, { 'y.k': 'a' }] },
        ),
      { modifiedCount: 1 },
      [
        {
          ...scores[0],
          t: [
            { k: 'c', n: 2 },
            { k: 'b', n: 1 },
          ],
        },
      ] as Document[],
    ],
    [
      'every element',
      scores,
      (c) => c.updateOne({}, { $inc: { 's.$[]': 5 }, $set: { 't.$[].ok': true } }),
      { modifiedCount: 1 },
      [
        {
          _id: 1,
          s: [45, 85, 100],
          t: [
            { k: 'a', n: 1, ok: true },
            { k: 'b', n: 1, ok: true },
          ],
        },
      ],
    ],
    [
      'the element that matched',
      scores,
      (c) => c.updateOne({ s: { $gt: 50 } }, { $set: { 's.$': 0 } }),
      { modifiedCount: 1 },
      [{ ...scores[0], s: [40, 0, 95] }] as Document[],
    ],
    [
      'the element that matched by $elemMatch, in several operators',
      scores,
      (c) =>
        c.updateOne(
          { t: { $elemMatch: { k: 'b', n: 1 } } },
          { $inc: { 't.$.n': 1 }, $set: { 't.$.m': 1 }, $unset: { 't.$.k': 1 } },
        ),
      { modifiedCount: 1 },
      [
        {
          ...scores[0],
          t: [
            { k: 'a', n: 1 },
            { n: 2, m: 1 },
          ],
        },
      ] as Document[],
    ],
    [
      'the element of each document of many',
      [
        { _id: 1, a: [1, 2] },
        { _id: 2, a: [2, 1] },
      ],
      (c) => c.updateMany({ a: 2 }, { $set: { 'a.$': 9 } }),
      { modifiedCount: 2 },
      [
        { _id: 1, a: [1, 9] },
        { _id: 2, a: [9, 1] },
      ],
    ],
    ['the element, where the filter has none', scores, (c) => c.updateOne({ _id: 1 }, { $set: { 's.$': 0 } }), 2],
    ['every element of what is no array', three, (c) => c.updateOne({}, { $set: { 'x.$[]': 0 } }), 2],
    [
      'an identifier without a filter',
      scores,
      (c) => c.updateOne({}, { $set: { 's.$[i]': 0 } }, { arrayFilters: [] }),
      2,
    ],
    [
      'a filter without use, told with the update',
      scores,
      (c) => c.updateOne({}, { $set: { a: 'b' } }, { arrayFilters: [{ i: 0 }] }),
      { code: 9, message: `The array filter for identifier 'i' was not used in the update { $set: { a: "b" } }` },
    ],
    [
      'a filter with $expr',
      scores,
      (c) => c.updateOne({}, { $set: { 's.$[i]': 0 } }, { arrayFilters: [{ $expr: { $eq: [1, 1] } }] }),
      224,
    ],
    [
      'an upsert through a filter',
      [],
      (c) => c.updateOne({ _id: 1, a: [0, 1] }, { $set: { 'a.$[i]': 9 } }, { arrayFilters: [{ i: 0 }], upsert: true }),
      { upsertedId: 1 },
      [{ _id: 1, a: [9, 1] }],
    ],
  ]);
});

describe('operators, kept to BSON types', () => {
  const cases: [what: string, before: Document, update: Document, after: Document][] = [
    [
      'sums widen: int, long, double, decimal',
      { a: new Int32(1), b: new Int32(2147483647), c: Long.fromInt(1), d: new Int32(1) },
      { $inc: { a: new Int32(1), b: new Int32(1), c: new Double(0.5), d: Decimal128.fromString('0.10') } },
      {
        a: new Int32(2),
        b: Long.fromString('2147483648'),
        c: new Double(1.5),
        d: Decimal128.fromString('1.10'),
      },
    ],
    [
      'products, and those of nothing',
      { a: new Int32(65536), b: Long.fromInt(2) },
      { $mul: { a: new Int32(65536), b: new Int32(3), c: Long.fromInt(5) } },
      { a: Long.fromString('4294967296'), b: Long.fromInt(6), c: Long.ZERO },
    ],
    [
      'least and greatest across types',
      { a: 'x', b: new Int32(1), c: new Date(5), d: null },
      { $min: { a: new Int32(5), b: 'a' }, $max: { c: new Date(9), d: new Int32(0), e: 'new' } },
      { a: new Int32(5), b: new Int32(1), c: new Date(9), d: new Int32(0), e: 'new' },
    ],
    [
      'bits',
      { a: new Int32(13), b: Long.fromInt(4) },
      { $bit: { a: { and: new Int32(10), or: new Int32(1) }, b: { xor: new Int32(5) }, c: { or: Long.ONE } } },
      { a: new Int32(9), b: Long.ONE, c: Long.ONE },
    ],
    [
      'a push with all clauses',
      { a: [{ n: new Int32(2) }, { n: new Int32(5) }] },
      { $push: { a: { $each: [{ n: new Int32(9) }, { n: new Int32(1) }], $sort: { n: -1 }, $slice: 3 } } },
      { a: [{ n: new Int32(9) }, { n: new Int32(5) }, { n: new Int32(2) }] },
    ],
    [
      'a push at a place',
      { a: ['a', 'd'] },
      { $push: { a: { $each: ['b', 'c'], $position: new Int32(1) } } },
      { a: ['a', 'b', 'c', 'd'] },
    ],
    [
      'pulls',
      {
        a: [new Int32(1), new Int32(5), new Int32(9)],
        b: [
          { x: 'a', y: ['p'] },
          { x: 'b', y: [] },
        ],
        c: ['p', 'q', 'r'],
      },
      { $pull: { a: { $gte: new Int32(5) }, b: { x: { $in: ['a'] }, y: 'p' } }, $pullAll: { c: ['p', 'r'] } },
      { a: [new Int32(1)], b: [{ x: 'b', y: [] }], c: ['q'] },
    ],
    [
      'sets and pops',
      { a: ['x'], b: ['p', 'q'], c: ['p', 'q'] },
      { $addToSet: { a: { $each: ['x', 'y', 'y'] }, d: 'z' }, $pop: { b: new Int32(1), c: new Int32(-1) } },
      { a: ['x', 'y'], b: ['p'], c: ['q'], d: ['z'] },
    ],
    [
      'renames, also into another document',
      { a: 'x', b: { c: 'y' } },
      { $rename: { a: 'z', 'b.c': 'd.e' } },
      { b: {}, d: { e: 'y' }, z: 'x' },
    ],
    ['an element unset stays as null', { a: ['x', 'y'] }, { $unset: { 'a.0': '' } }, { a: [null, 'y'] }],
    ['an element set beyond the end', { a: ['x'] }, { $set: { 'a.2': 'z' } }, { a: ['x', null, 'z'] }],
  ];
  test.each(cases)('%s', async (_what, before, update, after) => {
    const records = await recordsOf([{ _id: 1, ...before }]);
    await records.updateOne({ _id: 1 }, update);
    const typed = { promoteValues: false } as const;
    expect(await records.findOne({ _id: 1 }, typed)).toEqual({ _id: new Int32(1), ...after });
  });

  table([
    [
      'a sum beyond 64 bits',
      [{ _id: 1, n: Long.MAX_VALUE }],
      (c) => c.updateOne({}, { $inc: { n: 1 } }),
      2,
      [{ _id: 1, n: Long.MAX_VALUE }],
    ],
    [
      'the date and the time',
      [],
      async (c) => {
        await c.insertOne({ _id: 1 });
        await c.updateOne({}, { $currentDate: { a: true, b: { $type: 'date' }, c: { $type: 'timestamp' } } as never });
        const record = await c.findOneAndDelete({});
        return { kinds: [record?.a, record?.b, record?.c].map((value) => value?.constructor.name) };
      },
      { kinds: ['Date', 'Date', 'Timestamp'] },
    ],
  ]);
});

describe('replacements', () => {
  table([
    [
      'all but the _id',
      three,
      (c) => c.replaceOne({ x: 11 }, { y: 1 }),
      { matchedCount: 1, modifiedCount: 1 },
      [{ _id: 1, y: 1 }, three[1], three[2]] as Document[],
    ],
    ['another _id', three, (c) => c.replaceOne({ _id: 1 }, { _id: 9 }), 66],
    [
      'an upsert takes the _id of the filter and nothing else',
      [],
      (c) => c.replaceOne({ _id: 4, x: 1 }, { y: 1 }, { upsert: true }),
      { upsertedId: 4 },
      [{ _id: 4, y: 1 }],
    ],
    [
      'names with dots and, inside, dollars',
      three,
      (c) => c.replaceOne({ _id: 1 }, { 'a.b': 1, c: { $d: 1, 'e.f': 1 } }),
      { modifiedCount: 1 },
      [{ _id: 1, 'a.b': 1, c: { $d: 1, 'e.f': 1 } }, three[1], three[2]] as Document[],
    ],
    ['a name that begins with a dollar', three, (c) => c.replaceOne({ _id: 1 }, { a: 1, $b: 1 }), 52],
    [
      'a name that begins with a dollar, as an upsert',
      [],
      (c) => c.replaceOne({ _id: 1 }, { a: 1, $b: 1 }, { upsert: true }),
      { upsertedId: 1 },
      [{ _id: 1, a: 1, $b: 1 }],
    ],
    [
      'many',
      three,
      (c) => command(c, 'update', { updates: [{ q: {}, u: { a: 1 }, multi: true }] }),
      {
        writeErrors: [{ index: 0, code: 9 }],
      },
    ],
  ]);
});

function command(records: Records, name: string, rest: Document): Promise<Document> {
  return shared.client.db('writes').command({ [name]: records.collectionName, ...rest });
}

describe('deletes', () => {
  table([
    [
      'the first match',
      three,
      (c) => c.deleteOne({ x: { $gt: 11 } }),
      { deletedCount: 1 },
      [three[0], three[2]] as Document[],
    ],
    ['all matches', three, (c) => c.deleteMany({ x: { $gt: 11 } }), { deletedCount: 2 }, [three[0]] as Document[]],
    ['none', three, (c) => c.deleteMany({ x: 1 }), { deletedCount: 0 }],
    [
      'by a hint',
      three,
      async (c) => {
        await c.createIndex({ x: 1 });
        return c.deleteOne({ x: 22 }, { hint: { x: 1 } });
      },
      { deletedCount: 1 },
      [three[0], three[2]] as Document[],
    ],
    ['by a hint of no index', three, (c) => c.deleteOne({ _id: 1 }, { hint: 'no_1' }), 2],
    ['with a comment', three, (c) => c.deleteOne({ _id: 9 }, { comment: 'why' }), { deletedCount: 0 }],
    ['with a collation', three, (c) => c.deleteMany({}, { collation: { locale: 'de' } }), 238],
    [
      'with a limit of two',
      three,
      (c) => command(c, 'delete', { deletes: [{ q: {}, limit: 2 }] }),
      {
        writeErrors: [{ index: 0, code: 9 }],
      },
    ],
    [
      'without a limit',
      three,
      (c) => command(c, 'delete', { deletes: [{ q: {} }] }),
      { writeErrors: [{ code: 40414 }] },
    ],
  ]);
});

describe('bulk writes', () => {
  const mixed = [
    { insertOne: { document: { _id: 4, x: 44 } } },
    { updateOne: { filter: { _id: 1 }, update: { $set: { x: 0 } } } },
    { updateMany: { filter: { _id: { $gt: 1 } }, update: { $inc: { x: 1 } } } },
    { replaceOne: { filter: { _id: 2 }, replacement: { y: 1 } } },
    { updateOne: { filter: { _id: 5 }, update: { $set: { x: 55 } }, upsert: true } },
    { replaceOne: { filter: { _id: 6 }, replacement: { x: 66 }, upsert: true } },
    { deleteOne: { filter: { _id: 3 } } },
    { deleteMany: { filter: { x: 0 } } },
  ];
  const mixedAnswer = {
    insertedCount: 1,
    insertedIds: { 0: 4 },
    matchedCount: 5,
    modifiedCount: 5,
    upsertedCount: 2,
    upsertedIds: { 4: 5, 5: 6 },
    deletedCount: 2,
  };
  const mixedAfter = [
    { _id: 2, y: 1 },
    { _id: 4, x: 45 },
    { _id: 5, x: 55 },
    { _id: 6, x: 66 },
  ];
  const failing = [
    { insertOne: { document: { _id: 4 } } },
    { insertOne: { document: { _id: 1 } } },
    { updateOne: { filter: { _id: 1 }, update: { $set: { y: 1 } } } },
    { updateOne: { filter: { _id: 2 }, update: { $inc: { _id: 1 } } } },
    { deleteOne: { filter: { _id: 3 } } },
  ];
  table([
    ['of every kind, in order', three, (c) => c.bulkWrite(mixed as never), mixedAnswer, mixedAfter],
    [
      'in order, up to the first error',
      three,
      (c) => c.bulkWrite(failing as never).catch(resultOf),
      { inserted: 1, modified: 0, deleted: 0, errors: [[1, 11000]] },
      [...three, { _id: 4 }],
    ],
    [
      'in no order, all but those in error',
      three,
      (c) => c.bulkWrite(failing as never, { ordered: false }).catch(resultOf),
      {
        inserted: 1,
        modified: 1,
        deleted: 1,
        errors: [
          [1, 11000],
          [3, 66],
        ],
      },
      [{ _id: 1, x: 11, y: 1 }, three[1], { _id: 4 }] as Document[],
    ],
    [
      'with array filters, hints and pipelines',
      [{ _id: 1, a: [1, 2] }],
      (c) =>
        c.bulkWrite([
          { updateOne: { filter: { _id: 1 }, update: { $set: { 'a.$[i]': 0 } }, arrayFilters: [{ i: 1 }] } },
          { updateMany: { filter: {}, update: { $inc: { 'a.$[i]': 1 } }, arrayFilters: [{ i: { $gt: 0 } }] } },
          { updateOne: { filter: { _id: 1 }, update: { $set: { b: 1 } }, hint: '_id_' } },
          { updateOne: { filter: { _id: 1 }, update: [{ $set: { n: { $size: '$a' } } }] } },
          { deleteOne: { filter: { _id: 2 }, hint: { _id: 1 } } },
        ]),
      { matchedCount: 4, modifiedCount: 4, deletedCount: 0 },
      [{ _id: 1, a: [0, 3], b: 1, n: 2 }],
    ],
    [
      'of a thousand at once',
      [],
      async (c) => {
        const operations = Array.from({ length: 500 }, (_, at) => [
          { insertOne: { document: { _id: at } } },
          { updateOne: { filter: { _id: at }, update: { $set: { n: at } } } },
        ]).flat();
        const { insertedCount, modifiedCount } = await c.bulkWrite(operations as never, { ordered: false });
        return { insertedCount, modifiedCount, left: (await c.deleteMany({ n: { $gte: 0 } })).deletedCount };
      },
      { insertedCount: 500, modifiedCount: 500, left: 500 },
    ],
  ]);
});

function resultOf(error: unknown): Document {
  if (!(error instanceof MongoBulkWriteError)) throw error;
  const { insertedCount, modifiedCount, deletedCount, writeErrors } = error;
  const errors = [writeErrors].flat().map(({ index, code }) => [index, code]);
  return { inserted: insertedCount, modified: modifiedCount, deleted: deletedCount, errors };
}

describe('find and modify', () => {
  const whole = { includeResultMetadata: true } as const;
  table([
    [
      'the document before, and after',
      three,
      async (c) => [
        await c.findOneAndUpdate({ _id: 1 }, { $inc: { x: 1 } }),
        await c.findOneAndUpdate({ _id: 1 }, { $inc: { x: 1 } }, { returnDocument: 'after' }),
      ],
      [
        { _id: 1, x: 11 },
        { _id: 1, x: 13 },
      ],
      [{ _id: 1, x: 13 }, three[1], three[2]] as Document[],
    ],
    [
      'sorted and projected',
      three,
      (c) => c.findOneAndUpdate({}, { $set: { y: 1 } }, { sort: { x: -1 }, projection: { _id: 0, x: 1 } }),
      { x: 33 },
      [three[0], three[1], { _id: 3, x: 33, y: 1 }] as Document[],
    ],
    ['none', three, (c) => c.findOneAndUpdate({ _id: 9 }, { $set: { y: 1 } }), null],
    [
      'what it tells of an update',
      three,
      (c) => c.findOneAndUpdate({ _id: 1 }, { $set: { x: 1 } }, whole),
      { lastErrorObject: { n: 1, updatedExisting: true }, value: { _id: 1, x: 11 }, ok: 1 },
      [{ _id: 1, x: 1 }, three[1], three[2]] as Document[],
    ],
    [
      'what it tells of none',
      three,
      (c) => c.findOneAndUpdate({ _id: 9 }, { $set: { x: 1 } }, whole),
      { lastErrorObject: { n: 0, updatedExisting: false }, value: null },
    ],
    [
      'what it tells of an upsert',
      [],
      (c) => c.findOneAndUpdate({ _id: 9 }, { $set: { x: 1 } }, { ...whole, upsert: true }),
      { lastErrorObject: { n: 1, updatedExisting: false, upserted: 9 }, value: null },
      [{ _id: 9, x: 1 }],
    ],
    [
      'an upsert, and what it made',
      [],
      (c) => c.findOneAndReplace({ _id: 9, a: 1 }, { x: 1 }, { upsert: true, returnDocument: 'after' }),
      { _id: 9, x: 1 },
      [{ _id: 9, x: 1 }],
    ],
    [
      'a replacement',
      three,
      (c) => c.findOneAndReplace({ x: 22 }, { y: 1 }, { returnDocument: 'after', projection: { _id: 0 } }),
      { y: 1 },
      [three[0], { _id: 2, y: 1 }, three[2]] as Document[],
    ],
    [
      'a removal',
      three,
      (c) => c.findOneAndDelete({ x: { $gt: 11 } }, { sort: { x: -1 }, projection: { x: 1, _id: 0 } }),
      { x: 33 },
      [three[0], three[1]] as Document[],
    ],
    [
      'what it tells of a removal',
      three,
      (c) => c.findOneAndDelete({ _id: 1 }, whole),
      { lastErrorObject: { n: 1 }, value: three[0] },
      [three[1], three[2]] as Document[],
    ],
    [
      'a removal of none',
      three,
      (c) => c.findOneAndDelete({ _id: 9 }, whole),
      { lastErrorObject: { n: 0 }, value: null },
    ],
    [
      'with array filters',
      [{ _id: 1, a: [1, 2] }],
      (c) => c.findOneAndUpdate({}, { $set: { 'a.$[i]': 0 } }, { arrayFilters: [{ i: 2 }], returnDocument: 'after' }),
      { _id: 1, a: [1, 0] },
      [{ _id: 1, a: [1, 0] }],
    ],
    [
      'the element that matched, changed and shown',
      [{ _id: 1, a: [{ k: 1 }, { k: 2 }] }],
      (c) => c.findOneAndUpdate({ 'a.k': 2 }, { $set: { 'a.$.n': 1 } }, { projection: { 'a.$': 1 } }),
      { _id: 1, a: [{ k: 2 }] },
      [{ _id: 1, a: [{ k: 1 }, { k: 2, n: 1 }] }],
    ],
    [
      'by a hint',
      three,
      (c) => c.findOneAndUpdate({ _id: 1 }, { $set: { x: 11 } }, { hint: { _id: 1 }, comment: 'why' }),
      { _id: 1, x: 11 },
    ],
    ['by a hint of no index', three, (c) => c.findOneAndDelete({ _id: 1 }, { hint: { no: 1 } }), 2],
    ['with a collation', three, (c) => c.findOneAndDelete({}, { collation: { locale: 'de' } }), 238],
    [
      'another _id',
      three,
      (c) => c.findOneAndUpdate({ _id: 1 }, { $set: { _id: 2 } }),
      {
        code: 66,
        message:
          "Plan executor error during findAndModify :: caused by :: Performing an update on the path '_id' would modify the immutable field '_id'",
      },
    ],
    ['neither an update nor a removal', three, (c) => command(c, 'findAndModify', { query: {} }), 9],
    ['an update and a removal', three, (c) => command(c, 'findAndModify', { update: { a: 1 }, remove: true }), 9],
    ['a removal and an upsert', three, (c) => command(c, 'findAndModify', { upsert: true, remove: true }), 9],
    ['a removal and what comes after it', three, (c) => command(c, 'findAndModify', { new: true, remove: true }), 9],
    ['a removal and array filters', three, (c) => command(c, 'findAndModify', { arrayFilters: [], remove: true }), 9],
  ]);
});

describe('pipelines', () => {
  const people = [
    { _id: 1, x: 1, y: 1, t: { u: { v: 1 } } },
    { _id: 2, x: 2, y: 1 },
  ];
  table([
    [
      'of one document',
      people,
      (c) => c.updateOne({ _id: 1 }, [{ $replaceWith: '$t' }, { $set: { foo: 1 } }]),
      { modifiedCount: 1 },
      [{ _id: 1, u: { v: 1 }, foo: 1 }, people[1]] as Document[],
    ],
    [
      'of many',
      people,
      (c) => c.updateMany({}, [{ $project: { x: 1 } }, { $addFields: { double: { $multiply: ['$x', 2] } } }]),
      { matchedCount: 2, modifiedCount: 2 },
      [
        { _id: 1, x: 1, double: 2 },
        { _id: 2, x: 2, double: 4 },
      ],
    ],
    [
      'of one that is found',
      people,
      (c) => c.findOneAndUpdate({ _id: 2 }, [{ $unset: ['y'] }], { returnDocument: 'after' }),
      { _id: 2, x: 2 },
      [people[0], { _id: 2, x: 2 }] as Document[],
    ],
    [
      'of an upsert, over the fields of its filter',
      [],
      (c) => c.updateOne({ _id: 1, a: 2 }, [{ $set: { b: { $add: ['$a', 1] } } }], { upsert: true }),
      { upsertedId: 1 },
      [{ _id: 1, a: 2, b: 3 }],
    ],
    [
      'with constants',
      people,
      (c) => command(c, 'update', { updates: [{ q: { _id: 2 }, u: [{ $set: { x: '$$five' } }], c: { five: 5 } }] }),
      { n: 1, nModified: 1 },
      [people[0], { _id: 2, x: 5, y: 1 }] as Document[],
    ],
    [
      'with the variables of the command',
      people,
      (c) => c.updateOne({ _id: 2 }, [{ $set: { x: '$$five' } }], { let: { five: 5 } }),
      { modifiedCount: 1 },
      [people[0], { _id: 2, x: 5, y: 1 }] as Document[],
    ],
    ['without effect', people, (c) => c.updateMany({}, [{ $set: { x: '$x' } }]), { matchedCount: 2, modifiedCount: 0 }],
    ['that change the _id', people, (c) => c.updateOne({ _id: 1 }, [{ $set: { _id: 5 } }]), 66],
    ['with other stages', people, (c) => c.updateOne({ _id: 1 }, [{ $sort: { a: 1 } }]), 72],
    ['with array filters', people, (c) => c.updateOne({}, [{ $set: { a: 1 } }], { arrayFilters: [{ i: 1 }] }), 9],
    [
      'constants without a pipeline',
      people,
      (c) => command(c, 'update', { updates: [{ q: {}, u: { $set: { x: 1 } }, c: { five: 5 } }] }),
      { writeErrors: [{ code: 51198 }] },
    ],
  ]);
});

describe('unacknowledged writes', () => {
  const unacknowledged = { writeConcern: { w: 0 } } as const;
  table([
    [
      'are done, in their order',
      three,
      async (c) => {
        const answers = [
          await c.insertOne({ _id: 4 }, unacknowledged),
          await c.updateOne({ _id: 1 }, { $set: { x: 0 } }, unacknowledged),
          await c.deleteOne({ _id: 2 }, unacknowledged),
        ];
        return { acknowledged: answers.map((answer) => answer.acknowledged) };
      },
      { acknowledged: [false, false, false] },
      [{ _id: 1, x: 0 }, three[2], { _id: 4 }] as Document[],
    ],
  ]);
});

describe('write concerns that one server can not serve', () => {
  table([
    [
      'a mode of a replica set',
      three,
      (c) => c.insertOne({ _id: 4 }, { writeConcern: { w: 'everywhere' as never } }),
      2,
    ],
  ]);
});

describe('variables and expressions in filters', () => {
  const bySix = { $expr: { $eq: ['$_id', '$$six'] } };
  const six = { let: { six: 6 } };
  const before = [{ _id: 5 }, { _id: 6 }, { _id: 7 }];
  table([
    [
      'updateOne',
      before,
      (c) => c.updateOne(bySix, { $set: { x: 1 } }, six),
      { modifiedCount: 1 },
      [{ _id: 5 }, { _id: 6, x: 1 }, { _id: 7 }],
    ],
    [
      'updateMany',
      before,
      (c) => c.updateMany({ $expr: { $gte: ['$_id', '$$six'] } }, { $set: { x: 1 } }, six),
      { modifiedCount: 2 },
      [{ _id: 5 }, { _id: 6, x: 1 }, { _id: 7, x: 1 }],
    ],
    [
      'replaceOne',
      before,
      (c) => c.replaceOne(bySix, { x: 1 }, six),
      { modifiedCount: 1 },
      [{ _id: 5 }, { _id: 6, x: 1 }, { _id: 7 }],
    ],
    ['deleteOne', before, (c) => c.deleteOne(bySix, six), { deletedCount: 1 }, [{ _id: 5 }, { _id: 7 }]],
    [
      'deleteMany',
      before,
      (c) => c.deleteMany({ $expr: { $ne: ['$_id', '$$six'] } }, six),
      { deletedCount: 2 },
      [{ _id: 6 }],
    ],
    ['findOneAndDelete', before, (c) => c.findOneAndDelete(bySix, six), { _id: 6 }, [{ _id: 5 }, { _id: 7 }]],
    [
      'findOneAndUpdate, with a pipeline',
      before,
      (c) => c.findOneAndUpdate(bySix, [{ $set: { x: { $add: ['$$six', 1] } } }], { ...six, returnDocument: 'after' }),
      { _id: 6, x: 7 },
      [{ _id: 5 }, { _id: 6, x: 7 }, { _id: 7 }],
    ],
    [
      'bulkWrite',
      before,
      (c) =>
        c.bulkWrite(
          [{ updateOne: { filter: bySix, update: { $set: { x: 1 } } } }, { deleteOne: { filter: bySix } }],
          six,
        ),
      { modifiedCount: 1, deletedCount: 1 },
      [{ _id: 5 }, { _id: 7 }],
    ],
    [
      'variables that are computed from constants',
      before,
      (c) =>
        c.updateOne(bySix, [{ $set: { x: '$$text' } }], {
          let: { six: { $add: [4, 2] }, text: { $literal: '$_id' } },
        }),
      { modifiedCount: 1 },
      [{ _id: 5 }, { _id: 6, x: '$_id' }, { _id: 7 }],
    ],
    ['a variable that is not there', before, (c) => c.deleteOne(bySix), 17276],
  ]);
});
