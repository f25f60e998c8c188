import type { Document } from 'mongodb';
import { describe } from 'vitest';
import { type Records, shareWritesFixture, three } from './test-writes.ts';

const { table } = shareWritesFixture();

function upsert(records: Records, filter: Document): Promise<unknown> {
  return records.updateOne(filter, { $set: { z: 1 } }, { upsert: true });
}

describe('updates', () => {
  table([
    [
      'only the first match',
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
      'modified documents are counted separately',
      three,
      (c) => c.updateMany({}, { $max: { x: 22 } }),
      { matchedCount: 3, modifiedCount: 1 },
      [{ _id: 1, x: 22 }, three[1], three[2]] as Document[],
    ],
    [
      'an update without effect is no modification',
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
      'a multi upsert inserts one document',
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
      'an upsert with fields from its filter',
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
    ['an upsert with a contradictory filter', [], (c) => upsert(c, { a: 1, $and: [{ a: 2 }] }), 54],
    ['an upsert with a filter on a field and its subfield', [], (c) => upsert(c, { a: { b: 1 }, 'a.b': 1 }), 54],
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
      'an upsert with a name that starts with a dollar sign',
      [],
      (c) => c.updateOne({ _id: 1 }, { $set: { $hotel: 1 } }, { upsert: true }),
      { upsertedId: 1 },
      [{ _id: 1, $hotel: 1 }],
    ],
    ['a name that starts with a dollar sign', three, (c) => c.updateOne({ _id: 1 }, { $set: { $hotel: 1 } }), 52],
    [
      'a nested name that starts with a dollar sign',
      three,
      (c) => c.updateOne({ _id: 1 }, { $set: { a: { $b: 1 }, 'c.$d': 2 } }),
      { modifiedCount: 1 },
      [{ _id: 1, x: 11, a: { $b: 1 }, c: { $d: 2 } }, three[1], three[2]] as Document[],
    ],
    ['another _id', three, (c) => c.updateOne({ _id: 1 }, { $set: { _id: 9 } }), 66],
    ['the same _id', three, (c) => c.updateOne({ _id: 1 }, { $set: { _id: 1 } }), { modifiedCount: 0 }],
    ['two operators on one path', three, (c) => c.updateOne({}, { $set: { a: 1 }, $inc: { a: 1 } }), 40],
    [
      'operators on a path and a path below it',
      three,
      (c) => c.updateOne({}, { $set: { a: 1 }, $unset: { 'a.b': 1 } }),
      40,
    ],
    ['a path through a scalar', three, (c) => c.updateOne({ _id: 1 }, { $set: { 'x.y': 1 } }), 28],
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
    ['an unknown hint', three, (c) => c.updateOne({}, { $set: { y: 1 } }, { hint: 'no_1' }), 2],
    [
      'a comment',
      three,
      (c) => c.updateOne({ _id: 9 }, { $set: { y: 1 } }, { comment: { a: 'why' } }),
      { matchedCount: 0 },
    ],
    [
      'bypassed validation',
      three,
      (c) => c.updateOne({ _id: 9 }, { $set: { y: 1 } }, { bypassDocumentValidation: true }),
      { matchedCount: 0 },
    ],
    [
      'a sort, which MongoDB 8 introduced',
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
      'the simple collation',
      three,
      (c) => c.updateOne({ _id: 9 }, { $set: { y: 1 } }, { collation: { locale: 'simple' } }),
      { matchedCount: 0 },
    ],
    [
      'through an index in which the update moves documents',
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
      'a unique index stops a multi update, which keeps earlier changes',
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
