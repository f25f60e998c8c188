import { Decimal128, type Document, Double, Int32, Long } from 'mongodb';
import { describe, expect, test } from 'vitest';
import { shareWritesFixture } from './test-writes.ts';

const { recordsOf, table } = shareWritesFixture();

describe('operators that preserve BSON types', () => {
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
      'products, also of missing fields',
      { a: new Int32(65536), b: Long.fromInt(2) },
      { $mul: { a: new Int32(65536), b: new Int32(3), c: Long.fromInt(5) } },
      { a: Long.fromString('4294967296'), b: Long.fromInt(6), c: Long.ZERO },
    ],
    [
      'minimum and maximum across types',
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
      'a push at a position',
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
    ['unsetting an element leaves null', { a: ['x', 'y'] }, { $unset: { 'a.0': '' } }, { a: [null, 'y'] }],
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
