import { newId } from '@chorus/contract';
import type { BudgetRecord } from '@chorus/database';
import { sharedStore, type TestDatabases } from '@chorus/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createLoadSubject } from './load-subject.ts';
import { noteBudgetAlerts } from './note-budget-alerts.ts';
import { DAY_MS, openWebhooks, personal } from './test-webhooks.ts';

let store: TestDatabases;

beforeAll(async () => {
  store = await sharedStore();
});
afterAll(() => store.stop());

test('a budget alerts once at 80% and once when used up, and again after its limit changes', async () => {
  const { database } = await openWebhooks(store);
  const owner = personal();
  const key = newId('apiKey');
  const budget: BudgetRecord = {
    subject: key,
    scope_key: `personal:${owner.user_id}`,
    user_id: owner.user_id,
    daily_usd: 10,
    monthly_usd: null,
    webhook_url: 'https://example.org/hook',
  };
  let spentUsd = 7.9;
  const budgets = { all: () => [budget], spending: async () => ({ spentUsd, reservedUsd: 1, unpricedModels: [] }) };
  const note = () => noteBudgetAlerts({ database, budgets, keepMs: DAY_MS });
  expect(await note()).toBe(0);
  spentUsd = 8;
  expect([await note(), await note()]).toEqual([1, 0]);
  spentUsd = 11;
  expect([await note(), await note()]).toEqual([1, 0]);
  budget.daily_usd = 12;
  expect([await note(), await note()]).toEqual([1, 0]); // a warning for the raised limit

  const { data } = await database.webhookDeliveries.list(owner, { limit: 10 });
  expect(data.map(({ event }) => event).sort()).toEqual(['budget.exceeded', 'budget.warning', 'budget.warning']);
  const exceeded = data.find(({ event }) => event === 'budget.exceeded');
  const load = createLoadSubject(database, {} as never);
  expect(exceeded && (await load(exceeded))?.data).toMatchObject({
    object: 'budget',
    workspace_id: null,
    api_key_id: key,
    period: 'daily',
    limit_usd: 10,
    spent_usd: 11,
    reserved_usd: 1,
  });
});
