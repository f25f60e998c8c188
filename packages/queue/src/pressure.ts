import { ChorusError, type Pool } from '@chorus/contract';
import { defineScript, fromRedis, type RedisConnection } from '@chorus/events';
import { queuePrefix } from '@chorus/executions';

export interface PressureLimits {
  /** Waiting jobs of a pool beyond which nothing more is taken. */
  maxDepth: number;
  /** Age of a pool's oldest waiting job, in milliseconds, beyond which nothing more is taken. */
  maxAgeMs: number;
}

export interface Pressure {
  depth: number;
  oldestMs: number;
}

/** How long a look at a queue that was far from its limits serves, in milliseconds; and after how long it is renewed beside the admission. */
const SERVES_MS = 1_000;
const FRESH_MS = 50;

/** KEYS: waiting list. ARGV: prefix of job keys. Returns [depth, when the oldest waiting job was added, or 0]. */
const LOOK = `
local depth = redis.call('LLEN', KEYS[1])
if depth == 0 then return {0, 0} end
local oldest = redis.call('LINDEX', KEYS[1], -1)
return {depth, tonumber(redis.call('HGET', ARGV[1] .. oldest, 'timestamp') or 0)}
`;

/**
 * Watches how much waits for each pool. Far from the limits a look serves for a moment, so that admitting costs no round trip;
 * near them each admission looks for itself.
 */
export function createPressureGauge(redis: RedisConnection, limits: PressureLimits) {
  const look = defineScript(redis, 'chorusQueueLook', LOOK, 1);
  const seen = new Map<Pool, { pressure: Pressure; at: number; admitted: number; renewing: boolean }>();
  /** Admitted and not yet in the queue. */
  const arriving = new Map<Pool, number>();

  const read = async (pool: Pool): Promise<Pressure> => {
    const base = `${queuePrefix(pool)}:${pool}:`;
    const [depth, timestamp] = (await fromRedis(look(`${base}wait`, base))) as [number, number];
    const pressure = { depth, oldestMs: timestamp > 0 ? Math.max(0, Date.now() - timestamp) : 0 };
    seen.set(pool, { pressure, at: performance.now(), admitted: 0, renewing: false });
    return pressure;
  };

  const farFromLimits = (pool: Pool): boolean => {
    const last = seen.get(pool);
    if (!last) return false;
    const sinceMs = performance.now() - last.at;
    if (sinceMs > SERVES_MS) return false;
    last.admitted += 1;
    const far =
      last.pressure.depth + last.admitted < limits.maxDepth / 2 &&
      last.pressure.oldestMs + sinceMs < limits.maxAgeMs / 2;
    if (far && sinceMs > FRESH_MS && !last.renewing) {
      last.renewing = true;
      read(pool).catch(() => seen.delete(pool));
    }
    return far;
  };

  return {
    read,
    /** Throws `overloaded` when the pool is over a limit; else answers a function to call once the job is queued, or is not to be. */
    async admit(pool: Pool): Promise<() => void> {
      if (!farFromLimits(pool)) {
        const { depth, oldestMs } = await read(pool);
        if (depth + (arriving.get(pool) ?? 0) >= limits.maxDepth || oldestMs > limits.maxAgeMs) {
          throw new ChorusError('overloaded', 'Too much work is waiting; try again shortly.', { retryAfterS: 5 });
        }
      }
      arriving.set(pool, (arriving.get(pool) ?? 0) + 1);
      return () => {
        arriving.set(pool, (arriving.get(pool) ?? 1) - 1);
      };
    },
  };
}
