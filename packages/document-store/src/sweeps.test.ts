import { expect, test } from 'vitest';
import { openTestStore } from './test-store.ts';

test('removes only expired documents', async () => {
  const { client } = await openTestStore({ ttlIntervalMs: 20 });
  const collection = client.db('ttl').collection<{ _id: string; at?: unknown; until?: Date }>('tokens');
  await collection.createIndex({ at: 1 }, { expireAfterSeconds: 3600 });
  await collection.createIndex({ until: -1 }, { expireAfterSeconds: 0 });
  const hours = (count: number) => new Date(Date.now() - count * 3_600_000);
  await collection.insertMany([
    { _id: 'old', at: hours(2) },
    { _id: 'new', at: hours(0.5) },
    { _id: 'oldest of several', at: [hours(0), hours(3)] },
    { _id: 'no date', at: 5 },
    { _id: 'none' },
    { _id: 'over', until: hours(0.001) },
    { _id: 'not yet over', until: hours(-1) },
  ]);
  await expect.poll(() => collection.countDocuments()).toBe(4);
  expect((await collection.distinct('_id')).sort()).toEqual(['new', 'no date', 'none', 'not yet over']);
  await collection.dropIndex('at_1');
  await collection.createIndex({ at: 1 }, { expireAfterSeconds: 60 });
  await expect.poll(() => collection.findOne({ _id: 'new' })).toBeNull();
});
