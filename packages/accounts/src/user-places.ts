import { randomUUID } from 'node:crypto';
import { ChorusError } from '@chorus/contract';
import { defineScript, fromRedis, type RedisConnection } from '@chorus/events';

/** Concurrent uses per user, across scopes and processes. */
export interface UserLimits {
  /** Event streams: of executions, scopes, batches, batch results. */
  streams: number;
  /** Requests that wait for or stream an execution they started. */
  waits: number;
  sockets: number;
  uploads: number;
}

export type UserLimitKind = keyof UserLimits;

export interface UserPlaces {
  /**
   * Takes one of a user's places.
   * @returns an idempotent release function
   * @throws {ChorusError} limit_reached
   */
  take(userId: string, kind: UserLimitKind): Promise<() => void>;
  close(): void;
}

/** Frees the places of a killed process. */
const LEASE_MS = 30_000;
const RENEW_EVERY_MS = 10_000;

/** Requests are admitted when Redis takes longer: limits must not stop the platform. */
const ANSWERS_WITHIN_MS = 500;

const NOW = `
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
`;

/** KEYS: the user's places. ARGV: limit, lease, id. Returns 1 if a place was free. */
const TAKE = `${NOW}
redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', now)
if redis.call('ZCARD', KEYS[1]) >= tonumber(ARGV[1]) then return 0 end
redis.call('ZADD', KEYS[1], now + ARGV[2], ARGV[3])
redis.call('PEXPIRE', KEYS[1], ARGV[2] * 2)
return 1`;

const RENEW = `${NOW}
for at = 2, #ARGV do redis.call('ZADD', KEYS[1], now + ARGV[1], ARGV[at]) end
redis.call('PEXPIRE', KEYS[1], ARGV[1] * 2)`;

const MESSAGES: Record<UserLimitKind, (limit: number) => string> = {
  streams: (limit) =>
    `You have ${limit} event streams open, the maximum per user (EVENT_STREAMS_PER_USER). Close some, or use GET /events, which covers all executions of a scope.`,
  waits: (limit) =>
    `You have ${limit} requests waiting for results, the maximum per user (WAITING_REQUESTS_PER_USER). Wait for some to finish, or send "Prefer: respond-async".`,
  sockets: (limit) =>
    `You have ${limit} voice sockets open, the maximum per user (VOICE_SOCKETS_PER_USER). Close some and connect again.`,
  uploads: (limit) =>
    `You are uploading ${limit} files, the maximum per user (UPLOADS_PER_USER). Wait for some to finish.`,
};

/** Per-user places across processes, as leases in Redis so that those of a killed process expire. */
export function createUserPlaces(
  redis: RedisConnection,
  limits: UserLimits,
  { leaseMs = LEASE_MS, renewEveryMs = RENEW_EVERY_MS } = {},
): UserPlaces {
  const take = defineScript(redis, 'chorusTakeUserPlace', TAKE, 1);
  const renew = defineScript(redis, 'chorusRenewUserPlaces', RENEW, 1);
  const held = new Map<string, Set<string>>();

  const timer = setInterval(() => {
    for (const [key, ids] of held) renew(key, leaseMs, ...ids).catch(() => undefined);
  }, renewEveryMs);
  timer.unref();

  const hold = (key: string, id: string): void => {
    const ids = held.get(key) ?? new Set();
    held.set(key, ids.add(id));
  };
  const release = (key: string, id: string): void => {
    const ids = held.get(key);
    if (!ids?.delete(id)) return;
    if (ids.size === 0) held.delete(key);
    redis.zrem(key, id).catch(() => undefined); // the lease will expire
  };

  return {
    async take(userId, kind) {
      const key = `chorus:{${userId}}:open:${kind}`;
      const id = randomUUID();
      const taking = take(key, limits[kind], leaseMs, id);
      try {
        if ((await fromRedis(taking, ANSWERS_WITHIN_MS)) === 0) throw refusal(kind, limits[kind]);
      } catch (error) {
        if (error instanceof ChorusError && error.code === 'limit_reached') throw error;
        taking.then(() => redis.zrem(key, id)).catch(() => undefined); // admitted without a place
        return () => undefined;
      }
      hold(key, id);
      return () => release(key, id);
    },
    close: () => clearInterval(timer),
  };
}

function refusal(kind: UserLimitKind, limit: number): ChorusError {
  return new ChorusError('limit_reached', MESSAGES[kind](limit), { retryAfterS: 5 });
}
