import type { UsageReport, UsageRow } from '@chorus/client';

const NOTHING = { executions: 0, total_tokens: 0, cost_usd: 0, unpriced_executions: 0, estimated_executions: 0 };

export type UsageSum = Pick<UsageRow, keyof typeof NOTHING> & { name: string };

/**
 * Sums usage by group, busiest first.
 *
 * @param nameOf returns the group of a row, as in `({ model }) => model ?? 'no model'`
 */
export function sumBy({ data }: UsageReport, nameOf: (row: UsageRow) => string): UsageSum[] {
  const sums = new Map<string, UsageSum>();
  for (const row of data) {
    const name = nameOf(row);
    const sum = sums.get(name) ?? { name, ...NOTHING };
    sum.executions += row.executions;
    sum.total_tokens += row.total_tokens;
    sum.cost_usd += row.cost_usd;
    sum.unpriced_executions += row.unpriced_executions;
    sum.estimated_executions += row.estimated_executions;
    sums.set(name, sum);
  }
  return [...sums.values()].sort((a, b) => b.executions - a.executions);
}
