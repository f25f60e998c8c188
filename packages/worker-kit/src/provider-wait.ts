import { isStopReason } from '@chorus/contract';
import type { RedisConnection } from '@chorus/events';
import type { LaneWait } from '@chorus/lanes';

/** Work that nobody waits for may wait this long, or longer. */
const UNAWAITED_MS = 3_600_000;

/** Failures of a job whose provider answers others before the job fails, too: the request itself may be the reason. */
const MAX_STRIKES = 6;

/** How long a job pauses if its lane cannot say. */
const PAUSE_MS = 1_000;

/**
 * Returns whether a job may wait for its provider once more.
 *
 * @param key of the job in Redis
 * @param advanced Whether the attempt did work that no other repeats.
 * @param isLone Whether the provider failed this call, but not those of others.
 */
export async function mayWait(
  redis: RedisConnection,
  key: string,
  wait: LaneWait,
  { advanced, isLone }: { advanced: boolean; isLone: boolean },
): Promise<boolean> {
  const [limit, until, after] = await redis.hmget(key, 'wait', 'wait_until', 'after');
  // Its other models have failed as well.
  if (after === 'run') return false;
  const isAwaited = limit !== null && limit !== undefined && Number(limit) < UNAWAITED_MS;
  // Somebody must act first, which takes longer than people wait.
  if (isAwaited && isStopReason(wait.reason)) return false;
  if (isLone && (await redis.hincrby(key, 'strikes', 1)) > MAX_STRIKES) return false;
  if (advanced) await redis.hdel(key, 'strikes');
  if (limit === null || limit === undefined) return true; // its batch decides
  const now = Date.now();
  const endsAt = advanced || !until ? now + Number(limit) : Number(until);
  return now < endsAt && now + (wait.closedMs ?? 0) < endsAt;
}

/** Returns how long a job pauses that waits for a place rather than in a lane. */
export function pauseOf({ closedMs }: LaneWait): number {
  const ms = closedMs === null || closedMs === 0 ? PAUSE_MS : closedMs;
  return ms * (1 + Math.random() / 4);
}
