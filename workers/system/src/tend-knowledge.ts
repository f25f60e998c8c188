import type { RedisConnection } from '@chorus/events';
import { type KnowledgeSweepParts, sweepKnowledge, sweepOrphans } from '@chorus/knowledge';
import { everyWithLease } from './lease.ts';

/** An entry whose ingestion died without telling has failed within two rounds of the time that it is left alone for. */
const SWEEP_EVERY_MS = 5_000;

/** Bytes that belong to no entry are looked for so often, and left alone for so long: their record may still come. In milliseconds. */
const TIDY_EVERY_MS = 3_600_000;

/**
 * Sees to it, in one process of all, that no entry is processed for ever, that deletions come to their end, and that nothing is left of what is gone.
 *
 * @returns stops it, after a running round
 */
export function tendKnowledge(redis: RedisConnection, parts: KnowledgeSweepParts): () => Promise<void> {
  const { log } = parts;
  const stopSweeping = everyWithLease(redis, 'knowledge', SWEEP_EVERY_MS, async () => {
    try {
      const counts = await sweepKnowledge(parts);
      log.debug(counts, 'swept knowledge');
    } catch (err) {
      log.warn({ err }, 'the sweep of knowledge failed; the next round tries again');
    }
  });
  const stopTidying = everyWithLease(redis, 'knowledge-orphans', TIDY_EVERY_MS, async () => {
    try {
      const entries = await sweepOrphans(parts, new Date(Date.now() - TIDY_EVERY_MS));
      log[entries > 0 ? 'info' : 'debug']({ entries }, 'removed what belongs to no entry');
    } catch (err) {
      log.warn({ err }, 'looking for what belongs to no entry failed; the next round tries again');
    }
  });
  return async () => {
    await Promise.all([stopSweeping(), stopTidying()]);
  };
}
