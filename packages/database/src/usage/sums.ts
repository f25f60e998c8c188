import { bytesOfId, firstIdAt, type UsageRow } from '@chorus/contract';
import type { Db } from 'mongodb';
import { defineCollection } from '../collection.ts';
import { executionCollection, type StoredExecution } from '../executions/schema.ts';
import { readIds } from '../reading.ts';
import { fromStore, isDuplicate, refusalsAmong, unlessDuplicate } from '../store-errors.ts';

type Counts = Omit<UsageRow, 'day' | 'model' | 'api_key_id'>;

/** The key of a sum. */
interface Summed extends Pick<UsageRow, 'day' | 'model' | 'api_key_id'> {
  scope_key: string;
  user_id: string;
}

/** The usage of a user's ended executions that began on one day in one scope, with one model and key. */
interface StoredUsageSum extends Summed, Counts {
  _id: string;
  /** The number of the last step that was added. */
  step: number;
}

export const usageSumCollection = defineCollection<StoredUsageSum>('usage_sums', {
  erasedWith: 'maker',
  indexes: [{ key: { scope_key: 1, day: 1 } }, { key: { user_id: 1 } }, { key: { day: 1 } }],
});

/** Executions whose usage is added to the sums together. */
interface StoredStep {
  /** The number of the step. */
  _id: string;
  at: Date;
  ids: string[];
  rows: (Summed & Counts)[];
  /** It was added. Its content is gone, and its number is not used again. */
  done?: true;
}

export const usageStepCollection = defineCollection<StoredStep>('usage_steps', { indexes: [{ key: { at: 1 } }] });

interface StoredState {
  _id: 'usage';
  /** The number of the next step. */
  step: number;
  /** Whether all executions from before the sums existed are in them. */
  filled?: true;
}

export const usageStateCollection = defineCollection<StoredState>('usage_state');

/** Executions of one step. */
const STEP = 2_000;

/** A step that took longer to read is read again, since another process may have added its executions. */
const STALE_MS = 30_000;

/** How long the numbers of done steps are kept, so that a process that was paused adds none of them again. */
const KEEP_STEPS_MS = 7 * 86_400_000;

/** Old steps are deleted after this many new ones. */
const FORGET_EVERY = 100;
const DEADLINE_MS = 30_000;

const READ = { scope_key: 1, user_id: 1, model: 1, api_key_id: 1, usage: 1 } as const;

/**
 * Adds the usage of ended executions to sums by day, each exactly once: the end of an execution marks it, and numbered
 * steps take marked executions. A step is stored with its content before it is added, a sum accepts only later steps
 * than its last, and the marks are removed before the next step begins. Any process can finish or repeat the step of
 * another one.
 */
