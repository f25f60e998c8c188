import type { BudgetPeriod } from '@chorus/contract';

export interface Period {
  /** `2026-03-31` or `2026-03`. */
  name: string;
  from: Date;
  resetsAt: Date;
}

/** Returns the day and the month of a time, in UTC. */
export function periodsAt(time: Date): Record<BudgetPeriod, Period> {
  const [year, month, day] = [time.getUTCFullYear(), time.getUTCMonth(), time.getUTCDate()];
  const named = (length: number, from: number, resetsAt: number): Period => ({
    name: time.toISOString().slice(0, length),
    from: new Date(from),
    resetsAt: new Date(resetsAt),
  });
  return {
    daily: named(10, Date.UTC(year, month, day), Date.UTC(year, month, day + 1)),
    monthly: named(7, Date.UTC(year, month, 1), Date.UTC(year, month + 1, 1)),
  };
}
