import { type Document, MongoBulkWriteError } from 'mongodb';
import { describe } from 'vitest';
import { shareWritesFixture, three } from './test-writes.ts';

const { table } = shareWritesFixture();

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
      'unordered, all but the failing ones',
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
