import { randomUUID } from 'node:crypto';
import { newId, type Owner, scopeKey } from '@chorus/contract';
import { type BudgetRecord, connectDatabase, type Database, type ExecutionRecord } from '@chorus/database';
import { connectRedis, type RedisConnection } from '@chorus/events';
import { usePrices } from '@chorus/providers/usage';
import { createLogger } from '@chorus/runtime/log';
import { sharedStore, startRedis, type TestDatabases, type TestRedis } from '@chorus/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { newExecution } from '../new-execution.ts';
import { cancelledOutcome } from '../outcome.ts';
import { type Budgets, followBudgets, type Reservation } from './budgets.ts';
import { settleLost } from './settle-lost.ts';

const PRICES = [{ model: 'm/x', input: 0, output: 1_000 }];
const log = createLogger({ name: 'test', level: 'silent' });
let server: TestRedis;
let store: TestDatabases;
let database: Database;
const connections: RedisConnection[] = [];

beforeAll(async () => {
  usePrices(PRICES);
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

/** Stores an execution that has begun, and ends it with a cost. Null: it runs. @param costUsd null: unknown */
async function run(
  owner: Owner,
  cost: number | null,
  over: Partial<ExecutionRecord> = {},
  costUsd = cost,
): Promise<ExecutionRecord> {
  const input = { model: 'm/x', settings: {}, source: { type: 'messages' as const, messages: [] } };
  const begun = newExecution({ id: newId('job'), kind: 'chat.completion', owner, model: 'm/x', input });
  const record = { ...begun, ...over };
  await database.executions.insert(record);
  return cost === null ? record : end(record, costUsd);
}

async function end(record: ExecutionRecord, cost: number | null): Promise<ExecutionRecord> {
  const usage = { input_tokens: 1, output_tokens: 1, total_tokens: 2, cost_usd: cost };
  const { model, provider } = record;
  const outcome = { ...cancelledOutcome({ usage, model, provider }), status: 'succeeded' as const };
  return (await database.executions.finish(record.owner, record.id, null, outcome)) as ExecutionRecord;
}

/** A chat call that can cost so much: output tokens of `m/x` cost a tenth of a cent, and input costs nothing. */
const spender = (owner: Owner, mostUsd = 0.1, apiKeyId: string | null = null, model = 'm/x') => ({
  id: newId('job'),
  kind: 'chat.completion',
  owner,
  apiKeyId,
  input: { model, settings: { max_tokens: Math.round(mostUsd * 1_000) }, source: { type: 'messages', messages: [] } },
});
const ended = (id: string, { budgets = [] }: Partial<Reservation> = {}, cost: number | null = 0, model = 'm/x') => ({
  id,
  created_at: new Date(),
  model,
  provider: 'm',
  usage: { input_tokens: 0, output_tokens: 0, total_tokens: 0, cost_usd: cost },
  budgets,
});
const refusal = (reserved: Promise<unknown> | undefined) => reserved?.then(() => null).catch((error) => error.code);

/** Begins work at the same time, in all of these processes. Returns what was admitted. */
async function begin(processes: readonly Budgets[], asked: readonly ReturnType<typeof spender>[]) {
  const answers = await Promise.all(
    asked.map(async (work, at) => {
      const by = processes[at % processes.length] as Budgets;
      return { work, reservation: await by.reserve(work)?.catch(() => undefined) };
    }),
  );
  return answers.filter(({ reservation }) => reservation !== undefined);
}

test('concurrent work in all processes stays within the budget, whatever earlier work has cost', async () => {
  const owner = team();
  const budget = await limit(owner, { daily_usd: 1_000 });
  const processes = [await follow(), await follow()] as const;
  const [one, other] = processes;
  const spending = () => one.spending(budget, 'daily', new Date());
  const cheap = spender(owner, 0.001);
  one.charge(ended(cheap.id, await one.reserve(cheap), 2e-9));
  await expect.poll(async () => (await spending()).spentUsd).toBeCloseTo(2e-9, 12);

  for (const admits of [1, 1, 0]) {
    const admitted = await begin(
      processes,
      Array.from({ length: 100 }, () => spender(owner, 500)),
    );
    expect(admitted).toHaveLength(admits);
    expect((await spending()).reservedUsd).toBeCloseTo(admits * 500, 9);
    for (const { work, reservation } of admitted) other.charge(ended(work.id, reservation, 499));
    for (const { work, reservation } of admitted) one.charge(ended(work.id, reservation, 499)); // only once
    await expect.poll(async () => (await spending()).reservedUsd).toBeCloseTo(0, 9);
  }
  expect((await spending()).spentUsd).toBeCloseTo(998, 6);
});

test('a large budget admits any number of requests, priced or not', async () => {
  const owner = team();
  const budget = await limit(owner, { monthly_usd: 1_000_000 });
  const processes = [await follow(), await follow()];
  const first = spender(owner, 17);
  processes[0]?.charge(ended(first.id, await processes[0].reserve(first), 17));
  const asked = [
    ...Array.from({ length: 60 }, () => spender(owner, 1)),
    ...Array.from({ length: 60 }, () => spender(owner, 1, null, 'compatible/free')),
    ...Array.from({ length: 60 }, () => ({ ...spender(owner), kind: 'iris.ocr' })),
  ];
  const admitted = await begin(processes, asked);
  expect(admitted).toHaveLength(asked.length);
  const { spentUsd, reservedUsd } = await (processes[1] as Budgets).spending(budget, 'monthly', new Date());
  expect([spentUsd, reservedUsd].map(Math.round)).toEqual([17, 60]);
});

test('a budget lists models without a price, and admits them until it is used up', async () => {
  const { id: workspace_id } = await database.workspaces.create({ name: 'Team' }, newId('user'));
  const owner: Owner = { scope: 'workspace', user_id: newId('user'), workspace_id };
  const budget = await limit(owner, { daily_usd: 0.5 });
  const budgets = await follow();
  const [unpriced, embedded, last] = [spender(owner), spender(owner), spender(owner, 0.5)];
  const free = { ...unpriced.input, model: 'compatible/free' };
  const reservation = await budgets.reserve({ ...unpriced, input: free });
  expect(reservation).toEqual({ budgets: [budget.subject], reserved_usd: 0 });
  budgets.charge(ended(unpriced.id, reservation, null, 'compatible/free'));
  const offline = { ...ended(embedded.id, await budgets.reserve(embedded), null, 'embedded/x'), provider: 'embedded' };
  budgets.charge(offline);
  const spending = () => budgets.spending(budget, 'daily', new Date());
  await expect.poll(async () => (await spending()).unpricedModels).toEqual(['compatible/free']);
  // The records name them, too.
  await run(owner, 0, { model: 'compatible/stored', provider: 'compatible' }, null);
  await budgets.ledger.forget(budget.subject, new Date());
  expect((await spending()).unpricedModels).toEqual(['compatible/stored']);

  budgets.charge(ended(last.id, await budgets.reserve(last), 0.5));
  await expect.poll(() => refusal(budgets.reserve({ ...spender(owner), input: free }))).toBe('budget_exceeded');
});

test('the default price of the operator counts models without a price', async () => {
  usePrices([], { tokens: { input: 0, output: 1_000 } });
  try {
    const owner = team();
    await limit(owner, { daily_usd: 0.15 });
    const budgets = await follow();
    const reserve = (model: string) => budgets.reserve(spender(owner, 0.1, null, model));
    expect((await reserve('compatible/x'))?.reserved_usd).toBeCloseTo(0.1, 9);
    expect(await refusal(reserve('compatible/x'))).toBe('budget_exceeded');
    expect((await reserve('embedded/x'))?.reserved_usd).toBe(0);
  } finally {
    usePrices(PRICES);
  }
});

test('further calls of an execution raise its reservation within the limits', async () => {
  const owner = team();
  const budget = await limit(owner, { daily_usd: 1 });
  const budgets = await follow();
  const [agent, other] = [spender(owner, 0.2), spender(owner, 0.3)];
  const at = new Date();
  const reserved = await budgets.reserve(agent);
  await budgets.reserve(other);
  const raise = (usd: number) => budgets.ledger.raise(budget.subject, { id: agent.id, usd, at });
  expect(await raise(0.1)).toBeNull(); // it has more
  expect(await raise(0.7)).toBeNull();
  expect(await raise(0.7)).toBeNull();
  expect(await raise(0.71)).toEqual({
    period: 'daily',
    spentUsd: 0,
    reservedUsd: expect.closeTo(0.3, 9),
    limitUsd: 1,
    askedUsd: 0.71,
  });
  const spending = () => budgets.spending(budget, 'daily', new Date());
  expect((await spending()).reservedUsd).toBeCloseTo(1, 9);
  // It waits for a decision, and goes on.
  await budgets.ledger.lower(budget.subject, { id: agent.id, usd: 0.25, at });
  await budgets.ledger.lower(budget.subject, { id: agent.id, usd: 0.5, at }); // it has less
  expect((await spending()).reservedUsd).toBeCloseTo(0.55, 9);
  expect(await raise(0.7)).toBeNull();
  budgets.charge(ended(agent.id, reserved, 0.4));
  await expect.poll(async () => (await spending()).spentUsd).toBeCloseTo(0.4, 9);
  expect((await spending()).reservedUsd).toBeCloseTo(0.3, 9);
  // It has ended, or its reservation was lost.
  expect(await raise(5)).toBeNull();
  expect((await spending()).reservedUsd).toBeCloseTo(0.3, 9);
});

test('a refusal says what is spent, reserved, and left, and when more may fit', async () => {
  const owner = team();
  const key = newId('apiKey');
  const ofKey = await limit(owner, { daily_usd: 5 }, key);
  await limit(owner, { monthly_usd: 2 });
  const budgets = await follow();
  const now = new Date();
  const resetsAt = new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + 1, 1));
  const resets_at = resetsAt.toISOString();
  const refused = async (usd: number, by: string | null = null) =>
    budgets.reserve(spender(owner, usd, by))?.catch((thrown) => thrown);

  const first = spender(owner, 0.5);
  budgets.charge(ended(first.id, await budgets.reserve(first), 0.25));
  await expect.poll(() => budgets.ledger.held(scopeKey(owner), now)).toEqual([]);
  const running = spender(owner, 1.5);
  const reservation = await budgets.reserve(running);
  const soon = await refused(0.3, key);
  expect(soon).toMatchObject({ code: 'budget_exceeded', status: 429, notStarted: true, retryAfterS: 10 });
  expect(soon.message).toBe(
    'The monthly budget of this workspace, 2 USD, does not cover this request, which can cost up to 0.3 USD: ' +
      '0.25 USD are spent, 1.5 USD reserved by running work, and 0.25 USD left. Try again when running work has ended.',
  );
  expect(soon.extra.budget).toEqual({
    subject: scopeKey(owner),
    period: 'monthly',
    limit_usd: 2,
    spent_usd: expect.closeTo(0.25, 9),
    reserved_usd: expect.closeTo(1.5, 9),
    left_usd: expect.closeTo(0.25, 9),
    asked_usd: 0.3,
    resets_at,
  });
  // The reservation in the budget of the key is released.
  await expect.poll(() => budgets.ledger.held(key, now)).toEqual([]);
  expect((await budgets.spending(ofKey, 'daily', now)).spentUsd).toBe(0);

  const never = await refused(1.9);
  expect(never.message).toMatch(`It resets at ${resets_at}.`);
  expect(Math.abs(never.retryAfterS - (resetsAt.getTime() - now.getTime()) / 1_000)).toBeLessThan(60);

  budgets.charge(ended(running.id, reservation, 1.75));
  await expect
    .poll(async () => (await refused(0.1))?.message)
    .toBe(
      'The monthly budget of this workspace, 2 USD, is used up: 2 USD are spent, 0 USD reserved by running work, ' +
        `and 0 USD left. It resets at ${resets_at}.`,
    );
});

