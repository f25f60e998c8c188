import type { Document } from 'mongodb';
import { describe } from 'vitest';
import { shareWritesFixture } from './test-writes.ts';

const { table, command } = shareWritesFixture();

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
      'of findOneAndUpdate',
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
