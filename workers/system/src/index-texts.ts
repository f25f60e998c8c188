import { setTimeout as pause } from 'node:timers/promises';
import { TextIndexer, type TextIndexerParts } from '@chorus/text-search';
import { repeatedly } from './repeatedly.ts';

/** What was written is in the full-text index so soon, in milliseconds; until then it is found without. */
const EVERY_MS = 1_000;

/** An index that does not answer holds up nobody who stops for longer, in milliseconds: a step that is cut off is done again. */
const STOPS_WITHIN_MS = 3_000;

/**
 * Brings the full-text indexes up to the records, in one of the processes that do so.
 *
 * @returns stops it, after the step that runs
 */
export function indexTexts(parts: TextIndexerParts): () => Promise<void> {
  const indexer = new TextIndexer(parts);
  const stop = repeatedly(EVERY_MS, async () => {
    try {
      const counts = await indexer.round();
      if (counts.indexed + counts.removed > 0) parts.log.debug(counts, 'indexed what was written');
    } catch (err) {
      parts.log.warn({ err }, 'the full-text index is behind; the next round tries again');
    }
  });
  return async () => {
    indexer.close();
    await Promise.race([stop(), pause(STOPS_WITHIN_MS, undefined, { ref: false })]);
  };
}