test('Redis is not asked without a budget', async () => {
  await limit(team(), { daily_usd: 0 });
  const budgets = await follow();
  expect(budgets.reserve(spender(team(), 1, newId('apiKey')))).toBeUndefined();
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
  const reserved = { budgets: [scopeKey(owner)], reserved_usd: 0.75 };
  const other = await run(owner, null, reserved);
  const [ofTeam, ofKey] = [await limit(owner, { monthly_usd: 4 }), await limit(owner, { daily_usd: 0.5 }, key)];
  const budgets = await follow();
  const spent = async (budget: BudgetRecord, period: 'daily' | 'monthly') =>
    (await budgets.spending(budget, period, new Date())).spentUsd;
  expect(await spent(ofTeam, 'monthly')).toBeCloseTo(0.75, 9);
  expect(await spent(ofKey, 'daily')).toBeCloseTo(0.5, 9);
  expect((await budgets.ledger.held(scopeKey(owner), new Date())).sort()).toEqual([running.id, other.id].sort());
  const { reservedUsd } = await budgets.spending(ofTeam, 'monthly', new Date());
  expect(reservedUsd).toBeCloseTo(0.75, 9);

  // The first reserved nothing, and is charged when its end is found.
  await end(running, 2);
  const { spentUsd } = await settleLater(budgets, ofTeam, running.id);
  expect(spentUsd).toBeCloseTo(2.75, 9);
  await connections[0]?.flushall();
  expect(await spent(ofTeam, 'monthly')).toBeCloseTo(2.75, 9);
  expect(await refusal(budgets.reserve(spender(owner)))).toBeNull();
});

