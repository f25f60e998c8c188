import { BUDGET_PERIODS, type BudgetPeriod } from '@chorus/contract';
import { defineScript, fromRedis, type RedisConnection } from '@chorus/events';
import { periodsAt } from './periods.ts';

/** Amounts are integers, in billionths of a dollar, which Redis and Lua add exactly. */
const UNIT_USD = 1e-9;
const toUnits = (usd: number) => Math.round(usd / UNIT_USD);
const toUsd = (units: number) => units * UNIT_USD;

/** Ledgers outlive their periods, so that late ends are still charged. */
const KEEP_S: Record<BudgetPeriod, number> = { daily: 3 * 86_400, monthly: 40 * 86_400 };

/** Models that a ledger lists as unpriced. */
const MAX_UNPRICED = 100;

/** More than any call costs, and little enough for Redis to add up. */
const MAX_HOLD_USD = 10_000_000;
const heldUnits = (usd: number) => toUnits(Math.min(usd, MAX_HOLD_USD));

/**
 * A ledger is a hash: `ready` once earlier spending is known, `spent`, the last known `limit`, `held` in total,
 * `hold:<execution>`, `unpriced:<model>`, and `ended:<execution>` if that was charged before the ledger was ready:
 * another process may be about to hold it.
 *
 * KEYS: the ledgers of the day and the month. ARGV: execution, the most that it can cost in total, then limit (-1:
 * none) and seconds to keep of each ledger. Without limits, raises an earlier reservation within the last known limits.
 * Returns {0} (reserved), {-1} (not ready), or the number of the ledger that does not cover it, what it has spent
 * and reserved for others, and its limit. Work that costs nothing is refused only if all is spent.
 */
const RESERVE = `
local isNew = ARGV[3] ~= nil
local holds = {}
for at = 1, 2 do
  local state = redis.call('HMGET', KEYS[at], 'ready', 'spent', 'held', 'hold:' .. ARGV[1], 'limit')
  if isNew and not state[1] then return {-1} end
  local hold = tonumber(state[4] or 0)
  holds[at] = math.max(tonumber(ARGV[2]) - hold, 0)
  if not state[4] and not isNew then holds[at] = 0 end
  local limit = tonumber((isNew and ARGV[1 + at * 2]) or state[5] or -1)
  local spent = tonumber(state[2] or 0)
  local others = tonumber(state[3] or 0) - hold
  local isUsedUp = isNew and not state[4] and spent >= limit
  if limit >= 0 and (isUsedUp or (holds[at] > 0 and spent + others + hold + holds[at] > limit)) then
    return {at, string.format('%.0f', spent), string.format('%.0f', others), string.format('%.0f', limit)}
  end
end
for at = 1, 2 do
  local more = string.format('%.0f', holds[at])
  if isNew or holds[at] > 0 then
    redis.call('HINCRBY', KEYS[at], 'hold:' .. ARGV[1], more)
    redis.call('HINCRBY', KEYS[at], 'held', more)
  end
  if isNew then
    redis.call('HSET', KEYS[at], 'limit', ARGV[1 + at * 2])
    redis.call('EXPIRE', KEYS[at], ARGV[2 + at * 2])
  end
end
return {0}`;

/**
 * KEYS: as above. ARGV: execution, cost (-1: it did not run), and its model if that has no price. Charges only reserved
 * executions, once.
 */
const SETTLE = `
local cost = tonumber(ARGV[2])
for at = 1, 2 do
  local key = KEYS[at]
  local hold = redis.call('HGET', key, 'hold:' .. ARGV[1])
  if hold then
    redis.call('HDEL', key, 'hold:' .. ARGV[1])
    redis.call('HINCRBY', key, 'held', string.format('%.0f', 0 - tonumber(hold)))
    if redis.call('HEXISTS', key, 'ready') == 0 then redis.call('HSET', key, 'ended:' .. ARGV[1], 1) end
    if cost >= 0 then redis.call('HINCRBY', key, 'spent', ARGV[2]) end
    if ARGV[3] then
      local name = 'unpriced:' .. ARGV[3]
      if redis.call('HEXISTS', key, name) == 1 then redis.call('HINCRBY', key, name, 1)
      elseif redis.call('HINCRBY', key, 'unpriced', 1) <= ${MAX_UNPRICED} then redis.call('HSET', key, name, 1) end
    end
  end
end
return 0`;

