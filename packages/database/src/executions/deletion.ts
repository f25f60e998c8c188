import { firstIdAt, type Owner, scopeKey } from '@chorus/contract';
import type { Collection, UpdateFilter } from 'mongodb';
import type { AssetRecord } from '../assets/repository.ts';
import { fromStored, requireString } from '../collection.ts';
import { readAll } from '../reading.ts';
import { fromStore } from '../store-errors.ts';
import { type ExecutionFilter, OWNER, type Projected, SHOWN } from './queries.ts';
import { batchKey, type ExecutionRecord, type StoredExecution } from './schema.ts';

/** The record whose executions a deletion looks for. */
export type DeletionSubject =
  | { session_id: string }
  | { batch_id: string }
  | { entry_id: string }
  | { ids: readonly string[] };

export interface DeletableExecution
  extends Pick<ExecutionRecord, 'id' | 'owner' | 'kind' | 'surface' | 'input' | 'message_id' | 'batch_id'> {
  ended: boolean;
  /** Whether it is already blank, without its input. */
  deleted: boolean;
  failed: boolean;
}

const MANY_DEADLINE_MS = 30_000;

/** Maximum number of executions whose input is searched for an asset. */
const MAX_SEARCHED = 2_000;

/** Tolerated difference between the clocks of two machines. */
const CLOCK_SKEW_MS = 60_000;

const DELETABLE = {
  ...OWNER,
  kind: 1,
  surface: 1,
  input: 1,
  message_id: 1,
  batch_id: 1,
  status: 1,
  deleted: 1,
  unfinished: 1,
} as const;

/** Deletion keeps the usage, and `batch_due`, because the batch still has to note the end. */
const BLANK: UpdateFilter<StoredExecution> = {
  $set: { deleted: true, input: '{}', output: [], metadata: [], progress: null, context: null, error: null },
  $unset: {
    checkpoint: '',
    warnings: '',
    stop_sequence: '',
    approvals: '',
    webhook_url: '',
    webhook_wish: '',
    webhook_due: '',
    webhook_action_due: '',
    transient: '',
  },
};

/** Reads and writes of deletions. */
export function executionDeletion(executions: Collection<StoredExecution>) {
  const matches = async (filter: ExecutionFilter) =>
    (await fromStore(executions.findOne(filter, { projection: { _id: 1 } }))) !== null;

  return {
    /** For deletions: executions of the scope by id, including deleted ones. */
    listForDeletion: async (owner: Owner, of: DeletionSubject, { after, limit }: { after: string; limit: number }) => {
      const found = executions
        .find(subjectFilter(owner, of, after))
        .sort(subjectOrder(of))
        .limit(limit);
      return readAll(found.project<Projected<typeof DELETABLE>>(DELETABLE), deletableOf, MANY_DEADLINE_MS);
    },
    /**
     * Returns whether an execution of another session may use an asset: if one that began after the asset was stored
     * names it in its input, or if there are too many to search.
     */
    mayMention: async (asset: Pick<AssetRecord, 'id' | 'owner' | 'created_at'>, of: { exceptSession: string }) => {
      const since = firstIdAt('job', asset.created_at.getTime() - CLOCK_SKEW_MS);
      const found = executions
        .find({ scope_key: scopeKey(asset.owner), _id: { $gte: since }, session_id: { $ne: of.exceptSession } })
        .limit(MAX_SEARCHED + 1);
      const inputs = await readAll(
        found.project<Pick<StoredExecution, 'input'>>({ input: 1 }),
        ({ input }) => input.includes(asset.id),
        MANY_DEADLINE_MS,
      );
      return inputs.length > MAX_SEARCHED || inputs.includes(true);
    },
    /** Deletes ended executions except for their usage. Can be repeated. */
    blank: async (ids: readonly string[]) => {
      if (ids.length === 0) return;
      const ended: ExecutionFilter = { _id: { $in: [...ids] }, unfinished: { $exists: false } };
      await fromStore(executions.updateMany(ended, BLANK), MANY_DEADLINE_MS);
    },
    /** Returns whether an execution of any owner was deleted. */
    isDeleted: async (id: string) => matches({ _id: requireString(id), deleted: true }),
    /** Returns ended executions whose output quotes a knowledge entry. */
    listQuoting: async (entryId: string, limit: number) => {
      const entry_id = requireString(entryId);
      const quotes = [
        { 'output.entry_id': entry_id, output: { $elemMatch: { entry_id, quote: { $ne: '' } } } },
        { 'output.sources': entry_id, output: { $elemMatch: { sources: entry_id } } },
        {
          'output.passage.entry_id': entry_id,
          output: { $elemMatch: { 'passage.entry_id': entry_id, 'passage.text': { $ne: '' } } },
        },
      ] as ExecutionFilter[];
      const fields = { surface: 1, output: 1 } as const;
      const results: Pick<ExecutionRecord, 'id' | 'surface' | 'output'>[] = [];
      for (const quoting of quotes) {
        const found = executions.find({ ...quoting, unfinished: { $exists: false } }).limit(limit);
        const some = found.project<Projected<typeof fields>>(fields);
        results.push(...(await readAll(some, ({ _id, ...rest }) => ({ id: _id, ...rest }), MANY_DEADLINE_MS)));
      }
      return results;
    },
    /** Replaces the output of an ended execution. */
    setOutput: async (id: string, output: ExecutionRecord['output']) => {
      await fromStore(executions.updateOne({ _id: requireString(id), ...SHOWN }, { $set: { output } }));
    },
    /** Removes an asset's file name from the output. Returns false while the execution has not ended. */
    clearFilename: async (id: string, assetId: string) => {
      const _id = requireString(id);
      const created = { _id, unfinished: { $exists: false }, 'output.asset.id': requireString(assetId) };
      const nameless = { $set: { 'output.$.asset.filename': null } } as unknown as UpdateFilter<StoredExecution>;
      const { matchedCount } = await fromStore(executions.updateOne(created as ExecutionFilter, nameless));
      return matchedCount > 0 || !(await matches({ _id, unfinished: { $exists: true } }));
    },
  };
}

/** Omits the scope for sessions and entries, which imply it. Planners would otherwise choose a long index. */
function subjectFilter(owner: Owner, of: DeletionSubject, after: string): ExecutionFilter {
  const scope_key = scopeKey(owner);
  if ('batch_id' in of)
    return { scope_key, batch_key: { $gt: batchKey(of.batch_id, after), $lt: batchKey(of.batch_id, '~') } };
  if ('ids' in of) return { scope_key, _id: { $in: of.ids.filter((id) => id > after).map(requireString) } };
  return { ...of, _id: { $gt: after } };
}

const subjectOrder = (of: DeletionSubject): Record<string, 1> => ('batch_id' in of ? { batch_key: 1 } : { _id: 1 });

function deletableOf(stored: Projected<typeof DELETABLE>): DeletableExecution {
  const { status, deleted = false, unfinished, input, ...execution } = fromStored(stored);
  return {
    ...execution,
    input: JSON.parse(input),
    ended: unfinished === undefined,
    deleted,
    failed: status === 'failed',
  };
}
