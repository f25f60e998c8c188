import { newId, type Owner, scopeKey } from '@chorus/contract';
import { connectRedis } from '@chorus/events';
import { followBudgets } from '@chorus/executions';
import { createDispatcher } from '@chorus/queue';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { openPlatform, outputOf, readUntil, result, silent, type TestPlatform } from './test-pool.ts';

let platform: TestPlatform;

beforeAll(async () => {
  platform = await openPlatform();
});
afterEach(() => platform.closePools());
afterAll(() => platform.close());

const usageOf = (cost_usd: number) => ({ input_tokens: 1, output_tokens: 1, total_tokens: 2, cost_usd });

/** A workspace with a budget of 1 USD for each day. */
async function openBudget() {
  const { database, redis, hub, eventLog } = platform;
  const user_id = newId('user');
  const { id: workspace_id } = await database.workspaces.create({ name: 'Team' }, user_id);
  const owner: Owner = { scope: 'workspace', user_id, workspace_id };
  const subject = scopeKey(owner);
  const budget = { subject, scope_key: subject, user_id, daily_usd: 1, monthly_usd: null, webhook_url: null };
  await database.budgets.set(budget);
  const subscriber = connectRedis({ url: platform.server.url, cluster: false }, 'worker');
  const budgets = await followBudgets({ database, redis, subscriber, log: silent });
  const limits = { maxDepth: 1_000, maxAgeMs: 600_000 };
  const via = createDispatcher({ database, redis, hub, eventLog, limits, budgets, log: silent });
  const spending = () => budgets.spending(budget, 'daily', new Date());
  const close = async () => {
    budgets.stop();
    subscriber.disconnect();
    await via.close();
  };
  return { owner, via, spending, close };
}

test('the steps of a job reserve one by one, and end where the budget does', async () => {
  const { owner, via, spending, close } = await openBudget();
  const reserved: number[] = [];
  await platform.startPool(async (job) => {
    const { caller, note } = job;
    for (let step = 1; step <= 5; step += 1) {
      await caller.spending?.reserve(0.4);
      reserved.push((await spending()).reservedUsd);
      caller.spending?.ended(0.4, 0.3);
      note({ usage: usageOf(0.3 * step) });
    }
    return result(job);
  });
  const { id, reader } = await platform.dispatch(owner, { via, stateless: true });
  await readUntil(reader);
  reader.close();
  // 0.4; 0.3 and 0.4; 0.6 and 0.4. The next step would need 0.9 and 0.4.
  expect(reserved.map((usd) => Math.round(usd * 10) / 10)).toEqual([0.4, 0.7, 1]);
  const ended = await platform.database.executions.get(owner, id);
  expect(ended).toMatchObject({ status: 'failed', error: { code: 'budget_exceeded' } });
  expect(ended?.error?.message).toMatch('The daily budget of this workspace, 1 USD, does not cover this request');
  expect(outputOf(ended)).toBe('');
  await expect.poll(async () => (await spending()).spentUsd).toBeCloseTo(0.9, 9);
  expect((await spending()).reservedUsd).toBeCloseTo(0, 9);
  await close();
});

test('a job that waits for a decision reserves only what it has spent', async () => {
  const { owner, via, spending, close } = await openBudget();
  await platform.startPool(async ({ caller, note, decisions }) => {
    await caller.spending?.reserve(0.9);
    caller.spending?.ended(0.9, 0.25);
    note({ usage: usageOf(0.25) });
    return decisions.wait([{ tool_call_id: 'a', name: 'mail' }]);
  });
  const { id, reader } = await platform.dispatch(owner, { via, stateless: true });
  await readUntil(reader, (events) => events.some(({ event }) => event.type === 'execution.requires_action'));
  reader.close();
  expect((await spending()).reservedUsd).toBeCloseTo(0.25, 9);
  await via.cancel(owner, id);
  await expect.poll(async () => (await spending()).spentUsd).toBeCloseTo(0.25, 9);
  expect((await spending()).reservedUsd).toBeCloseTo(0, 9);
  await close();
});
