import { dayAfter, firstIdAt, newId, type Owner } from '@chorus/contract';
import { createLogger } from '@chorus/runtime/log';
import { sharedStore, type TestDatabases } from '@chorus/testing';
import { MongoClient } from 'mongodb';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { connectDatabase, type Database } from '../connect-database.ts';
import type { StoredExecution } from '../executions/schema.ts';

let store: TestDatabases;
let client: MongoClient;
let database: Database;

beforeAll(async () => {
  store = await sharedStore();
  database = await connectDatabase({ uri: store.uri, log: createLogger({ name: 'test', level: 'silent' }) });
  client = await new MongoClient(store.uri).connect();
});
afterAll(async () => {
  await database?.close();
  await client?.close();
  await store?.stop();
});

const today = new Date().toISOString().slice(0, 10);
const executions = () => client.db().collection<StoredExecution>('executions');

/** Stores executions of a scope on a day, each with two input and three output tokens. */
async function run(
  owner: Owner,
  day: string,
  times: number,
  more: Partial<StoredExecution> = {},
  cost: number | null = 0.5,
) {
  const scope_key = `personal:${owner.user_id}`;
  const usage = { input_tokens: 2, output_tokens: 3, total_tokens: 5, cost_usd: cost };
  const made = Array.from({ length: times }, (_, n) => {
    const _id = firstIdAt('job', Date.parse(day) + n).slice(0, -14) + newId('job').slice(-14);
    const at = new Date(day);
    const facts = { scope_key, user_id: owner.user_id, model: 'openai/x', usage, created_at: at, finished_at: at };
    return { _id, usage_due: _id, ...facts, ...more };
  });
  await executions().insertMany(made as unknown as StoredExecution[]);
}

const personal = (): Owner => ({ scope: 'personal', user_id: newId('user'), workspace_id: null });

it.each(['executions', 'sums'])('adds up usage by day, model, and key, only for its scope: from %s', async (source) => {
  if (source === 'sums') await database.usage.fill();
  expect(await database.usage.isFilled()).toBe(source === 'sums');
  const owner = personal();
  const yesterday = dayAfter(today, -1);
  await run(owner, yesterday, 2);
  const usage = { input_tokens: 2, output_tokens: 3, total_tokens: 5, cost_usd: 0.5, estimated: true };
  await run(owner, yesterday, 1, { usage });
  await run(owner, today, 2, { api_key_id: 'key_1' });
  await run(owner, today, 1, { model: 'embedded/assistant' }, null);
  await run(owner, today, 1, { finished_at: null, usage_due: undefined, unfinished: 'x' });
  await run(personal(), today, 5);
  await run(owner, dayAfter(today, -3), 4);
  const tokens = (times: number) => ({ input_tokens: 2 * times, output_tokens: 3 * times, total_tokens: 5 * times });
  expect(await database.usage.report(owner, { from: yesterday, to: today })).toEqual([
    {
      day: yesterday,
      model: 'openai/x',
      api_key_id: null,
      executions: 3,
      ...tokens(3),
      cost_usd: 1.5,
      unpriced_executions: 0,
      estimated_executions: 1,
    },
    {
      day: today,
      model: 'embedded/assistant',
      api_key_id: null,
      executions: 1,
      ...tokens(1),
      cost_usd: 0,
      unpriced_executions: 1,
      estimated_executions: 0,
    },
    {
      day: today,
      model: 'openai/x',
      api_key_id: 'key_1',
      executions: 2,
      ...tokens(2),
      cost_usd: 1,
      unpriced_executions: 0,
      estimated_executions: 0,
    },
  ]);
});

it('adds up usage by day and user, in all scopes', async () => {
  const [owner, other] = [personal(), personal()];
  const day = dayAfter(today, -20);
  await run(owner, day, 2);
  await run(owner, day, 1, { scope_key: 'workspace:x', model: 'openai/y', api_key_id: 'key_1' }, null);
  await run(other, day, 1, {}, 0.1);
  const rows = await database.usage.reportByUser({ from: day, to: day });
  const counts = { day, unpriced_executions: 0, estimated_executions: 0 };
  expect(rows).toEqual(
    [
      { ...counts, user_id: owner.user_id, executions: 3, total_tokens: 15, cost_usd: 1, unpriced_executions: 1 },
      { ...counts, user_id: other.user_id, executions: 1, total_tokens: 5, cost_usd: 0.1 },
    ].sort((one, two) => (one.user_id < two.user_id ? -1 : 1)),
  );
});

it('keeps usage after its executions are deleted, until its user is erased', async () => {
  const [owner, other] = [personal(), personal()];
  const day = dayAfter(today, -10);
  const days = { from: day, to: dayAfter(day, 1) };
  const workspace: Owner = { ...owner, scope: 'workspace', workspace_id: 'y' };
  await run(owner, day, 3);
  await run(owner, day, 1, { scope_key: 'workspace:y' });
  await run(other, day, 2, { scope_key: 'workspace:y' });
  const before = await database.usage.report(owner, days);
  expect(before).toMatchObject([{ day, executions: 3 }]);
  await executions().deleteMany({ scope_key: { $in: [`personal:${owner.user_id}`, 'workspace:y'] } });
  expect(await database.usage.report(owner, days)).toEqual(before);
  expect(await database.usage.report(workspace, days)).toMatchObject([{ day, executions: 3 }]);

  await run(owner, day, 1); // ended, and not added yet
  await database.erasure.erase({ user_id: owner.user_id });
  await database.usage.collect();
  expect(await database.usage.report(owner, days)).toEqual([]);
  expect(await database.usage.report(workspace, days)).toMatchObject([{ day, executions: 2 }]);
});

it('reads days that an earlier version has summed up, whose executions may be gone', async () => {
  const owner = personal();
  const day = dayAfter(today, -15);
  const counts = {
    executions: 9,
    input_tokens: 1,
    output_tokens: 1,
    total_tokens: 2,
    cost_usd: 3,
    unpriced_executions: 0,
  };
  const rows = [{ model: 'openai/x', api_key_id: null, ...counts }];
  const scope_key = `personal:${owner.user_id}`;
  const days = client.db().collection<{ _id: string }>('usage_days');
  await days.insertOne({ _id: `${scope_key}|${day}`, scope_key, day, rows } as { _id: string });
  await run(owner, day, 2);
  await run(owner, dayAfter(day, 1), 1);
  expect(await database.usage.report(owner, { from: day, to: dayAfter(day, 1) })).toMatchObject([
    { day, executions: 9, cost_usd: 3, estimated_executions: 0 },
    { day: dayAfter(day, 1), executions: 1 },
  ]);
});
