import { expect, test } from 'vitest';
import { usageByUser } from './user-usage.ts';

test('sums days by user, with the days without usage, busiest first', () => {
  const row = (day: string, user_id: string, executions: number, cost_usd: number, unpriced_executions = 0) => ({
    ...{ day, user_id, executions, cost_usd, unpriced_executions, estimated_executions: cost_usd === 0.5 ? 1 : 0 },
    total_tokens: executions * 10,
  });
  const data = [
    row('2026-03-01', 'usr_a', 1, 0.5),
    row('2026-03-01', 'usr_b', 2, 0, 1),
    row('2026-03-03', 'usr_b', 3, 0.25),
  ];
  expect(usageByUser({ object: 'user_usage', from: '2026-03-01', to: '2026-03-03', data })).toEqual([
    { userId: 'usr_b', executions: 5, tokens: 50, cost: 0.25, isPartial: true, isEstimated: false, byDay: [2, 0, 3] },
    { userId: 'usr_a', executions: 1, tokens: 10, cost: 0.5, isPartial: false, isEstimated: true, byDay: [1, 0, 0] },
  ]);
});
