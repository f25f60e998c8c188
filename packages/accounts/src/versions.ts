import { randomUUID } from 'node:crypto';
import { fromRedis, type RedisConnection } from '@chorus/events';

export type CachedKind = 'users' | 'keys' | 'members' | 'logins' | 'signing_keys';

/** Change counters in Redis, one per kind, that invalidate the caches of all processes. */
export interface Versions {
  /**
   * Returns the version as of less than 0.7 s ago. Undefined while unknown, for example because Redis is down. Never
   * waits.
   */
  current(kind: CachedKind): string | undefined;
  /**
   * Publishes a change. This process sees it when the promise resolves, others within a second.
   * @throws {ChorusError} store_unavailable if it could not be published
   */
  changed(kind: CachedKind): Promise<void>;
}

const KEY = 'chorus:accounts:versions';
const LOOK_EVERY_MS = 250;
/** How long a reading is trusted, from when it began. Keeps the total under a second. */
const GOOD_FOR_MS = 700;
const REDIS_TIMEOUT_MS = 3_000;

/**
 * Polls instead of subscribing. A subscription can silently lose a message, for example when a cluster moves its
 * node, while a failed or late poll is noticed and disables the caches.
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
          // This reading may predate this process's own change and would undo it.
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
