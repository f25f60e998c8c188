import type { Document } from 'mongodb';
import { describe } from 'vitest';
import { shareWritesFixture, three } from './test-writes.ts';

const { table } = shareWritesFixture();

describe('unacknowledged writes', () => {
  const unacknowledged = { writeConcern: { w: 0 } } as const;
  table([
    [
      'are performed in order',
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

describe('write concerns that a single server cannot support', () => {
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
    ['an undefined variable', before, (c) => c.deleteOne(bySix), 17276],
  ]);
});
