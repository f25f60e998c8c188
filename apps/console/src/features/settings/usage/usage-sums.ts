import type { UsageReport, UsageRow } from '@chorus/client';
import { formatExactCost } from '../../../components/format.tsx';
import { formatNumber } from '../../../i18n/i18n.ts';

export const measures = [
  { value: 'executions', label: 'components.executions', format: (value: number) => formatNumber(value) },
  { value: 'total_tokens', label: 'components.tokens', format: (value: number) => formatNumber(value) },
  { value: 'cost_usd', label: 'components.cost', format: formatExactCost },
] as const;
export type Measure = (typeof measures)[number]['value'];

const DAY_MS = 86_400_000;

/** Returns the UTC date this many days before a time, as `2026-03-31`. */
export function daysBefore(time: Date, days: number): string {
  return new Date(time.getTime() - days * DAY_MS).toISOString().slice(0, 10);
}

export interface Bar {
  name: string;
  value: number;
}

/** Returns one bar per day, including days without usage. */
export function sumByDay({ from, to, data }: UsageReport, measure: Measure): Bar[] {
  const sums = new Map<string, number>();
  for (let day = from; day <= to; day = daysBefore(new Date(day), -1)) sums.set(day, 0);
  for (const row of data) sums.set(row.day, (sums.get(row.day) ?? 0) + row[measure]);
  return [...sums].map(([name, value]) => ({ name, value }));
}

export type UsageSum = Pick<UsageRow, 'executions' | 'total_tokens' | 'cost_usd' | 'unpriced_executions'> & {
  name: string;
};

/**
 * Sums usage by group, busiest first.
 *
 * @param nameOf returns the group of a row, as in `({ model }) => model ?? 'no model'`
 */
export function sumBy({ data }: UsageReport, nameOf: (row: UsageRow) => string): UsageSum[] {
  const sums = new Map<string, UsageSum>();
  for (const row of data) {
    const name = nameOf(row);
    const sum = sums.get(name) ?? { name, executions: 0, total_tokens: 0, cost_usd: 0, unpriced_executions: 0 };
    sum.executions += row.executions;
    sum.total_tokens += row.total_tokens;
    sum.cost_usd += row.cost_usd;
    sum.unpriced_executions += row.unpriced_executions;
    sums.set(name, sum);
  }
  return [...sums.values()].sort((a, b) => b.executions - a.executions);
}
