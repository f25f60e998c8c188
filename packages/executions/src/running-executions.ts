import { defineScript, fromRedis, type RedisConnection, runningKey } from '@chorus/events';

/** What of a user is noted is forgotten when nothing begins for a week. */
const FORGET_AFTER_S = 604_800;

/** KEYS: the user's executions. ARGV: limit, id, time. Returns 1 where there was room for it, and 0. */
const TAKE = `
if redis.call('ZSCORE', KEYS[1], ARGV[2]) then return 1 end
if redis.call('ZCARD', KEYS[1]) >= tonumber(ARGV[1]) then return 0 end
redis.call('ZADD', KEYS[1], ARGV[3], ARGV[2])
redis.call('EXPIRE', KEYS[1], ${FORGET_AFTER_S})
return 1`;

/** Executions of each user that have not ended, batches apart: ids by when they began, over all processes. */
export function createRunningExecutions(redis: RedisConnection) {
  const take = defineScript(redis, 'chorusTakeRunning', TAKE, 1);
  return {
    /** Notes an execution that begins, unless its user has as many as allowed. */
    begin: async (userId: string, id: string, limit: number): Promise<boolean> =>
      (await fromRedis(take(runningKey(userId), limit, id, Date.now()))) === 1,
    /** Takes note of an end. What is lost is found by whoever meets the limit. */
    end: async (userId: string, ...ids: string[]): Promise<void> => {
      if (ids.length > 0) await fromRedis(redis.zrem(runningKey(userId), ...ids));
    },
    /** Those that began before a time. */
    begunBefore: (userId: string, time: number): Promise<string[]> =>
      fromRedis(redis.zrangebyscore(runningKey(userId), '-inf', time)),
    forget: async (userId: string): Promise<void> => {
      await fromRedis(redis.del(runningKey(userId)));
    },
  };
}
