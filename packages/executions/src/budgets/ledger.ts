import { BUDGET_PERIODS, type BudgetPeriod } from '@chorus/contract';
import { defineScript, fromRedis, type RedisConnection } from '@chorus/events';
import { periodsAt } from './periods.ts';

/** Amounts are integers, in billionths of a dollar, which Redis and Lua add exactly. */
const UNIT_USD = 1e-9;
const toUnits = (usd: number) => Math.round(usd / UNIT_USD);
const toUsd = (units: number) => units * UNIT_USD;

/** Ledgers outlive their periods, so that late ends are still charged. */
const KEEP_S: Record<BudgetPeriod, number> = { daily: 3 * 86_400, monthly: 40 * 86_400 };

/** The moving averages of each kind's cost outlive the periods. */
const KEEP_USUAL_S = 90 * 86_400;

/** While the cost of a kind is unknown, each execution reserves this share of the limit. */
const UNKNOWN_SHARE = 0.05;

/**
 * A ledger is a hash: `ready` once earlier spending is known, `spent`, `held` in total, and `hold:<execution>`.
 * Another hash has a moving average of each kind's cost, which its next execution reserves.
 *
 * KEYS: the ledgers of the day and the month, and the averages. ARGV: execution, kind, then limit (-1: none) and
 * seconds to keep of each ledger.
 * Returns 0 (reserved), -1 (not ready), or the number of the ledger that is used up.
 */
const RESERVE = `
local usual = redis.call('HGET', KEYS[3], ARGV[2])
for at = 1, 2 do
  local key = KEYS[at]
  local state = redis.call('HMGET', key, 'ready', 'spent', 'held')
  if not state[1] then return -1 end
  local limit = tonumber(ARGV[1 + at * 2])
  if limit >= 0 and tonumber(state[2] or 0) + tonumber(state[3] or 0) >= limit
    and redis.call('HEXISTS', key, 'hold:' .. ARGV[1]) == 0 then return at end
end
for at = 1, 2 do
  local key = KEYS[at]
  local limit = tonumber(ARGV[1 + at * 2])
  local hold = usual or string.format('%.0f', math.floor(math.max(limit, 0) * ${UNKNOWN_SHARE}))
  if redis.call('HSETNX', key, 'hold:' .. ARGV[1], hold) == 1 then redis.call('HINCRBY', key, 'held', hold) end
  redis.call('EXPIRE', key, ARGV[2 + at * 2])
end
return 0`;

/** KEYS: as above. ARGV: execution, kind, cost (-1: it did not run). Charges only reserved executions, once. */
const SETTLE = `
local cost = tonumber(ARGV[3])
local isCharged = false
for at = 1, 2 do
  local key = KEYS[at]
  local hold = redis.call('HGET', key, 'hold:' .. ARGV[1])
  if hold then
    redis.call('HDEL', key, 'hold:' .. ARGV[1])
    redis.call('HINCRBY', key, 'held', string.format('%.0f', 0 - tonumber(hold)))
    if cost >= 0 then
      redis.call('HINCRBY', key, 'spent', ARGV[3])
      isCharged = true
    end
  end
end
if isCharged then
  local usual = tonumber(redis.call('HGET', KEYS[3], ARGV[2]) or ARGV[3])
  redis.call('HSET', KEYS[3], ARGV[2], string.format('%.0f', (usual * 7 + cost) / 8))
  redis.call('EXPIRE', KEYS[3], ${KEEP_USUAL_S})
end
return 0`;

/** KEYS: one ledger. ARGV: earlier spending, seconds to keep, then running executions. Only the first call counts. */
const OPEN = `
if redis.call('HSETNX', KEYS[1], 'ready', 1) == 1 then
  redis.call('HINCRBY', KEYS[1], 'spent', ARGV[1])
  for at = 3, #ARGV do redis.call('HSETNX', KEYS[1], 'hold:' .. ARGV[at], 0) end
  redis.call('EXPIRE', KEYS[1], ARGV[2])
end
return 0`;

const ledgerKey = (subject: string, period: string) => `chorus:{budget:${subject}}:${period}`;
const usualKey = (subject: string) => `chorus:{budget:${subject}}:usual`;
const ledgersOf = (subject: string, time: Date) => {
  const periods = periodsAt(time);
  return BUDGET_PERIODS.map((period) => ledgerKey(subject, periods[period].name));
};

export type Limits = Record<BudgetPeriod, number | null>;

/** Money spent in a period, and what running executions will probably add. */
export interface Spending {
  spentUsd: number;
  reservedUsd: number;
}

/** The money that workspaces and keys have spent, by day and month, over all processes. */
export function createBudgetLedger(redis: RedisConnection) {
  const reserve = defineScript(redis, 'chorusReserveBudget', RESERVE, 3);
  const settle = defineScript(redis, 'chorusSettleBudget', SETTLE, 3);
  const open = defineScript(redis, 'chorusOpenBudget', OPEN, 1);
  return {
    /** Reserves the usual cost of an execution. Returns null, the period that is used up, or `closed`. */
    async reserve(
      subject: string,
      limits: Limits,
      { id, kind, at }: { id: string; kind: string; at: Date },
    ): Promise<BudgetPeriod | 'closed' | null> {
      const args = BUDGET_PERIODS.flatMap((period) => {
        const limit = limits[period];
        return [limit === null ? -1 : toUnits(limit), KEEP_S[period]];
      });
      const answer = Number(await fromRedis(reserve(...ledgersOf(subject, at), usualKey(subject), id, kind, ...args)));
      return answer === 0 ? null : (BUDGET_PERIODS[answer - 1] ?? 'closed');
    },
    /** Charges an execution that began at `at`, once. Null cost: it did not run. */
    async settle(
      subject: string,
      { id, kind, at, costUsd }: { id: string; kind: string; at: Date; costUsd: number | null },
    ): Promise<void> {
      const cost = costUsd === null ? -1 : toUnits(costUsd);
      await fromRedis(settle(...ledgersOf(subject, at), usualKey(subject), id, kind, cost));
    },
    /** Opens a ledger with earlier spending and the running executions. */
    async open(
      subject: string,
      {
        period,
        at,
        spentUsd,
        running,
      }: { period: BudgetPeriod; at: Date; spentUsd: number; running: readonly string[] },
    ): Promise<void> {
      const key = ledgerKey(subject, periodsAt(at)[period].name);
      await fromRedis(open(key, toUnits(spentUsd), KEEP_S[period], ...running));
    },
    /** Returns null if the ledger is not open. */
    async read(subject: string, period: BudgetPeriod, at: Date): Promise<Spending | null> {
      const key = ledgerKey(subject, periodsAt(at)[period].name);
      const [ready, spent, held] = await fromRedis(redis.hmget(key, 'ready', 'spent', 'held'));
      if (ready == null) return null;
      return { spentUsd: toUsd(Number(spent ?? 0)), reservedUsd: toUsd(Number(held ?? 0)) };
    },
    /** Lists the executions with reservations in a subject's ledgers for a time. */
    async held(subject: string, at: Date): Promise<string[]> {
      const fields = await Promise.all(ledgersOf(subject, at).map((key) => fromRedis(redis.hkeys(key))));
      const ids = fields.flat().flatMap((field) => (field.startsWith('hold:') ? [field.slice('hold:'.length)] : []));
      return [...new Set(ids)];
    },
    async forget(subject: string, at: Date): Promise<void> {
      await Promise.all([...ledgersOf(subject, at), usualKey(subject)].map((key) => fromRedis(redis.del(key))));
    },
  };
}

export type BudgetLedger = ReturnType<typeof createBudgetLedger>;
