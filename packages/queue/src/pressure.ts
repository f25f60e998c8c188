import { ChorusError, type Pool } from '@chorus/contract';
import { defineScript, fromRedis, type RedisConnection } from '@chorus/events';
import { lineKeys, SAME_TURN } from './fair-line.ts';

export interface PressureLimits {
  /** Waiting jobs of a pool beyond which nothing more is taken. */
  maxDepth: number;
  /** Age of an owner's oldest waiting job of the pool `text`, in milliseconds, beyond which nothing more of that owner is taken; of other pools' 60 times as much. */
  maxAgeMs: number;
}

export interface Pressure {
  depth: number;
  oldestMs: number;
}

/** How much longer a job may wait than one that somebody sits before: work that takes minutes waits for minutes. */
const PATIENCE: Record<Pool, number> = { text: 1, media: 60, vision: 60, knowledge: 60, voice: 1, system: 60 };

/** What waits for a pool, and what of it is one owner's. */
interface Look extends Pressure {
  mine: Pressure;
}

/** How long a look at a queue that was far from its limits serves, in milliseconds; and after how long it is renewed beside the admission. */
const SERVES_MS = 1_000;
const FRESH_MS = 50;

/** Jobs at the head of the line whose age is looked at. Of each owner it is the first that waits longest, and these stand near the head. */
const HEAD = 16;

/**
 * KEYS: jobs to be taken first, the line, who waits of one owner. ARGV: prefix of job keys.
 * Returns [depth, when the oldest waiting job was added or 0, depth and that of the owner].
 */
const LOOK = `
local first, line, mine = KEYS[1], KEYS[2], KEYS[3]
local function added(id) return tonumber(id and redis.call('HGET', ARGV[1] .. id, 'timestamp') or 0) or 0 end
local depth = redis.call('LLEN', first) + redis.call('ZCARD', line)
if depth == 0 then return {0, 0, 0, 0} end
local oldest = added(redis.call('LINDEX', first, -1))
for _, id in ipairs(redis.call('ZRANGE', line, 0, ${HEAD - 1})) do
  local at = added(id)
  if oldest == 0 or (at > 0 and at < oldest) then oldest = at end
end
-- Whoever's turn lies before that of the head has been taken; of those with the same turn each is looked at.
local head = redis.call('ZRANGE', line, 0, 0, 'WITHSCORES')
local turn = head[2] and math.floor(tonumber(head[2]) / ${SAME_TURN})
redis.call('ZREMRANGEBYSCORE', mine, '-inf', turn and '(' .. turn or '+inf')
local held, since = 0, 0
while true do
  local id = redis.call('ZRANGE', mine, 0, 0)[1]
  if not id then break end
  if redis.call('ZSCORE', line, id) then
    held, since = redis.call('ZCARD', mine), added(id)
    break
  end
  redis.call('ZREM', mine, id)
end
return {depth, oldest, held, since}
`;

/**
 * Watches how much waits for each pool. Far from the limits a look serves for a moment, so that admitting costs no round trip;
 * near them each admission looks for itself.
 */
export function createPressureGauge(redis: RedisConnection, limits: PressureLimits) {
  const look = defineScript(redis, 'chorusQueueLook', LOOK, 3);
  const seen = new Map<Pool, { pressure: Pressure; at: number; admitted: number; renewing: boolean }>();
  /** Admitted and not yet in the queue, by pool, and by pool and owner. */
  const arriving = new Map<string, number>();
  const count = (key: string, by: number) => {
    const counted = (arriving.get(key) ?? 0) + by;
    if (counted > 0) arriving.set(key, counted);
    else arriving.delete(key);
  };

  const read = async (pool: Pool, sharer = ''): Promise<Look> => {
    const { wait, line, mine, base } = lineKeys(pool, sharer);
    const [depth, oldest, held, since] = (await fromRedis(look(wait, line, mine, base))) as [
      number,
      number,
      number,
      number,
    ];
    const pressure = { depth, oldestMs: ageOf(oldest) };
    seen.set(pool, { pressure, at: performance.now(), admitted: 0, renewing: false });
    return { ...pressure, mine: { depth: held, oldestMs: ageOf(since) } };
  };

  const maxAgeMs = (pool: Pool) => limits.maxAgeMs * PATIENCE[pool];

  const farFromLimits = (pool: Pool): boolean => {
    const last = seen.get(pool);
    if (!last) return false;
    const sinceMs = performance.now() - last.at;
    if (sinceMs > SERVES_MS) return false;
    last.admitted += 1;
    const far =
      last.pressure.depth + last.admitted < limits.maxDepth / 2 &&
      last.pressure.oldestMs + sinceMs < maxAgeMs(pool) / 2;
    if (far && sinceMs > FRESH_MS && !last.renewing) {
      last.renewing = true;
      read(pool).catch(() => seen.delete(pool));
    }
    return far;
  };

  /** @throws {ChorusError} `overloaded` */
  const check = (pool: Pool, sharer: string, { depth, mine }: Look): void => {
    const free = limits.maxDepth - depth - (arriving.get(pool) ?? 0);
    if (free <= 0) throw overloaded('Too much work is waiting; try again shortly.');
    // Nobody holds more places than are left for all others: one alone gets half of them, two a third each, and there is always room for a newcomer.
    const held = mine.depth + (arriving.get(`${pool} ${sharer}`) ?? 0);
    if (held >= free || mine.oldestMs > maxAgeMs(pool)) {
      throw overloaded('Too much of your work is waiting; try again shortly.');
    }
  };

  return {
    async read(pool: Pool): Promise<Pressure> {
      const { depth, oldestMs } = await read(pool);
      return { depth, oldestMs };
    },
    /** Throws `overloaded` when the pool or the owner's share of it is over a limit; else answers a function to call once the job is queued, or is not to be. */
    async admit(pool: Pool, sharer: string): Promise<() => void> {
      // Checked and counted in one go, so that others who look meanwhile see it.
      if (!farFromLimits(pool)) check(pool, sharer, await read(pool, sharer));
      const keys = [pool, `${pool} ${sharer}`];
      for (const key of keys) count(key, 1);
      return () => {
        for (const key of keys) count(key, -1);
      };
    },
  };
}

function ageOf(added: number): number {
  return added > 0 ? Math.max(0, Date.now() - added) : 0;
}

function overloaded(message: string): ChorusError {
  return new ChorusError('overloaded', message, { retryAfterS: 5 });
}
