import type { Document } from 'mongodb';
import { describe } from 'vitest';
import { shareWritesFixture, three } from './test-writes.ts';

const { table, command } = shareWritesFixture();

describe('replacements', () => {
  table([
    [
      'keeps the _id',
      three,
      (c) => c.replaceOne({ x: 11 }, { y: 1 }),
      { matchedCount: 1, modifiedCount: 1 },
      [{ _id: 1, y: 1 }, three[1], three[2]] as Document[],
    ],
    ['another _id', three, (c) => c.replaceOne({ _id: 1 }, { _id: 9 }), 66],
    [
      'an upsert takes only the _id of the filter',
      [],
      (c) => c.replaceOne({ _id: 4, x: 1 }, { y: 1 }, { upsert: true }),
      { upsertedId: 4 },
      [{ _id: 4, y: 1 }],
    ],
    [
      'names with dots and nested dollar signs',
      three,
      (c) => c.replaceOne({ _id: 1 }, { 'a.b': 1, c: { $d: 1, 'e.f': 1 } }),
      { modifiedCount: 1 },
      [{ _id: 1, 'a.b': 1, c: { $d: 1, 'e.f': 1 } }, three[1], three[2]] as Document[],
    ],
    ['a name that starts with a dollar sign', three, (c) => c.replaceOne({ _id: 1 }, { a: 1, $b: 1 }), 52],
    [
      'a name that starts with a dollar sign, in an upsert',
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
