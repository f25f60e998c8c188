import { type Document, Double, EJSON, Long } from 'bson';
import type { Collection } from 'mongodb';
import { expect, test } from 'vitest';
import { openTestStore } from '../test-store.ts';

/** Returns repeatable random numbers. */
function generator(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

function randomDocument(random: (below: number) => number, _id: number): Document {
  const keys = [1, new Double(1), Long.fromNumber(2), 2, 'x', null, undefined, true, new Date(5)];
  const document: Document = { _id, n: random(100) - 50, v: random(2) ? random(40) / 4 : random(20) };
  const key = keys[random(keys.length)];
  if (key !== undefined) document.k = key;
  return document;
}

const plain = (documents: Document[]) =>
  documents.map((document) => EJSON.stringify(document, { relaxed: true })).sort();

test.each([1, 2, 3])('groups, matches, and sorts like a naive implementation, seed %i', async (seed) => {
  const random = generator(seed);
  const { client } = await openTestStore();
  const collection: Collection<Document> = client.db('app').collection('docs');
  const documents = Array.from({ length: 400 }, (_, n) => randomDocument(random, n));
  await collection.insertMany(documents);
  await collection.createIndex({ n: 1, v: -1 });

  for (let round = 0; round < 10; round += 1) {
    const [low, limit] = [random(100) - 50, 1 + random(60)];
    const filter = { n: { $gte: low } };
    const matching = documents.filter(({ n }) => n >= low);
    const sort = { n: 1, v: -1, _id: 1 };
    const wanted = [...matching].sort((a, b) => a.n - b.n || b.v - a.v || a._id - b._id).slice(0, limit);
    // A stage without effect hides the following stages from the planner.
    for (const start of [[], [{ $set: { n: '$n' } }]]) {
      const pipeline = [...start, { $match: filter }, { $sort: sort }, { $limit: limit }, { $project: { _id: 1 } }];
      expect(await collection.aggregate(pipeline).toArray()).toEqual(wanted.map(({ _id }) => ({ _id })));
      const group = { $group: { _id: '$k', n: { $sum: 1 }, sum: { $sum: '$v' }, max: { $max: '$n' } } };
      expect(plain(await collection.aggregate([...start, { $match: filter }, group]).toArray())).toEqual(
        plain(groupByHand(matching)),
      );
    }
  }
});

function groupByHand(documents: Document[]): Document[] {
  const groups = new Map<string, { _id: unknown; n: number; sum: number; max: number }>();
  for (const { k = null, v, n } of documents) {
    const key = k === null || typeof k !== 'object' || k instanceof Date ? String(k) + typeof k : `${Number(k)}number`;
    const group = groups.get(key) ?? { _id: k, n: 0, sum: 0, max: n };
    groups.set(key, { ...group, n: group.n + 1, sum: group.sum + v, max: Math.max(group.max, n) });
  }
  return [...groups.values()].map((group) => ({ ...group, _id: EJSON.parse(EJSON.stringify(group._id)) }));
}
