import type { Shortage } from '@chorus/executions';
import { expect, test } from 'vitest';
import { AttemptSpending } from './attempt-spending.ts';

/** A budget of 1 USD, for one execution that has reserved 0.3 USD. */
function open(attempt = 1) {
  const raised: number[] = [];
  const raise = async (_: string, { usd }: { usd: number }): Promise<Shortage | null> => {
    raised.push(Math.round(usd * 100) / 100);
    if (usd <= 1) return null;
    return { period: 'daily', spentUsd: 0, reservedUsd: 0, limitUsd: 1, askedUsd: usd };
  };
  const at = new Date().toISOString();
  const lowered: number[] = [];
  const lower = async (_: string, { usd }: { usd: number }) => void lowered.push(usd);
  const ledger = { raise, lower };
  const made = { budgets: ['key_1'], reserved_usd: 0.3, at };
  return { raised, lowered, spending: new AttemptSpending(ledger, 'job', attempt, made) };
}

test('asks only for what was not reserved before', async () => {
  const { raised, spending } = open();
  expect(spending.reserve(0.3)).toBeUndefined();
  spending.ended(0.3, 0.1);
  expect(spending.reserve(0.2)).toBeUndefined();
  await spending.reserve(0.4); // beside the other call
  expect(raised).toEqual([0.7]);
  spending.ended(0.2, 0);
  expect(spending.reserve(0.1)).toBeUndefined();
});

test('refuses a call that the budget does not cover, and goes on with a cheaper one', async () => {
  const { raised, spending } = open();
  await expect(spending.reserve(1.1)).rejects.toMatchObject({ code: 'budget_exceeded' });
  await spending.reserve(0.5);
  expect(raised).toEqual([1.1, 0.5]);
  spending.ended(0.5, null); // its cost is unknown
  await expect(spending.reserve(0.6)).rejects.toMatchObject({
    message: expect.stringMatching(/^The daily budget of this API key, 1 USD, does not cover this request/),
  });
});

test('counts the cost of earlier attempts', async () => {
  const { raised, spending } = open();
  spending.noted(0.6);
  await spending.reserve(0.4);
  spending.ended(0.4, 0.1);
  spending.noted(0.7);
  await expect(spending.reserve(0.4)).rejects.toMatchObject({ code: 'budget_exceeded' });
  expect(raised).toEqual([1, 1.1]);
});

test('releases what is not spent during a wait, and a later attempt asks again', async () => {
  const { raised, lowered, spending } = open();
  spending.reserve(0.3);
  spending.ended(0.3, 0.1);
  await spending.release();
  expect(lowered).toEqual([0.1]);
  await spending.reserve(0.1);
  expect(raised).toEqual([0.2]);

  const later = open(2);
  await later.spending.reserve(0.2);
  expect(later.raised).toEqual([0.2]);
});
