import type { Document } from 'mongodb';
import { describe } from 'vitest';
import { shareWritesFixture, three } from './test-writes.ts';

const { table } = shareWritesFixture();

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
      'two filters, one inside the other',
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
      'a filter with several conditions',
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
      'filters that test the state before the update',
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
    ['the element, without one in the filter', scores, (c) => c.updateOne({ _id: 1 }, { $set: { 's.$': 0 } }), 2],
    ['every element of a value that is not an array', three, (c) => c.updateOne({}, { $set: { 'x.$[]': 0 } }), 2],
    [
      'an identifier without a filter',
      scores,
      (c) => c.updateOne({}, { $set: { 's.$[i]': 0 } }, { arrayFilters: [] }),
      2,
    ],
    [
      'an unused filter, reported with the update',
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
