import { ChorusError, isId, type JobsQuery, type Owner, type Page, type Progress, scopeKey } from '@chorus/contract';
import type { Db, UpdateFilter } from 'mongodb';
import { allInScope, defined, inScope, requireString, visibleTo } from '../collection.ts';
import { type InsertStage, insertNew, joinInserts, joinUpdates } from '../joined-writes.ts';
import { invalidCursor, readAll, readOne, readPage } from '../reading.ts';
import { fromStore } from '../store-errors.ts';
import { executionDeletion } from './deletion.ts';
import { executionOperation } from './operation.ts';
import { type ExecutionFilter, SHOWN } from './queries.ts';
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
import { executionUpkeep } from './upkeep.ts';

/** The id of a retry, which may not have started yet, and when it was claimed. */
export interface RetryClaim {
  id: string;
  at: Date;
}

/** Usage of an execution so far. */
export type KnownUsage = Pick<ExecutionRecord, 'known_usage' | 'open_usage' | 'lost_usage'> &
  Partial<Pick<ExecutionRecord, 'model' | 'provider'>>;

const UNFINISHED: StoredExecution['status'][] = ['queued', 'running', 'requires_action', 'cancelling'];

/** Executions belong to a scope. Members of a workspace share them, except those of a session. */
export function createExecutionRepository(db: Db) {
  const executions = executionCollection.in(db);
  const update = (filter: ExecutionFilter, change: UpdateFilter<StoredExecution>) =>
    readOne(executions.findOneAndUpdate(filter, change, { returnDocument: 'after' }), executionOf);
  const unfinished = (owner: Owner, id: string): ExecutionFilter => ({
    ...inScope(owner, id),
    status: { $in: UNFINISHED },
  });
  const insert = joinInserts(executions);
  const mark = joinUpdates(executions);
  const get = async (owner: Owner, id: string) =>
    readOne(executions.findOne({ ...inScope(owner, id), ...SHOWN, ...visibleTo(owner) }), executionOf);

  return {
    /** Throws `conflict` if the id exists. */
    insert: async (record: ExecutionRecord, until?: InsertStage) => {
      if (!(await insert(storedExecution(record), until)))
        throw new ChorusError('conflict', 'An execution with this id exists.');
    },
    /** Skips ids that exist. Returns the stored ids. */
    insertMany: async (records: ExecutionRecord[]) => {
      const isNew = await insertNew(executions, records.map(storedExecution));
      return new Set(records.flatMap(({ id }, at) => (isNew[at] ? [id] : [])));
    },
    get,
    /** Returns existing executions, in no particular order. */
    getMany: async (owner: Owner, ids: string[]) =>
      readAll(executions.find({ ...allInScope(owner, ids), ...SHOWN, ...visibleTo(owner) }), executionOf),
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
      await mark(filter, { $set: { status: 'running' }, $min: { started_at: startedAt } });
    },
    /** Sets a started execution back to queued, while a lane of its provider takes no calls. */
    markWaiting: async (owner: Owner, id: string, attempt: number, lane: string) => {
      const status = { $in: ['queued' as const, 'running' as const] };
      const mine: ExecutionFilter = { ...inScope(owner, id), status, attempt: { $lte: attempt } };
      await mark(mine, { $set: { status: 'queued', awaited_lane: lane } });
    },
    /**
     * Returns null if it has ended or a newer attempt has it. Two round trips while cancelling.
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
    /**
     * Stores state for the next attempt, which holds all usage but that of broken attempts, and the usage so far.
     * Returns false if `attempt` has lost the execution, or it has ended.
     */
    saveCheckpoint: async (owner: Owner, id: string, attempt: number, value: unknown, known: KnownUsage = {}) => {
      const set = { checkpoint: JSON.stringify(value), ...known };
      const change: UpdateFilter<StoredExecution> = { $set: set, $unset: { open_usage: '' } };
      return (await fromStore(executions.updateOne({ ...unfinished(owner, id), attempt }, change))).matchedCount === 1;
    },
    /** Stores what has been used so far, while `attempt` holds the execution. */
    saveUsage: async (owner: Owner, id: string, attempt: number, known: KnownUsage) => {
      await mark({ ...unfinished(owner, id), attempt }, { $set: known });
    },
    /** Stores the progress of `attempt` while it holds the execution. */
    saveProgress: async (owner: Owner, id: string, attempt: number, progress: Progress) => {
      await fromStore(executions.updateOne({ ...unfinished(owner, id), attempt }, { $set: { progress } }));
    },
    /**
     * Makes an execution wait for decisions. `attempt` must hold it. Returns null if refused. Two round trips without
     * a webhook.
     */
    suspend: async (owner: Owner, id: string, attempt: number, { started_at, ...fields }: Suspension) => {
      const mine: ExecutionFilter = { ...inScope(owner, id), attempt, status: { $in: ['queued', 'running'] } };
      const waiting = { ...fields, status: 'requires_action' as const };
      const $unset: { known_usage: ''; open_usage: '' } = { known_usage: '', open_usage: '' };
      const due = { webhook_action_due: `${requireString(id)}/${attempt}` };
      const notified: ExecutionFilter = { ...mine, webhook_wish: { $exists: true } };
      return (
        (await update(notified, { $set: { ...waiting, ...due }, $unset, $min: { started_at } })) ??
        (await update(mine, { $set: waiting, $unset, $min: { started_at } }))
      );
    },
    /** Decides on a waiting call. Returns the record, or null if the call is not waiting, or no longer. */
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
    /** Records who approved a call of a response, and which response runs it. False: already done, or not stored. */
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
    /** Queues an execution whose calls are all decided. Returns null if it is not waiting, or already queued. */
    resume: async (owner: Owner, id: string) => {
      const decided = { 'approvals.decision': { $ne: null } } as ExecutionFilter;
      const waits: ExecutionFilter = { ...inScope(owner, id), status: 'requires_action', ...decided };
      return update(waits, { $set: { status: 'queued' }, $unset: { approvals_expire_at: '', awaited_lane: '' } });
    },
    /**
     * Ends an execution that `attempt` holds (null: any attempt). Returns the finished record, or null if refused.
     * Null after `store_unavailable` may mean that the first call succeeded: check with `get`.
     *
     * @param input The record's input, if the caller has it, so that a long conversation is not read again.
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
    /** Returns the claim for the newest retry of an execution. */
    findRetry: async (owner: Owner, id: string): Promise<RetryClaim | null> => {
      const projection = { retried_as: 1, retried_at: 1 };
      const stored = await fromStore(executions.findOne(inScope(owner, id), { projection }));
      if (!stored?.retried_as || !stored.retried_at) return null;
      return { id: stored.retried_as, at: stored.retried_at };
    },
    /** Claims the next retry. Returns false if the newest claim is no longer `previous`. */
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
    /** Returns the oldest unfinished turn of a session. */
    findUnfinished: async (sessionId: string) => {
      const running: ExecutionFilter = {
        session_id: requireString(sessionId),
        message_id: { $ne: null },
        status: { $in: UNFINISHED },
      };
      const found = await fromStore(executions.findOne(running, { sort: { _id: 1 }, projection: { _id: 1 } }));
      return found?._id ?? null;
    },
    ...executionUpkeep(executions),
    ...executionDeletion(executions),
    ...executionOperation(executions),
  };
}

function listFilter(owner: Owner, { kind, status, batch_id, standalone, mine, after }: JobsQuery): ExecutionFilter {
  if (after !== undefined && !isId('job', after)) throw invalidCursor();
  const older = after === undefined ? {} : { _id: { $lt: after } };
  return {
    scope_key: scopeKey(owner),
    ...SHOWN,
    ...visibleTo(owner),
    ...defined({ kind, status }),
    ...(standalone && { batch_id: null }),
    ...(mine && { user_id: owner.user_id }),
    ...(batch_id === undefined
      ? older
      : { batch_key: { $gt: batchKey(batch_id, ''), $lt: batchKey(batch_id, after ?? '~') } }),
  };
}

function ending({ started_at, ...fields }: Outcome): UpdateFilter<StoredExecution> {
  return {
    $set: fields,
    $unset: { checkpoint: '', approvals_expire_at: '', known_usage: '', lost_usage: '', open_usage: '' },
    $rename: { unfinished: 'usage_due', batch_wish: 'batch_due', webhook_wish: 'webhook_due' },
    ...(started_at instanceof Date ? { $min: { started_at } } : {}),
  };
}
