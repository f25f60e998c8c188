import { firstIdAt, isId, type JobsQuery, type Owner, type Page, type Progress, scopeKey } from '@chorus/contract';
import type { Db, Filter, UpdateFilter } from 'mongodb';
import { allInScope, defined, fromStored, inScope, ownerOf, requireString, visibleTo } from '../collection.ts';
import { invalidCursor, readAll, readOne, readPage } from '../reading.ts';
import { duplicatesAmong, fromStore, orConflict } from '../store-errors.ts';
import {
  type ApprovalRecord,
  batchKey,
  type ExecutionRecord,
  executionCollection,
  executionOf,
  type Outcome,
  type StoredExecution,
  type Suspension,
  storedExecution,
} from './schema.ts';

type ExecutionFilter = Filter<StoredExecution>;

/** The state of an execution that its batch follows. */
export type ExecutionState = Pick<ExecutionRecord, 'id' | 'batch_id' | 'status' | 'error' | 'finished_at'>;

/** The record whose executions a deletion looks for. */
export type DeletionSubject =
  | { session_id: string }
  | { batch_id: string }
  | { entry_id: string }
  | { ids: readonly string[] };

export interface DeletableExecution
  extends Pick<ExecutionRecord, 'id' | 'owner' | 'kind' | 'surface' | 'input' | 'message_id' | 'batch_id'> {
  ended: boolean;
  /** It is blank already: its input is gone. */
  deleted: boolean;
  failed: boolean;
}

/** An ended execution with a webhook to deliver. */
export type DueWebhook = Pick<ExecutionRecord, 'id' | 'owner' | 'status' | 'session_id'> & {
  webhook_url: string;
  finished_at: Date;
};

/** An execution that waits for decisions, with a webhook to deliver. */
export type DueActionWebhook = Pick<ExecutionRecord, 'id' | 'owner' | 'session_id' | 'attempt'> & {
  webhook_url: string;
};

/** The id that a retry has or is about to get, and when it was claimed. */
export interface RetryClaim {
  id: string;
  at: Date;
}

const UNFINISHED: StoredExecution['status'][] = ['queued', 'running', 'requires_action', 'cancelling'];

const MANY_DEADLINE_MS = 30_000;

const OWNER = { scope_key: 1, user_id: 1 } as const;
const STATE = { batch_id: 1, status: 1, error: 1, finished_at: 1 } as const;
const DUE_WEBHOOK = { ...OWNER, status: 1, session_id: 1, webhook_url: 1, finished_at: 1 } as const;
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

type Projected<Fields> = Pick<StoredExecution, '_id' | (keyof Fields & keyof StoredExecution)>;

/** Deletion keeps the usage, and `batch_due` because the batch still has to note the end. */
const BLANK: UpdateFilter<StoredExecution> = {
  $set: { deleted: true, input: '{}', output: [], metadata: [], progress: null, context: null, error: null },
  $unset: {
    checkpoint: '',
    warnings: '',
    approvals: '',
    webhook_url: '',
    webhook_wish: '',
    webhook_due: '',
    webhook_action_due: '',
    transient: '',
  },
};

/** Deleted executions are kept only for their usage. */
const SHOWN = { deleted: null } as unknown as ExecutionFilter;

