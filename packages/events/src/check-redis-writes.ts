import type { RedisConnection } from './connection/index.ts';
import { fromRedis } from './from-redis.ts';

const PROBE_KEY = 'chorus:ready';
const PROBE_MS = 60_000;

/** Throws if Redis refuses writes: it is full, or a replica, or cannot write to its disk. */
export async function checkRedisWrites(redis: RedisConnection): Promise<void> {
  await fromRedis(redis.set(PROBE_KEY, 1, 'PX', PROBE_MS));
}
