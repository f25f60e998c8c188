import type { RedisConnection } from '@chorus/events';
import { isRemembered, KNOWN_LANES_KEY } from './steps/lane-steps.ts';

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

/** Lists the lanes that were used within a day, or are still stopped, and forgets the others. */
export async function knownLanes(redis: RedisConnection): Promise<string[]> {
  const known = Object.entries(await redis.hgetall(KNOWN_LANES_KEY));
  const since = Date.now() - KEEP_MS;
  const unused = known.filter(([, usedAt]) => Number(usedAt) <= since).map(([lane]) => lane);
  const isKept = await Promise.all(unused.map((lane) => isRemembered(redis, lane)));
  const forgotten = new Set(unused.filter((_, at) => !isKept[at]));
  if (forgotten.size > 0) await redis.hdel(KNOWN_LANES_KEY, ...forgotten);
  return known
    .map(([lane]) => lane)
    .filter((lane) => !forgotten.has(lane))
    .sort();
}