test('a ledger that Redis has lost holds all unfinished executions', async () => {
  const owner = team();
  const input = { model: 'm/x', settings: {}, source: { type: 'messages' as const, messages: [] } };
  const unfinished = Array.from({ length: 2_100 }, () => ({
    ...newExecution({ id: newId('job'), kind: 'chat.completion', owner, model: 'm/x', input }),
    reserved_usd: 0.001,
  }));
  await database.executions.insertMany(unfinished);
  const budget = await limit(owner, { daily_usd: 1 });
  const budgets = await follow();
  const { reservedUsd } = await budgets.spending(budget, 'daily', new Date());
  expect(reservedUsd).toBeCloseTo(2.1, 9);
  expect(await budgets.ledger.held(scopeKey(owner), new Date())).toHaveLength(2_100);
  expect(await refusal(budgets.reserve(spender(owner)))).toBe('budget_exceeded');
});

test('an execution that ends while two processes open its ledger is charged once', async () => {
  const owner = team();
  const budget = await limit(owner, { daily_usd: 1_000 });
  const [{ ledger }, other] = [await follow(), await follow()];
  const { subject } = budget;
  const at = new Date();
  const [id, last] = [newId('job'), newId('job')];
  const holds = [...Array.from({ length: 1_000 }, () => newId('job')), last].map((one) => ({ id: one, usd: 0 }));
  const earlier = { period: 'daily' as const, at, spentUsd: 1, unpricedModels: [] };
  const running = [{ id, usd: 5 }, ...holds];
  // The first process is slow: it has held a part of the executions.
  const slow = Object.assign([...running], {
    slice: (from: number, to: number) => {
      if (from > 0) throw new Error('slow');
      return running.slice(from, to);
    },
  });
  await expect(ledger.open(subject, { ...earlier, running: slow })).rejects.toThrow('slow');
  expect(await ledger.read(subject, 'daily', at)).toBeNull();
  await ledger.settle(subject, { id, at, costUsd: 3 });
  await other.ledger.open(subject, { ...earlier, running });
  await ledger.open(subject, { ...earlier, running });
  expect(await ledger.read(subject, 'daily', at)).toMatchObject({ spentUsd: 4, reservedUsd: 0 });
  const held = await ledger.held(subject, at);
  expect(held).toHaveLength(1_001);
  expect(held).not.toContain(id);
});

/** Looks for lost ends as if their executions had begun a minute ago. */
async function settleLater(budgets: Budgets, budget: BudgetRecord, id: string) {
  const { ledger } = budgets;
  const only = { all: () => [budget], ledger };
  await settleLost({ database, budgets: only, now: Date.now() + 60_000 });
  await expect.poll(() => ledger.held(budget.subject, new Date())).not.toContain(id);
  return budgets.spending(budget, 'monthly', new Date());
}
