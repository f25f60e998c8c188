import { randomUUID } from 'node:crypto';
import { newId, type Owner, scopeKey } from '@chorus/contract';
import { type BudgetRecord, connectDatabase, type Database, type ExecutionRecord } from '@chorus/database';
import { connectRedis, type RedisConnection } from '@chorus/events';
import { createLogger } from '@chorus/runtime/log';
import { sharedStore, startRedis, type TestDatabases, type TestRedis } from '@chorus/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { newExecution } from '../new-execution.ts';
import { cancelledOutcome } from '../outcome.ts';
import { type Budgets, followBudgets } from './budgets.ts';
import { settleLost } from './settle-lost.ts';

const log = createLogger({ name: 'test', level: 'silent' });
let server: TestRedis;
let store: TestDatabases;
let database: Database;
const connections: RedisConnection[] = [];

beforeAll(async () => {
  [server, store] = await Promise.all([startRedis(), sharedStore()]);
  database = await connectDatabase({ uri: store.uri, log });
});
afterAll(async () => {
  for (const redis of connections) redis.disconnect();
  await database.close();
  await Promise.all([server.stop(), store.stop()]);
});

function connect(): RedisConnection {
  const redis = connectRedis({ url: server.url, cluster: false }, 'worker');
  redis.on('error', () => undefined);
  return redis;
}

/** Another process. */
async function follow(): Promise<Budgets> {
  const [redis, subscriber] = [connect(), connect()];
  connections.push(redis, subscriber);
  const budgets = await followBudgets({ database, redis, subscriber, log });
  budgets.stop();
  return budgets;
}

const team = (): Owner => ({ scope: 'workspace', user_id: newId('user'), workspace_id: randomUUID() });

async function limit(owner: Owner, limits: Partial<BudgetRecord>, subject = scopeKey(owner)): Promise<BudgetRecord> {
  const none = { daily_usd: null, monthly_usd: null, webhook_url: null };
  const budget = { subject, scope_key: scopeKey(owner), user_id: owner.user_id, ...none, ...limits };
  await database.budgets.set(budget);
  return budget;
}

/** Stores an execution that has begun, and ends it with a cost. */
async function run(owner: Owner, cost: number | null, over: Partial<ExecutionRecord> = {}): Promise<ExecutionRecord> {
  const input = { model: 'm/x', settings: {}, source: { type: 'messages' as const, messages: [] } };
  const begun = newExecution({ id: newId('job'), kind: 'chat.completion', owner, model: 'm/x', input });
  const record = { ...begun, ...over };
  await database.executions.insert(record);
  return cost === null ? record : end(record, cost);
}

async function end(record: ExecutionRecord, cost: number): Promise<ExecutionRecord> {
  const usage = { input_tokens: 1, output_tokens: 1, total_tokens: 2, cost_usd: cost };
  const outcome = { ...cancelledOutcome({ usage }), status: 'succeeded' as const };
  return (await database.executions.finish(record.owner, record.id, null, outcome)) as ExecutionRecord;
}

const spender = (owner: Owner, apiKeyId: string | null = null) => ({
  id: newId('job'),
  kind: 'chat.completion',
  owner,
  apiKeyId,
});
const ended = (id: string, budgets: string[] | undefined, cost: number) => ({
  id,
  kind: 'chat.completion',
  created_at: new Date(),
  model: null,
  provider: null,
  usage: { input_tokens: 0, output_tokens: 0, total_tokens: 0, cost_usd: cost },
  ...(budgets && { budgets }),
});
const refusal = (reserved: Promise<unknown> | undefined) => reserved?.then(() => null).catch((error) => error.code);

test('concurrent work in all processes stays within the budget', async () => {
  const owner = team();
  const budget = await limit(owner, { daily_usd: 1 });
  const [one, other] = [await follow(), await follow()];
  const first = spender(owner);
  one.charge(ended(first.id, await one.reserve(first), 0.1));
  await expect.poll(async () => (await other.spending(budget, 'daily', new Date())).spentUsd).toBeCloseTo(0.1, 9);

  const asked = Array.from({ length: 40 }, (_, n) => ({ by: n % 2 === 0 ? one : other, work: spender(owner) }));
  const answers = await Promise.all(
    asked.map(async ({ by, work }) => ({ work, budgets: await by.reserve(work)?.catch(() => undefined) })),
  );
  const admitted = answers.filter(({ budgets }) => budgets !== undefined);
  // Each reserves the cost of the first: 0.1 spent and nine times 0.1 reserved.
  expect(admitted).toHaveLength(9);
  for (const { work, budgets } of admitted) other.charge(ended(work.id, budgets, 0.05));
  for (const { work, budgets } of admitted) one.charge(ended(work.id, budgets, 0.05)); // only once
  const spending = () => one.spending(budget, 'daily', new Date());
  await expect.poll(async () => (await spending()).reservedUsd).toBeCloseTo(0, 9);
  expect((await spending()).spentUsd).toBeCloseTo(0.55, 9);
});

