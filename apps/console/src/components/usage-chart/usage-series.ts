import { formatNumber } from '../../i18n/i18n.ts';
import { formatExactCost } from '../format.tsx';

export const measures = [
  { value: 'executions', label: 'components.executions', format: (value: number) => formatNumber(value) },
  { value: 'total_tokens', label: 'components.tokens', format: (value: number) => formatNumber(value) },
  { value: 'cost_usd', label: 'components.cost', format: formatExactCost },
] as const;
export type Measure = (typeof measures)[number]['value'];

const DAY_MS = 86_400_000;

/** Further groups are shown as one. */
const MAX_GROUPS = 5;

/** Returns the UTC date this many days before a time, as `2026-03-31`. */
export function daysBefore(time: Date, days: number): string {
  return new Date(time.getTime() - days * DAY_MS).toISOString().slice(0, 10);
}

export interface UsageSeries {
  /** Names of the groups, largest first. */
  names: string[];
  /** All days, with or without usage. `parts` are in the order of the names. */
  days: { day: string; total: number; parts: number[] }[];
}

interface Report<Row> {
  from: string;
  to: string;
  data: readonly Row[];
}

type MeasuredRow = { day: string } & Record<Measure, number>;

/**
 * Stacks usage by day and group.
 *
 * @param nameOf returns the group of a row, as in `({ model }) => model ?? 'no model'`
 * @param others names the groups beyond the largest ones
 */
export function stackByDay<Row extends MeasuredRow>(
  { from, to, data }: Report<Row>,
  measure: Measure,
  nameOf: (row: Row) => string,
  others: string,
): UsageSeries {
  const totals = new Map<string, number>();
  for (const row of data) totals.set(nameOf(row), (totals.get(nameOf(row)) ?? 0) + row[measure]);
  const used = [...totals].filter(([, total]) => total > 0).sort(([, one], [, other]) => other - one);
  const largest = used.slice(0, MAX_GROUPS).map(([name]) => name);
  const names = used.length > MAX_GROUPS ? [...largest, others] : largest;
  const days = new Map<string, UsageSeries['days'][number]>();
  for (let day = from; day <= to; day = daysBefore(new Date(day), -1))
    days.set(day, { day, total: 0, parts: names.map(() => 0) });
  for (const row of data) {
    const day = days.get(row.day);
    if (day === undefined || row[measure] === 0) continue;
    const found = largest.indexOf(nameOf(row));
    const at = found === -1 ? MAX_GROUPS : found;
    day.total += row[measure];
    day.parts[at] = (day.parts[at] ?? 0) + row[measure];
  }
  return { names, days: [...days.values()] };
}
