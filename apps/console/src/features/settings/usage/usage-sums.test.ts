import type { UsageReport, UsageRow } from '@chorus/client';
import { expect, test } from 'vitest';
import { sumBy } from './usage-sums.ts';

const row = (day: string, model: string | null, executions: number): UsageRow => ({
  day,
  model,
  api_key_id: null,
  executions,
  input_tokens: executions,
  output_tokens: executions,
  total_tokens: 2 * executions,
  cost_usd: executions / 100,
  unpriced_executions: 0,
  estimated_executions: 0,
});
const report: UsageReport = {
  object: 'usage',
  from: '2026-02-27',
  to: '2026-03-02',
  data: [
    row('2026-02-27', 'a/x', 1),
    row('2026-02-27', 'b/y', 2),
    row('2026-03-01', 'a/x', 4),
    row('2026-03-01', null, 1),
  ],
  total: {
    ...{ executions: 8, input_tokens: 8, output_tokens: 8, total_tokens: 16 },
    ...{ cost_usd: 0.08, unpriced_executions: 0, estimated_executions: 0 },
  },
  storage: { used_bytes: 0, limit_bytes: null },
};

test('sums by model, busiest first', () => {
  expect(
    sumBy(report, ({ model }) => model ?? 'no model').map(({ name, executions, total_tokens }) => [
      name,
      executions,
      total_tokens,
    ]),
  ).toEqual([
    ['a/x', 5, 10],
    ['b/y', 2, 4],
    ['no model', 1, 2],
  ]);
});