/** KEYS: as above. ARGV: execution, the amount that it keeps. */
const LOWER = `
for at = 1, 2 do
  local hold = tonumber(redis.call('HGET', KEYS[at], 'hold:' .. ARGV[1]) or 0)
  local less = hold - tonumber(ARGV[2])
  if less > 0 then
    redis.call('HINCRBY', KEYS[at], 'hold:' .. ARGV[1], string.format('%.0f', 0 - less))
    redis.call('HINCRBY', KEYS[at], 'held', string.format('%.0f', 0 - less))
  end
end
return 0`;

/** KEYS: one ledger. ARGV: earlier spending, seconds to keep, then unpriced models. Only the first call counts. */
const OPEN = `
if redis.call('HSETNX', KEYS[1], 'ready', 1) == 1 then
  redis.call('HINCRBY', KEYS[1], 'spent', ARGV[1])
  for at = 3, #ARGV do redis.call('HSET', KEYS[1], 'unpriced:' .. ARGV[at], 1) end
  if #ARGV > 2 then redis.call('HINCRBY', KEYS[1], 'unpriced', #ARGV - 2) end
  redis.call('EXPIRE', KEYS[1], ARGV[2])
end
return 0`;

/**
 * KEYS: one ledger. ARGV: seconds to keep, then running executions, each with its reservation. Only a ledger that is
 * not open needs them.
 */
const HOLD = `
if redis.call('HEXISTS', KEYS[1], 'ready') == 0 then
  for at = 2, #ARGV, 2 do
    if redis.call('HEXISTS', KEYS[1], 'ended:' .. ARGV[at]) == 0
      and redis.call('HSETNX', KEYS[1], 'hold:' .. ARGV[at], ARGV[at + 1]) == 1 then
      redis.call('HINCRBY', KEYS[1], 'held', ARGV[at + 1])
    end
  end
  redis.call('EXPIRE', KEYS[1], ARGV[1])
end
return 0`;

/** Executions that one step holds. */
const HELD_AT_ONCE = 1_000;

const ledgerKey = (subject: string, period: string) => `chorus:{budget:${subject}}:${period}`;
const ledgersOf = (subject: string, time: Date) => {
  const periods = periodsAt(time);
  return BUDGET_PERIODS.map((period) => ledgerKey(subject, periods[period].name));
};

export type Limits = Record<BudgetPeriod, number | null>;

/** Money spent in a period, and the most that running executions can add. */
export interface Spending {
  spentUsd: number;
  reservedUsd: number;
  /** Models that have run, and whose calls are not counted. */
  unpricedModels: string[];
}

/** A limit that does not cover an execution. */
export interface Shortage extends Pick<Spending, 'spentUsd' | 'reservedUsd'> {
  period: BudgetPeriod;
  limitUsd: number;
  /** The most that the execution can cost. */
  askedUsd: number;
}

/** The first content of a ledger. */
export interface Earlier extends Pick<Spending, 'spentUsd' | 'unpricedModels'> {
  running: readonly Hold[];
}

/** An execution with its reservation. */
export interface Hold {
  id: string;
  usd: number;
}