export function createUsageSums(db: Db) {
  const executions = executionCollection.in(db);
  const sums = usageSumCollection.in(db);
  const steps = usageStepCollection.in(db);
  const states = usageStateCollection.in(db);

  const readState = async (): Promise<StoredState> => {
    const stored = await fromStore(states.findOne({ _id: 'usage' }));
    if (stored !== null) return stored;
    const first: StoredState = { _id: 'usage', step: 1 };
    return (await unlessDuplicate(states.insertOne(first))) ? first : readState();
  };

  /** Returns a step: as another process has stored it, or a new one of marked executions. Null: there are none. */
  const takeStep = async (number: number): Promise<StoredStep | null> => {
    const _id = String(number);
    for (;;) {
      const stored = await fromStore(steps.findOne({ _id }));
      if (stored !== null) return stored;
      const readAt = performance.now();
      const due = executions.find({ usage_due: { $gt: '' } }).sort({ usage_due: 1 });
      const found = await fromStore(due.limit(STEP).project<Due>(READ).toArray(), DEADLINE_MS);
      if (found.length === 0) return null;
      const step = { _id, at: new Date(), ids: found.map((one) => one._id), rows: rowsOf(found) };
      if (performance.now() - readAt > STALE_MS) continue;
      if (await unlessDuplicate(steps.insertOne(step))) return step;
    }
  };

  const add = async (number: number, rows: StoredStep['rows']): Promise<void> => {
    const writes = rows.map(({ day, scope_key, user_id, model, api_key_id, ...counts }) => ({
      updateOne: {
        filter: { _id: [day, scope_key, user_id, api_key_id ?? '', model ?? ''].join('|'), step: { $lt: number } },
        update: {
          $inc: counts,
          $set: { step: number },
          $setOnInsert: { day, scope_key, user_id, model, api_key_id },
        },
        upsert: true,
      },
    }));
    try {
      await fromStore(sums.bulkWrite(writes, { ordered: false }), DEADLINE_MS);
    } catch (error) {
      // A sum that has this step or a later one does not match, and cannot be inserted.
      const refusals = refusalsAmong(error);
      if (refusals === null || ![...refusals.values()].every(isDuplicate)) throw error;
    }
  };

  const finish = async (number: number, { ids }: StoredStep): Promise<void> => {
    const added = { $unset: { usage_due: '' }, $set: { usage_added: true } } as const;
    await fromStore(executions.updateMany({ usage_due: { $in: ids } }, added), DEADLINE_MS);
    await fromStore(steps.updateOne({ _id: String(number) }, { $set: { done: true, ids: [], rows: [] } }));
  };

  const forgetSteps = async (): Promise<void> => {
    const old = { done: true as const, at: { $lt: new Date(Date.now() - KEEP_STEPS_MS) } };
    await fromStore(steps.deleteMany(old), DEADLINE_MS);
  };

  /** Adds all executions that have ended before the call. */
  const collect = async (): Promise<number> => {
    for (let added = 0; ; ) {
      const { step: number } = await readState();
      const step = await takeStep(number);
      if (step === null) return added;
      if (!step.done) {
        await add(number, step.rows);
        await finish(number, step);
      }
      await fromStore(states.updateOne({ _id: 'usage', step: number }, { $set: { step: number + 1 } }));
      if (number % FORGET_EVERY === 0) await forgetSteps();
      added += step.ids.length;
      if (!step.done && step.ids.length < STEP) return added;
    }
  };

  /** Marks executions that ended without a mark, before there were any. */
  const fill = async (since: string): Promise<void> => {
    const unmarked = {
      unfinished: { $exists: false },
      usage_due: { $exists: false },
      usage_added: { $exists: false },
    };
    for (let after = since; ; ) {
      const page = executions.find({ _id: { $gt: after }, ...unmarked }).sort({ _id: 1 });
      const ids = await readIds(page.limit(STEP), DEADLINE_MS);
      const mark = [{ $set: { usage_due: '$_id' } }];
      await fromStore(executions.updateMany({ _id: { $in: ids }, ...unmarked }, mark), DEADLINE_MS);
      await collect();
      const last = ids.at(-1);
      if (last === undefined || ids.length < STEP) break;
      after = last;
    }
  };

  return {
    collect,
    /** Whether the sums have all executions that ended before `collect`. */
    isFilled: async () => (await readState()).filled === true,
    /**
     * Adds executions of earlier versions: all of them once, then those of the last days, which processes of an earlier
     * version may have ended during an upgrade.
     */
    async fill(): Promise<void> {
      const { filled } = await readState();
      await fill(filled ? firstIdAt('job', Date.now() - 2 * 86_400_000) : '');
      if (!filled) await fromStore(states.updateOne({ _id: 'usage' }, { $set: { filled: true } }));
    },
    /** Returns the sums of some days, inclusive, that match. */
    read: async (filter: { scope_key?: string }, { from, to }: { from: string; to: string }) =>
      fromStore(sums.find({ ...filter, day: { $gte: from, $lte: to } }).toArray(), DEADLINE_MS),
  };
}

type Due = Pick<StoredExecution, '_id' | 'scope_key' | 'user_id' | 'model' | 'api_key_id' | 'usage'>;

function rowsOf(ended: readonly Due[]): StoredStep['rows'] {
  const rows = new Map<string, StoredStep['rows'][number]>();
  for (const { _id, scope_key, user_id, model, api_key_id = null, usage } of ended) {
    const summed = { day: dayOf(_id), scope_key, user_id, model: model ?? null, api_key_id };
    const key = JSON.stringify(summed);
    const row = rows.get(key) ?? { ...summed, ...NOTHING };
    row.executions += 1;
    row.input_tokens += usage.input_tokens;
    row.output_tokens += usage.output_tokens;
    row.total_tokens += usage.total_tokens;
    row.cost_usd += usage.cost_usd ?? 0;
    row.unpriced_executions += usage.cost_usd === null ? 1 : 0;
    row.estimated_executions += usage.estimated ? 1 : 0;
    rows.set(key, row);
  }
  return [...rows.values()];
}

export const NOTHING: Counts = {
  executions: 0,
  input_tokens: 0,
  output_tokens: 0,
  total_tokens: 0,
  cost_usd: 0,
  unpriced_executions: 0,
  estimated_executions: 0,
};

/** Ids start with their creation time. */
function dayOf(id: string): string {
  return new Date(Buffer.from(bytesOfId(id)).readUIntBE(0, 6)).toISOString().slice(0, 10);
}
