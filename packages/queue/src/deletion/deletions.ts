import { ChorusError } from '@chorus/contract';
import type { DeletionRecord, NewDeletion } from '@chorus/database';
import type { DeletionParts } from './deletion-parts.ts';
import { PURGES, STANDS } from './purge-record.ts';

/** A deletion in progress is left alone by the sweep for this long. */
const IN_PROGRESS_MS = 20_000;

/** What still runs is looked at again after this time. */
const RUNNING_AGAIN_MS = 5_000;

/** A pass that failed is repeated after this time. */
const FAILED_AGAIN_MS = 30_000;

/** Later passes, after the first: they remove what was on its way while the first one ran. */
const PASSES_AFTER_MS = [10_000, 60_000, 600_000];

/** Deletions that one sweep looks at in one round trip. */
const PAGE = 100;

/**
 * Deletions of records, with all that other places keep of them. Each is recorded before it is carried out, so that the sweep completes what a
 * dead process has left.
 */
export function createDeletions(parts: DeletionParts) {
  const { database, log } = parts;
  const { deletions } = database;

  const pass = async (deletion: DeletionRecord): Promise<void> => {
    const { running } = await PURGES[deletion.kind](parts, deletion);
    await database.idempotency.forgetAnswers([deletion.id]);
    const passes = running ? Math.max(1, deletion.passes) : deletion.passes + 1;
    const next = running ? RUNNING_AGAIN_MS : PASSES_AFTER_MS[deletion.passes];
    if (next === undefined) await deletions.drop(deletion);
    else await deletions.schedule(deletion, passes, new Date(Date.now() + next));
  };

  const sweepOne = async (deletion: DeletionRecord): Promise<void> => {
    try {
      const undecided = deletion.passes === 0 && (await STANDS[deletion.kind](parts, deletion)) !== null;
      await (undecided ? deletions.drop(deletion) : pass(deletion));
    } catch (err) {
      if (err instanceof ChorusError && err.code === 'store_unavailable') throw err;
      log.error({ err, record_id: deletion.id }, 'a deletion could not be completed; a later round tries again');
      await deletions.schedule(deletion, deletion.passes, new Date(Date.now() + FAILED_AGAIN_MS));
    }
  };

  return {
    /**
     * Records a deletion, has it decided, and removes what else is kept of the record. Asked again before it is complete, it goes on.
     *
     * @param decide deletes or hides the record itself in one step; throws where that is refused
     * @throws {ChorusError} what `decide` throws; `store_unavailable`: the sweep completes it if it was decided
     */
    async carryOut(asked: NewDeletion, decide: () => Promise<unknown>): Promise<void> {
      const { deletion, isNew } = await deletions.begin(asked, new Date(Date.now() + IN_PROGRESS_MS));
      try {
        await decide();
      } catch (error) {
        const { code, unbegun } = error instanceof ChorusError ? error : { code: null, unbegun: false };
        const isIncomplete = code === 'not_found' && !isNew && deletion.passes === 0;
        if (isNew && unbegun) await deletions.drop(deletion);
        if (!isIncomplete) throw error;
      }
      await pass(deletion);
    },

    /**
     * Completes deletions that are due, and drops those that were recorded and never decided.
     *
     * @returns how many it has looked at
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