/** The money that workspaces and keys have spent, by day and month, over all processes. */
export function createBudgetLedger(redis: RedisConnection) {
  const reserve = defineScript(redis, 'chorusReserveBudget', RESERVE, 2);
  const settle = defineScript(redis, 'chorusSettleBudget', SETTLE, 2);
  const lower = defineScript(redis, 'chorusLowerBudget', LOWER, 2);
  const open = defineScript(redis, 'chorusOpenBudget', OPEN, 1);
  const hold = defineScript(redis, 'chorusHoldBudget', HOLD, 1);

  const run = async (subject: string, at: Date, { id, usd }: Hold, limits: (string | number)[]) => {
    const most = heldUnits(usd);
    const answer = (await fromRedis(reserve(...ledgersOf(subject, at), id, most, ...limits))) as (number | string)[];
    const [number, spent, reserved, limit] = answer.map(Number) as [number, number, number, number];
    if (number <= 0) return number === 0 ? null : ('closed' as const);
    const period = BUDGET_PERIODS[number - 1] as BudgetPeriod;
    const amounts = { spentUsd: toUsd(spent), reservedUsd: toUsd(reserved), limitUsd: toUsd(limit) };
    return { period, ...amounts, askedUsd: usd };
  };

  return {
    /** Reserves the most that an execution can cost. Returns null, the limit that does not cover it, or `closed`. */
    async reserve(
      subject: string,
      limits: Limits,
      { at, ...hold }: Hold & { at: Date },
    ): Promise<Shortage | 'closed' | null> {
      const args = BUDGET_PERIODS.flatMap((period) => {
        const limit = limits[period];
        return [limit === null ? -1 : toUnits(limit), KEEP_S[period]];
      });
      return run(subject, at, hold, args);
    },
    /** Raises a reservation of `at` in ledgers that have it. Returns null, or the limit that does not cover it. */
    async raise(subject: string, { at, ...hold }: Hold & { at: Date }): Promise<Shortage | null> {
      const answer = await run(subject, at, hold, []);
      return answer === 'closed' ? null : answer;
    },
    /** Lowers a reservation of `at` to what an execution has spent, while it calls no model. */
    async lower(subject: string, { id, usd, at }: Hold & { at: Date }): Promise<void> {
      await fromRedis(lower(...ledgersOf(subject, at), id, toUnits(usd)));
    },
    /**
     * Charges an execution that began at `at`, once. Null cost: it did not run.
     *
     * @param unpriced its model, if that has no price
     */
    async settle(
      subject: string,
      { id, at, costUsd, unpriced }: { id: string; at: Date; costUsd: number | null; unpriced?: string | undefined },
    ): Promise<void> {
      const cost = costUsd === null ? -1 : toUnits(costUsd);
      await fromRedis(settle(...ledgersOf(subject, at), id, cost, ...(unpriced === undefined ? [] : [unpriced])));
    },
    /** Opens a ledger with earlier spending and the running executions. */
    async open(
      subject: string,
      { period, at, spentUsd, unpricedModels, running }: Earlier & { period: BudgetPeriod; at: Date },
    ): Promise<void> {
      const key = ledgerKey(subject, periodsAt(at)[period].name);
      for (let from = 0; from < running.length; from += HELD_AT_ONCE) {
        const holds = running.slice(from, from + HELD_AT_ONCE).flatMap(({ id, usd }) => [id, heldUnits(usd)]);
        await fromRedis(hold(key, KEEP_S[period], ...holds));
      }
      await fromRedis(open(key, toUnits(spentUsd), KEEP_S[period], ...unpricedModels.slice(0, MAX_UNPRICED)));
    },
    /** Returns null if the ledger is not open. */
    async read(subject: string, period: BudgetPeriod, at: Date): Promise<Spending | null> {
      const key = ledgerKey(subject, periodsAt(at)[period].name);
      const [ready, spent, held, unpriced] = await fromRedis(redis.hmget(key, 'ready', 'spent', 'held', 'unpriced'));
      if (ready == null) return null;
      const fields = unpriced == null ? [] : await fromRedis(redis.hkeys(key));
      return {
        spentUsd: toUsd(Number(spent ?? 0)),
        reservedUsd: toUsd(Number(held ?? 0)),
        unpricedModels: named(fields, 'unpriced:').sort(),
      };
    },
    /** Lists the executions with reservations in a subject's ledgers for a time. */
    async held(subject: string, at: Date): Promise<string[]> {
      const fields = await Promise.all(ledgersOf(subject, at).map((key) => fromRedis(redis.hkeys(key))));
      return [...new Set(named(fields.flat(), 'hold:'))];
    },
    async forget(subject: string, at: Date): Promise<void> {
      await Promise.all(ledgersOf(subject, at).map((key) => fromRedis(redis.del(key))));
    },
  };
}

/** Returns what follows a prefix, in the fields that have it. */
const named = (fields: readonly string[], prefix: string) =>
  fields.flatMap((field) => (field.startsWith(prefix) ? [field.slice(prefix.length)] : []));

export type BudgetLedger = ReturnType<typeof createBudgetLedger>;
