import type { RedisConnection } from './connection/index.ts';

/** Returns the time of Redis in milliseconds. All processes agree on it, even if the clock of a machine is wrong. */
export async function redisTime(redis: RedisConnection): Promise<number> {
  const [seconds, microseconds] = await redis.time();
  return Number(seconds) * 1_000 + Math.floor(Number(microseconds) / 1_000);
}
