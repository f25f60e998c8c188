import { expect, test } from 'vitest';
import { stackByDay } from './usage-series.ts';

const row = (day: string, model: string, executions: number) => ({
  ...{ day, model, executions },
  total_tokens: 2 * executions,
  cost_usd: executions / 100,
});

test('stacks every day by group, largest first, across months and days without usage', () => {
  const data = [row('2026-02-27', 'a/x', 1), row('2026-02-27', 'b/y', 2), row('2026-03-01', 'a/x', 4)];
  const report = { from: '2026-02-27', to: '2026-03-02', data };
  expect(stackByDay(report, 'total_tokens', ({ model }) => model, 'others')).toEqual({
    names: ['a/x', 'b/y'],
    days: [
      { day: '2026-02-27', total: 6, parts: [2, 4] },
      { day: '2026-02-28', total: 0, parts: [0, 0] },
      { day: '2026-03-01', total: 8, parts: [8, 0] },
      { day: '2026-03-02', total: 0, parts: [0, 0] },
    ],
  });
});

test('shows small groups as one', () => {
  const data = [1, 2, 3, 4, 5, 6, 7].map((executions) => row('2026-03-01', `m${executions}`, executions));
  const report = { from: '2026-03-01', to: '2026-03-01', data };
  expect(stackByDay(report, 'executions', ({ model }) => model, 'others')).toEqual({
    names: ['m7', 'm6', 'm5', 'm4', 'm3', 'others'],
    days: [{ day: '2026-03-01', total: 28, parts: [7, 6, 5, 4, 3, 3] }],
  });
});
