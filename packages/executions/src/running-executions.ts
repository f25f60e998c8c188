import { defineScript, fromRedis, type RedisConnection, runningKey } from '@chorus/events';

/** A week after a user's last execution, the set expires. */
const FORGET_AFTER_S = 604_800;

/** KEYS: the user's executions. ARGV: limit, id, time. Returns 1 if the execution fits the limit, else 0. */
const TAKE = `
if redis.call('ZSCORE', KEYS[1], ARGV[2]) then return 1 end
if redis.call('ZCARD', KEYS[1]) >= tonumber(ARGV[1]) then return 0 end
redis.call('ZADD', KEYS[1], ARGV[3], ARGV[2])
redis.call('EXPIRE', KEYS[1], ${FORGET_AFTER_S})
return 1`;

/** Tracks the unfinished executions of each user, without batches, over all processes. */
export function createRunningExecutions(redis: RedisConnection) {
  const take = defineScript(redis, 'chorusTakeRunning', TAKE, 1);
  return {
    /** Adds an execution. Returns false if the user has reached the limit. */
    begin: async (userId: string, id: string, limit: number): Promise<boolean> =>
      (await fromRedis(take(runningKey(userId), limit, id, Date.now()))) === 1,
    /** Removes ended executions. Lost ends are found when the user reaches the limit. */
    end: async (userId: string, ...ids: string[]): Promise<void> => {
      if (ids.length > 0) await fromRedis(redis.zrem(runningKey(userId), ...ids));
    },
    begunBefore: (userId: string, time: number): Promise<string[]> =>
      fromRedis(redis.zrangebyscore(runningKey(userId), '-inf', time)),
    forget: async (userId: string): Promise<void> => {
      await fromRedis(redis.del(runningKey(userId)));
    },
  };
}
