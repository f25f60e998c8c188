import { randomUUID } from 'node:crypto';
import { ChorusError } from '@chorus/contract';
import { defineScript, fromRedis, type RedisConnection } from '@chorus/events';

/** What a user may have open a number of at once, over all scopes and processes. */
export interface UserLimits {
  /** Event streams: of an execution, a scope, a batch, a batch's results. */
  streams: number;
  /** Requests that wait for, or stream, what they began. */
  waits: number;
  /** Voice sockets. */
  sockets: number;
  /** Files that are being sent. */
  uploads: number;
}

export type UserLimitKind = keyof UserLimits;

export interface UserPlaces {
  /**
   * Takes one of a user's places.
   *
   * @returns gives it back; once is enough
   * @throws {ChorusError} limit_reached
   */
  take(userId: string, kind: UserLimitKind): Promise<() => void>;
  /** Ends the renewal; places that are held end with their leases. */
  close(): void;
}

/** A place of a process that was killed is free again after this. */
const LEASE_MS = 30_000;
const RENEW_EVERY_MS = 10_000;

/** A request is let through when Redis takes longer than this: limits protect, they do not stop the platform. */
const ANSWERS_WITHIN_MS = 500;

const NOW = `
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
`;

/** KEYS: the user's places. ARGV: limit, lease, id. Returns 1 where there was one. */
const TAKE = `${NOW}
redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', now)
if redis.call('ZCARD', KEYS[1]) >= tonumber(ARGV[1]) then return 0 end
redis.call('ZADD', KEYS[1], now + ARGV[2], ARGV[3])
redis.call('PEXPIRE', KEYS[1], ARGV[2] * 2)
return 1`;

/** KEYS: the user's places. ARGV: lease, ids. */
const RENEW = `${NOW}
for at = 2, #ARGV do redis.call('ZADD', KEYS[1], now + ARGV[1], ARGV[at]) end
redis.call('PEXPIRE', KEYS[1], ARGV[1] * 2)`;

const MESSAGES: Record<UserLimitKind, (limit: number) => string> = {
  streams: (limit) =>
    `You have ${limit} event streams open, as many as one user may (EVENT_STREAMS_PER_USER). Close some; GET /events tells of all executions of a scope in one.`,
  waits: (limit) =>
    `${limit} of your requests wait for what they began, as many as one user may have (WAITING_REQUESTS_PER_USER). Wait for some to end, or send "Prefer: respond-async".`,
  sockets: (limit) =>
    `You have ${limit} voice sockets open, as many as one user may (VOICE_SOCKETS_PER_USER). Close some and connect again.`,
  uploads: (limit) =>
    `You are sending ${limit} files, as many as one user may at once (UPLOADS_PER_USER). Wait for some to end.`,
};

/** Places of each user over all processes: leases in Redis, so that those of a killed process come back. */
export function createUserPlaces(
  redis: RedisConnection,
  limits: UserLimits,
  { leaseMs = LEASE_MS, renewEveryMs = RENEW_EVERY_MS } = {},
): UserPlaces {
  const take = defineScript(redis, 'chorusTakeUserPlace', TAKE, 1);
  const renew = defineScript(redis, 'chorusRenewUserPlaces', RENEW, 1);
  /** What this process holds, by key. */
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
    redis.zrem(key, id).catch(() => undefined); // its lease ends it
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
        taking.then(() => redis.zrem(key, id)).catch(() => undefined); // it got there late
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
