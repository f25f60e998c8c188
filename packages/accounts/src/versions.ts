import { randomUUID } from 'node:crypto';
import { fromRedis, type RedisConnection } from '@chorus/events';

/** Records that processes keep in memory for seconds, by kind. */
export type CachedKind = 'users' | 'keys' | 'members' | 'logins' | 'signing_keys';

/** One value in Redis for each kind, another one after each change: so processes notice that what they remember may be old. */
export interface Versions {
  /** The kind's version as of less than 0.7 s ago; undefined while it is not known, as when Redis is away. Never waits. */
  current(kind: CachedKind): string | undefined;
  /**
   * Tells every process that records of this kind have changed. When it has resolved this process knows, the others within a second. Throws
   * `store_unavailable` when they can't be told.
   */
  changed(kind: CachedKind): Promise<void>;
}

const KEY = 'chorus:accounts:versions';
/** While it is used, the key is looked at so often. */
const LOOK_EVERY_MS = 250;
/** A look counts from when it began for so long: with some time to spare, a change is noticed everywhere within a second. */
const GOOD_FOR_MS = 700;
const REDIS_TIMEOUT_MS = 3_000;

/**
 * A look at a key and not a subscription: a subscription can lose a message without a sign (a cluster's subscriber that moves to another
 * node), a look that fails or is late is noticed, and then nothing is served from memory.
 */
export function createVersions(redis: RedisConnection): Versions {
  let known: Record<string, string> = {};
  let lookedAt = Number.NEGATIVE_INFINITY;
  let knownAsOf = Number.NEGATIVE_INFINITY;
  let looking = false;
  let ownChanges = 0;

  const look = (now: number) => {
    const changesBefore = ownChanges;
    looking = true;
    lookedAt = now;
    redis
      .hgetall(KEY)
      .then(
        (versions) => {
          // It may have been answered before this process's own change was, and would bring back what that has made old.
          if (ownChanges !== changesBefore) return;
          known = versions;
          knownAsOf = now;
        },
        () => undefined,
      )
      .finally(() => {
        looking = false;
      });
  };

  return {
    current: (kind) => {
      const now = performance.now();
      if (!looking && now - lookedAt >= LOOK_EVERY_MS) look(now);
      return now - knownAsOf <= GOOD_FOR_MS ? (known[kind] ?? '') : undefined;
    },
    changed: async (kind) => {
      const version = randomUUID();
      try {
        await fromRedis(redis.hset(KEY, kind, version), REDIS_TIMEOUT_MS);
      } finally {
        ownChanges += 1;
        known = { ...known, [kind]: version };
      }
    },
  };
}
