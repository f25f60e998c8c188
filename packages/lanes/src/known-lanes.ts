import type { RedisConnection } from '@chorus/events';
import { KNOWN_LANES_KEY } from './steps/lane-steps.ts';

const KEEP_MS = 86_400_000;
const MAX_LANES = 2_000;

/** Notes that a lane is in use, so that it is listed. */
export async function noteLane(redis: RedisConnection, lane: string): Promise<void> {
  const isKnown = await redis.hexists(KNOWN_LANES_KEY, lane);
  if (!isKnown && (await redis.hlen(KNOWN_LANES_KEY)) >= MAX_LANES) {
    await knownLanes(redis);
    if ((await redis.hlen(KNOWN_LANES_KEY)) >= MAX_LANES) return;
  }
  await redis.hset(KNOWN_LANES_KEY, lane, Date.now());
}

/** Lists the lanes that were used within a day, and forgets the others. */
export async function knownLanes(redis: RedisConnection): Promise<string[]> {
  const known = Object.entries(await redis.hgetall(KNOWN_LANES_KEY));
  const since = Date.now() - KEEP_MS;
  const isKept = ([, usedAt]: [string, string]) => Number(usedAt) > since;
  const forgotten = known.filter((entry) => !isKept(entry)).map(([lane]) => lane);
  if (forgotten.length > 0) await redis.hdel(KNOWN_LANES_KEY, ...forgotten);
  return known
    .filter(isKept)
    .map(([lane]) => lane)
    .sort();
}
