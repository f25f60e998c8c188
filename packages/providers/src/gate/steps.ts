import { defineScript, type RedisConnection } from '@chorus/events';

/** A provider's Redis keys, in one cluster slot. */
const keysOf = (provider: string) => ({
  /** Hash: consecutive `failures`, and `until` when calls resume (ms of Redis's clock). */
  breaker: `chorus:{provider:${provider}}:breaker`,
  /** Held by the call that probes a broken provider. */
  probe: `chorus:{provider:${provider}}:probe`,
  /** Sorted set of running calls by the end of their lease. */
  calls: `chorus:{provider:${provider}}:calls`,
});

/**
 * Announces changes: `{"provider":"openai","failures":3,"open_ms":0,"at":"1790000000000000"}`, with
 * `at` in microseconds of Redis's clock, or `{"provider":"openai","free":true}`.
 */
export const GATES_CHANNEL = 'chorus:provider-gates';

const NOW = `local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local at = time[1] .. string.format('%06d', time[2])
`;

const FAIL = `${NOW}
local failures = redis.call('HINCRBY', KEYS[1], 'failures', 1)
redis.call('DEL', KEYS[2])
local open = 0
if failures >= tonumber(ARGV[1]) then
  open = tonumber(ARGV[2])
  redis.call('HSET', KEYS[1], 'until', now + open)
end
redis.call('PEXPIRE', KEYS[1], ARGV[3])
redis.call('PUBLISH', ARGV[4], cjson.encode({ provider = ARGV[5], failures = failures, open_ms = open, at = at }))
return { failures, open, at }`;

const SUCCEED = `${NOW}
redis.call('DEL', KEYS[1], KEYS[2])
redis.call('PUBLISH', ARGV[1], cjson.encode({ provider = ARGV[2], failures = 0, open_ms = 0, at = at }))
return 0`;

const READ = `${NOW}
local state = redis.call('HMGET', KEYS[1], 'failures', 'until')
return { tonumber(state[1] or 0), math.max(0, tonumber(state[2] or 0) - now), at }`;

const UNPROBE = `if redis.call('GET', KEYS[1]) == ARGV[1] then redis.call('DEL', KEYS[1]) end
return 0`;

const ACQUIRE = `${NOW}
redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', now)
local free = math.min(tonumber(ARGV[1]) - redis.call('ZCARD', KEYS[1]), #ARGV - 2)
for index = 1, free do redis.call('ZADD', KEYS[1], now + ARGV[2], ARGV[index + 2]) end
if free > 0 then redis.call('PEXPIRE', KEYS[1], ARGV[2] * 2) end
return math.max(0, free)`;

const RENEW = `${NOW}
for index = 2, #ARGV do redis.call('ZADD', KEYS[1], now + ARGV[1], ARGV[index]) end
redis.call('PEXPIRE', KEYS[1], ARGV[1] * 2)
return 0`;

const RELEASE = `local full = redis.call('ZCARD', KEYS[1]) >= tonumber(ARGV[1])
if redis.call('ZREM', KEYS[1], ARGV[2]) == 1 and full then
  redis.call('PUBLISH', ARGV[3], cjson.encode({ provider = ARGV[4], free = true }))
end
return 0`;

/** A provider's state as seen by all processes. */
export interface BreakerState {
  failures: number;
  /** How much longer the breaker stays open. */
  openMs: number;
  /** When this was read, in microseconds of Redis's clock, since news and replies arrive in any order. */
  at: number;
}

export type GateSteps = ReturnType<typeof gateSteps>;

/** The shared parts of a provider's gate, each an atomic step in Redis. */
export function gateSteps(redis: RedisConnection, provider: string) {
  const { breaker, probe, calls } = keysOf(provider);
  const step = (name: string, lua: string, keys: number) => defineScript(redis, `providerGate${name}`, lua, keys);
  const fail = step('Fail', FAIL, 2);
  const succeed = step('Succeed', SUCCEED, 2);
  const read = step('Read', READ, 1);
  const unprobe = step('Unprobe', UNPROBE, 1);
  const acquire = step('Acquire', ACQUIRE, 1);
  const renew = step('Renew', RENEW, 1);
  const release = step('Release', RELEASE, 1);
  const stateOf = (reply: unknown): BreakerState => {
    const [failures = 0, openMs = 0, at = 0] = (reply as (number | string)[]).map(Number);
    return { failures, openMs, at };
  };
  return {
    /** Counts a failure. At `threshold` in a row the breaker opens for `openMs`; `keepMs` resets the count. */
    fail: async (options: { threshold: number; openMs: number; keepMs: number }) =>
      stateOf(await fail(breaker, probe, options.threshold, options.openMs, options.keepMs, GATES_CHANNEL, provider)),
    succeed: () => succeed(breaker, probe, GATES_CHANNEL, provider),
    read: async () => stateOf(await read(breaker)),
    /** Returns whether this call may probe; the right ends after `leaseMs`. */
    probe: async (id: string, leaseMs: number) => (await redis.set(probe, id, 'PX', leaseMs, 'NX')) === 'OK',
    unprobe: (id: string) => unprobe(probe, id),
    /** Gives slots to the first of these calls. @returns how many got one */
    acquire: async (limit: number, leaseMs: number, ids: string[]) =>
      Number(await acquire(calls, limit, leaseMs, ...ids)),
    renew: (leaseMs: number, ids: string[]) => renew(calls, leaseMs, ...ids),
    release: (limit: number, id: string) => release(calls, limit, id, GATES_CHANNEL, provider),
  };
}
