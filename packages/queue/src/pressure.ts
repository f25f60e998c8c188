import { ChorusError, type Pool } from '@chorus/contract';
import { defineScript, fromRedis, type RedisConnection } from '@chorus/events';
import { placeKeys } from '@chorus/executions';

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
 * KEYS: jobs to be taken first, the line, parked jobs, sharers with parked jobs, the user's open jobs, the sharer's parked jobs.
 * ARGV: prefix of job keys, prefix of fair keys.
 * Returns [depth, when the oldest waiting job was added or 0, depth and that of the sharer].
 */
const LOOK = `
local first, line, parked, waiting, open, queue = unpack(KEYS)
local function added(id) return tonumber(id and redis.call('HGET', ARGV[1] .. id, 'timestamp') or 0) or 0 end
local function older(one, other) return one == 0 and other or (other == 0 and one or math.min(one, other)) end
local lined = redis.call('ZCARD', line)
local depth = redis.call('LLEN', first) + lined + redis.call('ZCARD', parked)
if depth == 0 then return {0, 0, 0, 0} end
local oldest = added(redis.call('LINDEX', first, -1))
for _, id in ipairs(redis.call('ZRANGE', line, 0, ${HEAD - 1})) do oldest = older(oldest, added(id)) end
for _, sharer in ipairs(redis.call('ZRANGE', waiting, 0, ${HEAD - 1})) do
  oldest = older(oldest, added(redis.call('ZRANGE', ARGV[2] .. 'queue:' .. sharer, 0, 0)[1]))
end
local held, since = redis.call('ZCARD', queue), added(redis.call('ZRANGE', queue, 0, 0)[1])
if lined > 0 then
  for _, id in ipairs(redis.call('SMEMBERS', open)) do
    if redis.call('ZSCORE', line, id) then
      held = held + 1
      since = older(since, added(id))
    end
  end
end
return {depth, oldest, held, since}
`;

/**
 * Watches how much waits for each pool. Far from the limits a look serves for a moment, so that admitting costs no round trip;
 * near them each admission looks for itself.
 */
export function createPressureGauge(redis: RedisConnection, limits: PressureLimits) {
  const look = defineScript(redis, 'chorusQueueLook', LOOK, 6);
  const seen = new Map<Pool, { pressure: Pressure; at: number; admitted: number; renewing: boolean }>();
  /** Admitted and not yet in the queue, by pool, and by pool and owner. */
  const arriving = new Map<string, number>();
  const count = (key: string, by: number) => {
    const counted = (arriving.get(key) ?? 0) + by;
    if (counted > 0) arriving.set(key, counted);
    else arriving.delete(key);
  };

  const read = async (pool: Pool, sharer = ''): Promise<Look> => {
    const { wait, line, parked, waiting, open, queue, base, fair } = placeKeys(pool);
    const looking = look(wait, line, parked, waiting, open(sharer), queue(sharer), base, fair);
    const [depth, oldest, held, since] = (await fromRedis(looking)) as [number, number, number, number];
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