/** Executions belong to a scope. Members of a workspace share them, except those of a session. */
export function createExecutionRepository(db: Db) {
  const executions = executionCollection.in(db);
  const update = (filter: ExecutionFilter, change: UpdateFilter<StoredExecution>) =>
    readOne(executions.findOneAndUpdate(filter, change, { returnDocument: 'after' }), executionOf);
  const matches = async (filter: ExecutionFilter) =>
    (await fromStore(executions.findOne(filter, { projection: { _id: 1 } }))) !== null;
  const unfinished = (owner: Owner, id: string): ExecutionFilter => ({
    ...inScope(owner, id),
    status: { $in: UNFINISHED },
  });
  const get = async (owner: Owner, id: string) =>
    readOne(executions.findOne({ ...inScope(owner, id), ...SHOWN, ...visibleTo(owner) }), executionOf);

  return {
    /** Throws `conflict` when the id exists. */
    insert: async (record: ExecutionRecord) => {
      await orConflict(executions.insertOne(storedExecution(record)), 'An execution with this id exists.');
    },
    /** Skips ids that exist. Returns the stored ids. */
    insertMany: async (records: ExecutionRecord[]) => {
      const ids = records.map(({ id }) => id);
      try {
        await fromStore(executions.insertMany(records.map(storedExecution), { ordered: false }));
        return new Set(ids);
      } catch (error) {
        const existing = duplicatesAmong(error);
        if (existing === null) throw error;
        return new Set(ids.filter((_, at) => !existing.has(at)));
      }
    },
    get,
    /** Returns those that exist, in no order. */
    getMany: async (owner: Owner, ids: string[]) =>
      readAll(executions.find({ ...allInScope(owner, ids), ...SHOWN, ...visibleTo(owner) }), executionOf),
    /** For the batch feeder: the states of these executions of any owner. */
    listStates: async (ids: string[]) => {
      const found = executions.find({ _id: { $in: ids.map(requireString) } });
      return readAll(found.project<Projected<typeof STATE>>(STATE), stateOf);
    },
    /** For the batch feeder: ended executions of all owners that their batches have not noted, oldest first. */
    listBatchesDue: async (limit: number) => {
      const due = executions.find({ batch_due: { $gt: '' } }).sort({ batch_due: 1 });
      return readAll(due.limit(limit).project<Projected<typeof STATE>>(STATE), stateOf);
    },
    /** Marks executions as noted by their batches. */
    markBatchesNoted: async (ids: string[]) => {
      await fromStore(executions.updateMany({ batch_due: { $in: ids } }, { $unset: { batch_due: '' } }));
    },
    /** Newest first. */
    list: async (owner: Owner, query: JobsQuery): Promise<Page<ExecutionRecord>> => {
      const found = executions
        .find(listFilter(owner, query))
        .sort(query.batch_id === undefined ? { _id: -1 } : { batch_key: -1 })
        .limit(query.limit + 1);
      return readPage(found, query.limit, executionOf, (last) => last._id);
    },
    /** Sets a queued execution to running on its first attempt. */
    markRunning: async (owner: Owner, id: string, startedAt: Date) => {
      const filter: ExecutionFilter = { ...inScope(owner, id), status: 'queued', attempt: 1 };
      await fromStore(executions.updateOne(filter, { $set: { status: 'running' }, $min: { started_at: startedAt } }));
    },
    /**
     * Takes an execution over for an attempt: raises `attempt`, keeps the first `started_at` and a `cancelling` status.
     * Returns null when it has ended or a newer attempt has it. Two round trips while cancelling.
     */
    claim: async (owner: Owner, id: string, attempt: number, startedAt: Date) => {
      const mine: ExecutionFilter = { ...inScope(owner, id), attempt: { $lte: attempt } };
      const started = { $min: { started_at: startedAt } };
      return (
        (await update(
          { ...mine, status: { $in: ['queued', 'running'] } },
          { $set: { attempt, status: 'running' }, ...started },
        )) ?? (await update({ ...mine, status: 'cancelling' }, { $set: { attempt }, ...started }))
      );
    },
    /** Stores state for the next attempt. Returns false when `attempt` has lost the execution or it has ended. */
    saveCheckpoint: async (owner: Owner, id: string, attempt: number, value: unknown) => {
      const change = { $set: { checkpoint: JSON.stringify(value) } };
      return (await fromStore(executions.updateOne({ ...unfinished(owner, id), attempt }, change))).matchedCount === 1;
    },
    /** Stores the progress of `attempt` while it has the execution. */
    saveProgress: async (owner: Owner, id: string, attempt: number, progress: Progress) => {
      await fromStore(executions.updateOne({ ...unfinished(owner, id), attempt }, { $set: { progress } }));
    },
    /**
     * Makes an execution wait for decisions. `attempt` must have it. Returns null when refused. Two round trips
     * without a webhook.
     */
    suspend: async (owner: Owner, id: string, attempt: number, { started_at, ...fields }: Suspension) => {
      const mine: ExecutionFilter = { ...inScope(owner, id), attempt, status: { $in: ['queued', 'running'] } };
      const waiting = { ...fields, status: 'requires_action' as const };
      const due = { webhook_action_due: `${requireString(id)}/${attempt}` };
      const notified: ExecutionFilter = { ...mine, webhook_wish: { $exists: true } };
      return (
        (await update(notified, { $set: { ...waiting, ...due }, $min: { started_at } })) ??
        (await update(mine, { $set: waiting, $min: { started_at } }))
      );
    },
    /** Decides on a call that waits. Returns the record, or null when it does not wait, or no longer. */
    decide: async (
      owner: Owner,
      id: string,
      { tool_call_id, ...decided }: Pick<ApprovalRecord, 'tool_call_id' | 'decision' | 'reason' | 'user_id'>,
    ) => {
      const now = new Date();
      const waits: ExecutionFilter = {
        ...inScope(owner, id),
        ...visibleTo(owner),
        status: 'requires_action',
        approvals_expire_at: { $gt: now },
        approvals: { $elemMatch: { tool_call_id: requireString(tool_call_id), decision: null } },
      };
      const written = Object.entries({ ...decided, decided_at: now });
      const change = Object.fromEntries(written.map(([name, value]) => [`approvals.$.${name}`, value]));
      return update(waits, { $set: change } as UpdateFilter<StoredExecution>);
    },
    /** Notes who approved a call of a response, and which one runs it. False: one is noted, or it is not stored. */
    useApproval: async (
      owner: Owner,
      id: string,
      approval: Pick<ApprovalRecord, 'tool_call_id' | 'name'> & { used_by: string },
    ) => {
      const unused = { 'approvals.tool_call_id': { $ne: requireString(approval.tool_call_id) } } as ExecutionFilter;
      const made = { decision: 'approve' as const, reason: null, user_id: owner.user_id, decided_at: new Date() };
      const used = { $push: { approvals: { ...approval, ...made } } };
      return (await fromStore(executions.updateOne({ ...inScope(owner, id), ...unused }, used))).matchedCount === 1;
    },
    /** Queues an execution whose calls are all decided. Returns null when it does not wait for that, or another did. */
    resume: async (owner: Owner, id: string) => {
      const decided = { 'approvals.decision': { $ne: null } } as ExecutionFilter;
      const waits: ExecutionFilter = { ...inScope(owner, id), status: 'requires_action', ...decided };
      return update(waits, { $set: { status: 'queued' }, $unset: { approvals_expire_at: '' } });
    },
    /**
     * Ends an execution that `attempt` has (null: any attempt). Returns the finished record, or null when refused.
     * Null after `store_unavailable` may mean that the first call succeeded: check with `get`.
     *
     * @param input the input of the record, from a caller that has it: a long conversation is then not read again
     */
    finish: async (
      owner: Owner,
      id: string,
      attempt: number | null,
      outcome: Outcome,
      input?: ExecutionRecord['input'],
    ) => {
      const filter = { ...unfinished(owner, id), ...(attempt === null ? {} : { attempt }) };
      if (input === undefined) return update(filter, ending(outcome));
      const options = { returnDocument: 'after', projection: { input: 0 } } as const;
      return readOne(executions.findOneAndUpdate(filter, ending(outcome), options), (stored) => ({
        ...executionOf({ ...stored, input: '{}' }),
        input,
      }));
    },
    /** Like `finish`, but only while the execution is queued. */
    finishQueued: async (owner: Owner, id: string, outcome: Outcome) =>
      update({ ...inScope(owner, id), status: 'queued' }, ending(outcome)),
    /** Sets an unfinished execution to cancelling. Returns the current record. At most two round trips. */
    markCancelling: async (owner: Owner, id: string) => {
      const running: ExecutionFilter = {
        ...inScope(owner, id),
        ...visibleTo(owner),
        status: { $in: ['queued', 'running'] },
      };
      return (await update(running, { $set: { status: 'cancelling' } })) ?? (await get(owner, id));
    },
    /** Returns the claim of the newest retry of an execution. */
    findRetry: async (owner: Owner, id: string): Promise<RetryClaim | null> => {
      const projection = { retried_as: 1, retried_at: 1 };
      const stored = await fromStore(executions.findOne(inScope(owner, id), { projection }));
      if (!stored?.retried_as || !stored.retried_at) return null;
      return { id: stored.retried_as, at: stored.retried_at };
    },
    /** Claims the next retry. Returns false when the newest claim is no longer `previous`. */
    claimRetry: async (owner: Owner, id: string, previous: RetryClaim | null, next: RetryClaim) => {
      const retried_as = previous === null ? { $exists: false } : previous.id;
      const claimed = { $set: { retried_as: next.id, retried_at: next.at } };
      return (await fromStore(executions.updateOne({ ...inScope(owner, id), retried_as }, claimed))).matchedCount === 1;
    },
    /** Withdraws the claim of a retry that was not started. */
    releaseRetry: async (owner: Owner, id: string, claim: RetryClaim) => {
      const mine = { ...inScope(owner, id), retried_as: claim.id };
      await fromStore(executions.updateOne(mine, { $unset: { retried_as: '', retried_at: '' } }));
    },
    /** For retention: ended executions of all owners from before `before`, oldest first. */
    listOld: async ({ before, limit }: { before: Date; limit: number }) => {
      const old = { _id: { $lt: firstIdAt('job', before.getTime()) }, finished_at: { $lt: before } };
      const fields = { ...OWNER, created_at: 1 } as const;
      const found = executions.find(old).sort({ _id: 1 }).limit(limit).project<Projected<typeof fields>>(fields);
      return readAll(found, ({ _id, created_at, ...owner }) => ({ id: _id, owner: ownerOf(owner), created_at }));
    },
    /** For the sweep: ended executions of all owners that may not be kept, from before `before`, oldest first. */
    listTransient: async ({ before, limit }: { before: Date; limit: number }) => {
      const found = executions
        .find({ transient: { $gt: '' }, finished_at: { $lt: before } })
        .sort({ transient: 1 })
        .limit(limit)
        .project<Projected<typeof OWNER>>(OWNER);
      return readAll(found, ({ _id, ...owner }) => ({ id: _id, owner: ownerOf(owner) }));
    },
    removeMany: async (ids: string[]) => {
      await fromStore(executions.deleteMany({ _id: { $in: ids } }));
    },
    /** Ended executions of all owners with a webhook to deliver, oldest first. */
    listWebhooksDue: async (limit: number): Promise<DueWebhook[]> => {
      const due = executions.find({ webhook_due: { $gt: '' } }).sort({ webhook_due: 1 });
      const found = due
        .limit(limit)
        .project<Projected<typeof DUE_WEBHOOK> & { webhook_url: string; finished_at: Date }>(DUE_WEBHOOK);
      return readAll(found, fromStored);
    },
    /** Executions of all owners whose wait for decisions has a webhook to deliver, oldest first. */
    listActionWebhooksDue: async (limit: number): Promise<DueActionWebhook[]> => {
      const due = executions.find({ webhook_action_due: { $gt: '' } }).sort({ webhook_action_due: 1 });
      const fields = { ...OWNER, session_id: 1, webhook_url: 1, webhook_action_due: 1 } as const;
      const found = due
        .limit(limit)
        .project<Projected<typeof fields> & { webhook_url: string; webhook_action_due: string }>(fields);
      return readAll(found, ({ webhook_action_due: mark, ...stored }) => ({
        ...fromStored(stored),
        attempt: Number(mark.slice(mark.indexOf('/') + 1)),
      }));
    },
    markActionWebhooksStored: async (due: readonly Pick<DueActionWebhook, 'id' | 'attempt'>[]) => {
      const marks = due.map(({ id, attempt }) => `${id}/${attempt}`);
      const stored: ExecutionFilter = { webhook_action_due: { $in: marks } };
      await fromStore(executions.updateMany(stored, { $unset: { webhook_action_due: '' } }));
    },
    /** Marks webhook deliveries as stored. */
    markWebhooksStored: async (ids: string[]) => {
      await fromStore(executions.updateMany({ webhook_due: { $in: ids } }, { $unset: { webhook_due: '' } }));
    },
    /** Returns the oldest unfinished execution of a session. */
    findUnfinished: async (sessionId: string) => {
      const running: ExecutionFilter = { session_id: requireString(sessionId), status: { $in: UNFINISHED } };
      const found = await fromStore(executions.findOne(running, { sort: { _id: 1 }, projection: { _id: 1 } }));
      return found?._id ?? null;
    },
    /** For deletions: executions of the scope by id, including deleted ones. */
    listForDeletion: async (owner: Owner, of: DeletionSubject, { after, limit }: { after: string; limit: number }) => {
      const found = executions
        .find(subjectFilter(owner, of, after))
        .sort(subjectOrder(of))
        .limit(limit);
      return readAll(found.project<Projected<typeof DELETABLE>>(DELETABLE), deletableOf, MANY_DEADLINE_MS);
    },
    /** Deletes ended executions except for their usage. Can be repeated. */
    blank: async (ids: readonly string[]) => {
      if (ids.length === 0) return;
      const ended: ExecutionFilter = { _id: { $in: [...ids] }, unfinished: { $exists: false } };
      await fromStore(executions.updateMany(ended, BLANK), MANY_DEADLINE_MS);
    },
    /** Whether an execution of any owner was deleted. */
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
    /** For sweeps: unfinished executions of all owners, oldest first. */
    listUnfinished: async ({ olderThan, limit, after }: { olderThan: Date; limit: number; after?: string }) => {
      // Ids begin with their time, so the order of `unfinished` is the order of age.
      const old: ExecutionFilter = { unfinished: { $gt: after ?? '' }, created_at: { $lt: olderThan } };
      return readAll(executions.find(old).sort({ unfinished: 1 }).limit(limit), executionOf);
    },
  };
}

function listFilter(owner: Owner, { kind, status, batch_id, after }: JobsQuery): ExecutionFilter {
  if (after !== undefined && !isId('job', after)) throw invalidCursor();
  const older = after === undefined ? {} : { _id: { $lt: after } };
  return {
    scope_key: scopeKey(owner),
    ...SHOWN,
    ...visibleTo(owner),
    ...defined({ kind, status }),
    ...(batch_id === undefined
      ? older
      : { batch_key: { $gt: batchKey(batch_id, ''), $lt: batchKey(batch_id, after ?? '~') } }),
  };
}

/** Omits the scope for sessions and entries, whose executions share it: planners would use a long index. */
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

function ending({ started_at, ...fields }: Outcome): UpdateFilter<StoredExecution> {
  return {
    $set: fields,
    $unset: { unfinished: '', checkpoint: '', approvals_expire_at: '' },
    $rename: { batch_wish: 'batch_due', webhook_wish: 'webhook_due' },
    ...(started_at instanceof Date ? { $min: { started_at } } : {}),
  };
}

function stateOf({ _id, ...standing }: Projected<typeof STATE>): ExecutionState {
  return { id: _id, ...standing };
}
