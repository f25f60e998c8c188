import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { ChorusError } from '@chorus/contract';
import { defineScript, fromRedis, type RedisConnection } from '@chorus/events';

/** Concurrent uses per user, across scopes and processes. */
export interface UserLimits {
  /** Event streams: of executions, scopes, batches, batch results. */
  streams: number;
  /** Requests that wait for, or stream, an execution that they started. */
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

/** A released place is kept this long for the user's next request, which saves most requests two round trips. */
const KEEP_MS = 250;
const MAX_KEPT = 16;

/** After this time, kept places are free. */
const KEPT_FREED_MS = KEEP_MS + 50;

/** Requests are admitted if Redis takes longer, since limits must not stop the platform. */
const ANSWERS_WITHIN_MS = 500;

const NOW = `
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
`;

/** KEYS: the user's places. ARGV: limit, lease, id. Returns the places in use with this one, or 0 if none was free. */
const TAKE = `${NOW}
redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', now)
local used = redis.call('ZCARD', KEYS[1])
if used >= tonumber(ARGV[1]) then return 0 end
redis.call('ZADD', KEYS[1], now + ARGV[2], ARGV[3])
redis.call('PEXPIRE', KEYS[1], ARGV[2] * 2)
return used + 1`;

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
  const known = new Map<string, Places>();

  const timer = setInterval(() => {
    for (const [key, { ids }] of known) renew(key, leaseMs, ...ids).catch(() => undefined);
  }, renewEveryMs);
  timer.unref();

  const free = (key: string, places: Places, ids: readonly string[]): void => {
    for (const id of ids) places.ids.delete(id);
    if (places.ids.size === 0) known.delete(key);
    if (ids.length > 0) redis.zrem(key, ...ids).catch(() => undefined); // the lease will expire
  };
  const release = (key: string, places: Places, id: string): void => {
    if (places.hasRoom && places.kept.length < MAX_KEPT) keep(key, places, id);
    else free(key, places, [id]);
  };
  const keep = (key: string, places: Places, id: string): void => {
    places.kept.push(id);
    if (places.isClearing) return;
    places.isClearing = true;
    const clear = () => {
      places.isClearing = false;
      free(key, places, places.kept.splice(0));
    };
    setTimeout(clear, KEEP_MS).unref();
  };
  const hold = (key: string, places: Places, id: string) => {
    let isHeld = true;
    return () => {
      if (isHeld) release(key, places, id);
      isHeld = false;
    };
  };

  /** Returns the places in use with this one, 0 if none was free, and null if Redis does not answer. */
  const tryTake = async (key: string, limit: number, id: string): Promise<number | null> => {
    const taking = take(key, limit, leaseMs, id) as Promise<number>;
    try {
      return await fromRedis(taking, ANSWERS_WITHIN_MS);
    } catch {
      taking.then(() => redis.zrem(key, id)).catch(() => undefined); // admitted without a place
      return null;
    }
  };

  return {
    async take(userId, kind) {
      const key = `chorus:{${userId}}:open:${kind}`;
      const limit = limits[kind];
      const before = known.get(key);
      const kept = before?.kept.pop();
      if (before && kept !== undefined) return hold(key, before, kept);
      const id = randomUUID();
      let used = await tryTake(key, limit, id);
      if (used === 0) {
        // Other processes free the places that they only keep.
        await sleep(KEPT_FREED_MS);
        used = await tryTake(key, limit, id);
      }
      if (used === 0) throw refusal(kind, limit);
      if (used === null) return () => undefined;
      const places = known.get(key) ?? { ids: new Set(), kept: [], isClearing: false, hasRoom: false };
      known.set(key, places);
      places.ids.add(id);
      places.hasRoom = used <= limit / 2;
      return hold(key, places, id);
    },
    close: () => clearInterval(timer),
  };
}

/** A user's places of one kind in this process. */
interface Places {
  ids: Set<string>;
  /** Free places among them. */
  kept: string[];
  /** Whether the free places are scheduled to be released. */
  isClearing: boolean;
  /** Whether at most half of the user's places were in use when the last one was taken. */
  hasRoom: boolean;
}

function refusal(kind: UserLimitKind, limit: number): ChorusError {
  return new ChorusError('limit_reached', MESSAGES[kind](limit), { retryAfterS: 5 });
}
