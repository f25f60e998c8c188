import { ChorusError, isStoreUnavailable } from '@chorus/contract';
import type { DeletionRecord, NewDeletion } from '@chorus/database';
import type { DeletionParts } from './purge-executions.ts';
import { PURGES, STORED_RECORDS } from './purge-record.ts';

/** The sweep skips deletions that started more recently than this. */
const IN_PROGRESS_MS = 20_000;

const RUNNING_AGAIN_MS = 5_000;

const FAILED_AGAIN_MS = 30_000;

/** Later passes remove data that was still being written during the first pass. */
const PASSES_AFTER_MS = [10_000, 60_000, 600_000];

const PAGE = 100;

/**
 * Deletes records and everything derived from them. Each deletion is recorded first, so that the sweep can complete
 * it after a crash.
 */
export function createDeletions(parts: DeletionParts) {
  const { database, log } = parts;
  const { deletions } = database;

  const pass = async (deletion: DeletionRecord): Promise<void> => {
    const { running } = await PURGES[deletion.kind](parts, deletion);
    await database.idempotency.clearAnswers([deletion.id]);
    const passes = running ? Math.max(1, deletion.passes) : deletion.passes + 1;
    const next = running ? RUNNING_AGAIN_MS : PASSES_AFTER_MS[deletion.passes];
    if (next === undefined) await deletions.drop(deletion);
    else await deletions.schedule(deletion, passes, new Date(Date.now() + next));
  };

  const sweepOne = async (deletion: DeletionRecord): Promise<void> => {
    try {
      const undecided = deletion.passes === 0 && (await STORED_RECORDS[deletion.kind](parts, deletion)) !== null;
      await (undecided ? deletions.drop(deletion) : pass(deletion));
    } catch (err) {
      if (isStoreUnavailable(err)) throw err;
      log.error({ err, record_id: deletion.id }, 'deletion not completed; a later sweep retries it');
      await deletions.schedule(deletion, deletion.passes, new Date(Date.now() + FAILED_AGAIN_MS));
    }
  };

  return {
    /**
     * Records a deletion, runs `decide`, then purges the derived data. Continues an incomplete deletion.
     *
     * @param decide deletes or hides the record itself in one step; throws if that is refused
     * @throws {ChorusError} any error of `decide`; `store_unavailable` (the sweep completes it if it was
     * decided)
     */
    async carryOut(asked: NewDeletion, decide: () => Promise<unknown>): Promise<void> {
      const { deletion, isNew } = await deletions.begin(asked, new Date(Date.now() + IN_PROGRESS_MS));
      try {
        await decide();
      } catch (error) {
        const { code, notStarted } = error instanceof ChorusError ? error : { code: null, notStarted: false };
        const isIncomplete = code === 'not_found' && !isNew && deletion.passes === 0;
        if (isNew && notStarted) await deletions.drop(deletion);
        if (!isIncomplete) throw error;
      }
      await pass(deletion);
    },

    /**
     * Completes deletions that are due, and drops those that were never decided.
     *
     * @returns the number of deletions it processed
     * @throws {ChorusError} store_unavailable
     */
    async sweep(now = new Date()): Promise<number> {
      for (let swept = 0; ; ) {
        const page = await deletions.listDue(now, PAGE);
        for (const deletion of page) await sweepOne(deletion);
        swept += page.length;
        if (page.length < PAGE) return swept;
      }
    },
  };
}

export type Deletions = ReturnType<typeof createDeletions>;
