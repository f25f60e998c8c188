import type { Document } from 'mongodb';
import { describe } from 'vitest';
import { shareWritesFixture, three } from './test-writes.ts';

const { table, command } = shareWritesFixture();

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
      'the reply to an update',
      three,
      (c) => c.findOneAndUpdate({ _id: 1 }, { $set: { x: 1 } }, whole),
      { lastErrorObject: { n: 1, updatedExisting: true }, value: { _id: 1, x: 11 }, ok: 1 },
      [{ _id: 1, x: 1 }, three[1], three[2]] as Document[],
    ],
    [
      'the reply without a match',
      three,
      (c) => c.findOneAndUpdate({ _id: 9 }, { $set: { x: 1 } }, whole),
      { lastErrorObject: { n: 0, updatedExisting: false }, value: null },
    ],
    [
      'the reply to an upsert',
      [],
      (c) => c.findOneAndUpdate({ _id: 9 }, { $set: { x: 1 } }, { ...whole, upsert: true }),
      { lastErrorObject: { n: 1, updatedExisting: false, upserted: 9 }, value: null },
      [{ _id: 9, x: 1 }],
    ],
    [
      'an upsert, and the new document',
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
      'the reply to a removal',
      three,
      (c) => c.findOneAndDelete({ _id: 1 }, whole),
      { lastErrorObject: { n: 1 }, value: three[0] },
      [three[1], three[2]] as Document[],
    ],
    [
      'a removal without a match',
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
      'the element that matched, changed and returned',
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
    ['by an unknown hint', three, (c) => c.findOneAndDelete({ _id: 1 }, { hint: { no: 1 } }), 2],
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
    [
      'a removal that should return the new document',
      three,
      (c) => command(c, 'findAndModify', { new: true, remove: true }),
      9,
    ],
    ['a removal and array filters', three, (c) => command(c, 'findAndModify', { arrayFilters: [], remove: true }), 9],
  ]);
});
