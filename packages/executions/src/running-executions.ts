import { defineScript, fromRedis, type RedisConnection, runningKey } from '@chorus/events';
import { joinCalls } from '@chorus/runtime/timing';

/** The set expires a week after the user's last execution. */
const FORGET_AFTER_S = 604_800;

/** Maximum number of executions that share a step. */
const MAX_JOINED = 64;

/** KEYS: the user's executions. ARGV: limit, time, ids. Returns 1 for each that is within the limit, else 0. */
const TAKE = `
local fits = {}
local count = redis.call('ZCARD', KEYS[1])
for at = 3, #ARGV do
  local known = redis.call('ZSCORE', KEYS[1], ARGV[at])
  fits[#fits + 1] = (known or count < tonumber(ARGV[1])) and 1 or 0
  if not known and fits[#fits] == 1 then count = count + redis.call('ZADD', KEYS[1], ARGV[2], ARGV[at]) end
end
redis.call('EXPIRE', KEYS[1], ${FORGET_AFTER_S})
return fits`;

/** Tracks the unfinished executions of each user, without batches, over all processes. */
export function createRunningExecutions(redis: RedisConnection) {
  const take = defineScript(redis, 'chorusTakeRunning', TAKE, 1);
  const takeTogether = joinCalls(
    async (userId: string, calls: { id: string; limit: number }[]) => {
      const limit = Math.min(...calls.map((call) => call.limit));
      const ids = calls.map(({ id }) => id);
      return (await fromRedis(take(runningKey(userId), limit, Date.now(), ...ids))) as number[];
    },
    { most: MAX_JOINED },
  );
  return {
    /**
     * Adds an execution. Returns false if the user has reached the limit. Calls of one turn of the event loop share a
     * round trip.
     */
    begin: async (userId: string, id: string, limit: number): Promise<boolean> =>
      (await takeTogether(userId, { id, limit })) === 1,
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
