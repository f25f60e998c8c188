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
  const made = Array.from({ length: times }, (_, n) => ({
    _id: firstIdAt('job', Date.parse(day) + n).slice(0, -14) + newId('job').slice(-14),
    scope_key,
    user_id: owner.user_id,
    model: 'openai/x',
    usage,
    ...more,
  }));
  await executions().insertMany(made as unknown as StoredExecution[]);
}

const personal = (): Owner => ({ scope: 'personal', user_id: newId('user'), workspace_id: null });

it('adds up usage by day, model, and key, only for its scope', async () => {
  const owner = personal();
  const yesterday = dayAfter(today, -1);
  await run(owner, yesterday, 2);
  const usage = { input_tokens: 2, output_tokens: 3, total_tokens: 5, cost_usd: 0.5, estimated: true };
  await run(owner, yesterday, 1, { usage });
  await run(owner, today, 2, { api_key_id: 'key_1' });
  await run(owner, today, 1, { model: 'embedded/assistant' }, null);
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

it('keeps a closed day after its executions are deleted', async () => {
  const owner = personal();
  const day = dayAfter(today, -10);
  await run(owner, day, 3);
  const days = { from: day, to: dayAfter(day, 1) };
  const before = await database.usage.report(owner, days);
  expect(before).toMatchObject([{ day, executions: 3 }]);
  await executions().deleteMany({ scope_key: `personal:${owner.user_id}` });
  expect(await database.usage.report(owner, days)).toEqual(before);

  const other = personal();
  await run(other, day, 2);
  await database.usage.close(`personal:${other.user_id}`, day);
  await executions().deleteMany({ scope_key: `personal:${other.user_id}` });
  expect(await database.usage.report(other, days)).toMatchObject([{ day, executions: 2 }]);
});
