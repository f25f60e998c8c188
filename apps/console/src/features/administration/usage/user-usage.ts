import type { UserUsageReport } from '@chorus/client';

const DAY_MS = 86_400_000;

export interface UserUsage {
  userId: string;
  executions: number;
  tokens: number;
  cost: number;
  /** Whether the price of some executions is unknown. */
  isPartial: boolean;
  /** Whether the cost of some executions is estimated. */
  isEstimated: boolean;
  /** Executions by day, oldest first, including days without any. */
  byDay: number[];
}

/** Sums usage by user, busiest first. */
export function usageByUser({ from, to, data }: UserUsageReport): UserUsage[] {
  const days = Math.round((Date.parse(to) - Date.parse(from)) / DAY_MS) + 1;
  const users = new Map<string, UserUsage>();
  for (const { day, user_id, executions, total_tokens, cost_usd, unpriced_executions, estimated_executions } of data) {
    const none = { executions: 0, tokens: 0, cost: 0, isPartial: false, isEstimated: false };
    const user = users.get(user_id) ?? { userId: user_id, ...none, byDay: Array<number>(days).fill(0) };
    user.executions += executions;
    user.tokens += total_tokens;
    user.cost += cost_usd;
    user.isPartial ||= unpriced_executions > 0;
    user.isEstimated ||= estimated_executions > 0;
    user.byDay[Math.round((Date.parse(day) - Date.parse(from)) / DAY_MS)] = executions;
    users.set(user_id, user);
  }
  return [...users.values()].sort((one, other) => other.executions - one.executions);
}
