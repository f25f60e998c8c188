import { sharedStore, type TestDatabases } from '@chorus/testing';
import { type Collection, MongoClient } from 'mongodb';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { joinInserts, joinUpdates } from './joined-writes.ts';

interface Counter {
  _id: string;
  count?: number;
}

let store: TestDatabases;
let client: MongoClient;
let counters: Collection<Counter>;
const commands: string[] = [];

beforeAll(async () => {
  store = await sharedStore();
  client = await MongoClient.connect(store.uri, { monitorCommands: true });
  client.on('commandStarted', ({ commandName }) => commands.push(commandName));
  counters = client.db().collection('joined-writes');
});
beforeEach(async () => {
  await counters.deleteMany({});
  commands.length = 0;
});
afterAll(async () => {
  await client?.close();
  await store?.stop();
});

it('inserts documents of one turn together, and reports existing ids', async () => {
  const insert = joinInserts(counters);
  expect(await Promise.all(['a', 'b', 'a'].map((_id) => insert({ _id })))).toEqual([true, true, false]);
  expect(await insert({ _id: 'b' })).toBe(false);
  expect(commands).toEqual(['insert', 'insert']);
  expect(await counters.countDocuments()).toBe(2);
});

it('fails only the insert that the store refuses', async () => {
  const insert = joinInserts(counters);
  await insert({ _id: 'c' });
  const refused = { _id: ['x'] } as unknown as Counter;
  const all = [insert({ _id: 'a' }), insert(refused), insert({ _id: 'b' }), insert({ _id: 'c' })];
  expect(await Promise.allSettled(all)).toMatchObject([
    { value: true },
    { status: 'rejected', reason: { code: expect.any(Number) } },
    { value: true },
    { value: false },
  ]);
});

it('updates documents of one turn together', async () => {
  const update = joinUpdates(counters);
  await counters.insertMany([{ _id: 'a', count: 1 }, { _id: 'b' }, { _id: 'c', count: 5 }]);
  commands.length = 0;
  await Promise.all([
    update({ _id: 'a', count: 1 }, { $set: { count: 2 } }),
    update({ _id: 'b', count: 7 }, { $set: { count: 8 } }),
    update({ _id: 'c' }, { $inc: { count: 1 } }),
  ]);
  expect(commands).toEqual(['update']);
  expect(await counters.find().sort({ _id: 1 }).toArray()).toEqual([
    { _id: 'a', count: 2 },
    { _id: 'b' },
    { _id: 'c', count: 6 },
  ]);
});

it('fails only the update that the store refuses', async () => {
  const update = joinUpdates(counters);
  await counters.insertMany([{ _id: 'a' }, { _id: 'b', count: 1 }]);
  const both = [update({ _id: 'a' }, { $set: { _id: 'z' } }), update({ _id: 'b' }, { $set: { count: 2 } })];
  expect((await Promise.allSettled(both)).map(({ status }) => status)).toEqual(['rejected', 'fulfilled']);
  expect(await counters.findOne({ _id: 'b' })).toEqual({ _id: 'b', count: 2 });
});
