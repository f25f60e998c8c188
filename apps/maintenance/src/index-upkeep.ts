import type { RedisConnection } from '@chorus/events';
import type { Logger } from '@chorus/runtime/log';
import { repeatedly, valueWithin } from '@chorus/runtime/timing';
import type { Search } from '@chorus/search';
import { TextIndexer, type TextIndexerParts } from '@chorus/search/records';
import { everyWithLease, keepLease } from './lease.ts';

/**
 * In between, searches read new texts from the records. A round costs as much for one text as for hundreds, so rounds
 * follow each other quickly only when there are many.
 */
const INDEX_TEXTS_EVERY_MS = 5_000;
const INDEX_MANY_EVERY_MS = 1_000;
const MANY_TEXTS = 500;
const INDEX_TEXTS_IDLE_MS = 15_000;

const MAINTAIN_EVERY_MS = 15_000;
const LEASE = 'index';

/** Longest wait for the index at shutdown. Steps that are cut off run again. */
const STOPS_WITHIN_MS = 3_000;

/**
 * Keeps the full-text indexes up to date with the records.
 *
 * @returns stops it, after the running step
 */
export function indexTexts(parts: TextIndexerParts): () => Promise<void> {
  const indexer = new TextIndexer(parts);
  const stop = repeatedly(INDEX_TEXTS_EVERY_MS, async () => {
    try {
      const counts = await indexer.round();
      if (counts.indexed + counts.removed === 0) return INDEX_TEXTS_IDLE_MS;
      parts.log.debug(counts, 'indexed texts');
      if (counts.indexed >= MANY_TEXTS) return INDEX_MANY_EVERY_MS;
    } catch (err) {
      parts.log.warn({ err }, 'indexing texts failed; the next round tries again');
    }
    return INDEX_TEXTS_EVERY_MS;
  });
  return async () => {
    indexer.close();
    await valueWithin(stop(), STOPS_WITHIN_MS);
  };
}

/**
 * Maintains the search index when needed, in only one process.
 *
 * @returns aborts running work and stops it
 */
export function maintainIndex(
  redis: RedisConnection,
  search: Pick<Search, 'maintain'>,
  log: Logger,
): () => Promise<void> {
  const stopping = new AbortController();
  const stop = everyWithLease({ redis, log }, LEASE, MAINTAIN_EVERY_MS, async () => {
    const release = keepLease(redis, LEASE, MAINTAIN_EVERY_MS);
    try {
      const { tables } = await search.maintain({ signal: stopping.signal });
      return { tables: tables.length };
    } finally {
      release();
    }
  });
  return async () => {
    stopping.abort();
    await valueWithin(stop(), STOPS_WITHIN_MS);
  };
}