test('limits concurrent work of unknown cost, and remembers known costs the next day', async () => {
  const owner = team();
  const budget = await limit(owner, { daily_usd: 1 });
  const budgets = await follow();
  const asked = Array.from({ length: 30 }, () => spender(owner));
  const answers = await Promise.all(asked.map((work) => budgets.reserve(work)?.catch(() => undefined)));
  expect(answers.filter((reserved) => reserved !== undefined)).toHaveLength(20);
  for (const [at, { id }] of asked.entries()) budgets.charge(ended(id, answers[at], 0.01));
  await expect.poll(async () => (await budgets.spending(budget, 'daily', new Date())).reservedUsd).toBeCloseTo(0, 9);

  const tomorrow = new Date(Date.now() + 86_400_000);
  await budgets.spending(budget, 'daily', tomorrow); // opens it
  const limits = { daily: 1, monthly: null };
  await budgets.ledger.reserve(budget.subject, limits, { id: newId('job'), kind: 'chat.completion', at: tomorrow });
  expect((await budgets.spending(budget, 'daily', tomorrow)).reservedUsd).toBeCloseTo(0.01, 9);
});

test('a refusal names the budget and its reset, and releases reservations in other budgets', async () => {
  const owner = team();
  const key = newId('apiKey');
  const ofKey = await limit(owner, { daily_usd: 5 }, key);
  await limit(owner, { monthly_usd: 0 });
  const budgets = await follow();
  const error = await budgets.reserve(spender(owner, key))?.catch((thrown) => thrown);
  const now = new Date();
  const resetsAt = new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + 1, 1)).toISOString();
  expect(error).toMatchObject({ code: 'budget_exceeded', status: 429, notStarted: true });
  expect(error.message).toBe(`The monthly budget of this workspace, 0 USD, is used up. It resets at ${resetsAt}.`);
  expect(error.extra.budget).toEqual({
    subject: scopeKey(owner),
    period: 'monthly',
    limit_usd: 0,
    resets_at: resetsAt,
  });
  await expect.poll(() => budgets.ledger.held(key, now)).toEqual([]);
  expect((await budgets.spending(ofKey, 'daily', now)).spentUsd).toBe(0);
});

test('Redis is not asked without a budget', async () => {
  await limit(team(), { daily_usd: 0 });
  const budgets = await follow();
  expect(budgets.reserve(spender(team(), newId('apiKey')))).toBeUndefined();
  expect(budgets.reserve(spender({ scope: 'personal', user_id: newId('user'), workspace_id: null }))).toBeUndefined();
});

test('a new budget, or one that Redis has lost, starts from the records', async () => {
  const user_id = newId('user');
  const { id: workspace_id } = await database.workspaces.create({ name: 'Team' }, user_id);
  const owner: Owner = { scope: 'workspace', user_id, workspace_id };
  const key = newId('apiKey');
  await run(owner, 0.25);
  await run(owner, 0.5, { api_key_id: key });
  const running = await run(owner, null, { api_key_id: key });
  const [ofTeam, ofKey] = [await limit(owner, { monthly_usd: 3 }), await limit(owner, { daily_usd: 0.5 }, key)];
  const budgets = await follow();
  const spent = async (budget: BudgetRecord, period: 'daily' | 'monthly') =>
    (await budgets.spending(budget, period, new Date())).spentUsd;
  expect(await spent(ofTeam, 'monthly')).toBeCloseTo(0.75, 9);
  expect(await spent(ofKey, 'daily')).toBeCloseTo(0.5, 9);
  expect(await budgets.ledger.held(scopeKey(owner), new Date())).toEqual([running.id]);

  // The running execution reserved nothing, and is charged when its end is found.
  await end(running, 2);
  const { spentUsd } = await settleLater(budgets, ofTeam, running.id);
  expect(spentUsd).toBeCloseTo(2.75, 9);
  await connections[0]?.flushall();
  expect(await spent(ofTeam, 'monthly')).toBeCloseTo(2.75, 9);
  expect(await refusal(budgets.reserve(spender(owner)))).toBeNull();
});

/** Looks for lost ends as if their executions had begun a minute ago. */
async function settleLater(budgets: Budgets, budget: BudgetRecord, id: string) {
  const { ledger } = budgets;
  const only = { all: () => [budget], ledger };
  await settleLost({ database, budgets: only, now: Date.now() + 60_000 });
  await expect.poll(() => ledger.held(budget.subject, new Date())).not.toContain(id);
  return budgets.spending(budget, 'monthly', new Date());
}
