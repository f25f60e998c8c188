import type { BatchBody } from '@chorus/contract';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import type { FeederParts } from './feeder.ts';
import type { Planner } from './plan-item.ts';
import { type OpenBatches, openBatches, personal, until } from './test-batches.ts';

let open: OpenBatches;

beforeAll(async () => {
  open = await openBatches();
});
afterAll(() => open.close());
beforeEach(() => open.redis.flushall());
afterEach(() => open.closeProcesses());

/** Plans a chat like the product. */
const planner: Planner = async (_kind, request) => {
  const { messages = [], model = 'cheap/one' } = request as BatchBody<'chat.completion'>;
  const source = { type: 'messages' as const, messages: messages as never };
  return { kind: 'chat.completion', model, input: { model, settings: {}, source } };
};

const over: Partial<FeederParts> = { planner, hasBatches: async (model) => model.startsWith('cheap/') };
const economyModels = { hasBatches: over.hasBatches!, defaultModel: async () => null };

const chats = (count: number, model: string) =>
  Array.from({ length: count }, (_, index) => ({
    body: { model, messages: [{ role: 'user', content: `${model} ${index}` }] },
  }));

const head = { kind: 'chat.completion', economy: true };

test('holds items whose provider has a batch endpoint, in parts by model, and queues the others', async () => {
  const owner = personal();
  await open.startFeeder(over);
  const items = [...chats(230, 'cheap/one'), ...chats(5, 'cheap/two'), ...chats(3, 'dear/three')];
  const batch = await open.create(owner, items, head, economyModels);
  expect(batch.economy).toEqual({ fallback: false, models: ['cheap/one', 'cheap/two'], other_models: ['dear/three'] });
  await open.settled(owner, batch.id, ({ counts }) => counts.queued === 238);
  await until(async () => (await open.database.batchParts.listOf(batch.id)).length === 2);
  const parts = await open.database.batchParts.listOf(batch.id);
  expect(parts.map(({ model, ids }) => [model, ids.length]).sort()).toEqual([
    ['cheap/one', 230],
    ['cheap/two', 5],
  ]);
  const { executions } = open.database;
  const { data } = await executions.list(owner, { limit: 300, batch_id: batch.id });
  for (const record of data) {
    const part = parts.find(({ model }) => model === record.model);
    expect(record.economy?.part).toBe(part?.id);
    expect((await open.dispatcher.jobState(record)) === 'unknown').toBe(part !== undefined);
  }
});

test('another feeder leaves parts as they are, and forms those that are missing', async () => {
  const owner = personal();
  const first = await open.startFeeder(over);
  const batch = await open.create(owner, chats(4, 'cheap/one'), head, economyModels);
  await until(async () => (await open.database.batchParts.listOf(batch.id)).length === 1);
  await first.close();
  // As if it had died before the second half got its part.
  const [part] = await open.database.batchParts.listOf(batch.id);
  const loose = part!.ids.slice(2);
  await open.loosen(loose);
  await open.startFeeder(over);
  await until(async () => (await open.database.batchParts.listOf(batch.id)).length === 2);
  const [, second] = await open.database.batchParts.listOf(batch.id);
  expect(new Set(second?.ids)).toEqual(new Set(loose));
});

test('cancel stops the parts, and ends items that are in none', async () => {
  const owner = personal();
  const feeder = await open.startFeeder(over);
  const batch = await open.create(owner, chats(4, 'cheap/one'), head, economyModels);
  await until(async () => (await open.database.batchParts.listOf(batch.id)).length === 1);
  const [part] = await open.database.batchParts.listOf(batch.id);
  await feeder.close();
  await open.loosen(part!.ids.slice(3));
  await open.database.batches.markCancelling(owner, batch.id);
  await open.startFeeder(over);
  await open.settled(owner, batch.id, ({ counts }) => counts.cancelled === 1);
  await until(async () => (await open.database.batchParts.listOf(batch.id))[0]?.stop === 'cancelled');
  const left = await open.database.executions.getMany(owner, part!.ids.slice(0, 3));
  expect(left.map(({ status }) => status)).toEqual(['queued', 'queued', 'queued']);
});

test.each([
  [{ economy: true }, ['a cat'], null, 'body.kind'],
  [{ ...head, economy: false, economy_fallback: true }, chats(1, 'cheap/one'), null, 'body.economy_fallback'],
  [head, chats(1, 'dear/three'), null, 'body.economy'],
  [head, chats(1, 'cheap/one'), 'agt_1', 'body.economy'],
])('refuses %j', async (given, items, agentId, path) => {
  const staging = open.stage(personal(), items, given, agentId, economyModels);
  await expect(staging).rejects.toMatchObject({ code: 'invalid_request', details: [{ path }] });
});
