import { setTimeout as pause } from 'node:timers/promises';
import type { RedisConnection } from '@chorus/events';
import type { Logger } from '@chorus/log';
import type { Search } from '@chorus/search';
import { everyWithLease, keepLease } from './lease.ts';

/** How often is looked whether the index needs work. */
const LOOK_EVERY_MS = 10_000;

const LEASE = 'index';

/** An index that does not answer holds up nobody who stops for longer, in milliseconds: work that is cut off is done again. */
const STOPS_WITHIN_MS = 3_000;

/**
 * Has the search index worked on when it needs that, by one process of all.
 *
 * @returns stops it, and what of the work is under way
 */
export function maintainIndex(
  redis: RedisConnection,
  search: Pick<Search, 'maintain'>,
  log: Logger,
): () => Promise<void> {
  const stopping = new AbortController();
  const stop = everyWithLease(redis, LEASE, LOOK_EVERY_MS, async () => {
    const letGo = keepLease(redis, LEASE, LOOK_EVERY_MS);
    try {
      const { tables } = await search.maintain({ signal: stopping.signal });
      if (tables.length > 0) log.debug({ tables }, 'worked on the search index');
    } catch (err) {
      log.warn({ err }, 'work on the search index failed; the next round tries again');
    } finally {
      letGo();
    }
  });
  return async () => {
    stopping.abort();
    await Promise.race([stop(), pause(STOPS_WITHIN_MS, undefined, { ref: false })]);
  };
}
