import { ChorusError, firstIdAt, isId, type JobsQuery, type Owner, scopeKey } from '@chorus/contract';
import type { mongo } from 'mongoose';
import { batchKey, executionOf, type StoredExecution, storedExecution } from './execution-model.ts';
import { invalidCursor, pageOf } from './page.ts';
import type { Outcome } from './records.ts';
import type { DeletableExecution, DeletionSubject, ExecutionRepository, ExecutionStanding } from './repositories.ts';
import { duplicatesAmong, fromStore, isDuplicate } from './store-errors.ts';
import { inScope, ownerOf, requireText, type StoredOwner } from './stored-fields.ts';
import type { WebhookWish } from './webhook-records.ts';

type Filter = mongo.Filter<StoredExecution>;

type StoredWish = Omit<WebhookWish, 'id' | 'owner'> & StoredOwner & { _id: string };

const UNFINISHED: StoredExecution['status'][] = ['queued', 'running', 'cancelling'];

/** A session or a batch may have thousands. */
const MANY_DEADLINE_MS = 30_000;

type StoredDeletable = Pick<
  StoredExecution,
  | '_id'
  | 'scope_key'
  | 'user_id'
  | 'kind'
  | 'surface'
  | 'input'
  | 'message_id'
  | 'batch_id'
  | 'status'
  | 'deleted'
  | 'unfinished'
>;

const DELETABLE = {
  scope_key: 1,
  user_id: 1,
  kind: 1,
  surface: 1,
  input: 1,
  message_id: 1,
  batch_id: 1,
  status: 1,
  deleted: 1,
  unfinished: 1,
};

/** What deleting an execution makes of it. `batch_due` stays: its batch still has to take note of its end. */
const BLANK: mongo.UpdateFilter<StoredExecution> = {
  $set: { deleted: true, input: '{}', output: [], metadata: [], progress: null, context: null, error: null },
  $unset: { checkpoint: '', warnings: '', webhook_url: '', webhook_wish: '', webhook_due: '' },
};

type StoredStanding = Pick<StoredExecution, '_id' | 'batch_id' | 'status' | 'error' | 'finished_at'>;
const STANDING = { batch_id: 1, status: 1, error: 1, finished_at: 1 };

/** All through the driver's own collection: every request and every job passes here. */
export function createExecutionRepository(collection: mongo.Collection<StoredExecution>): ExecutionRepository {
  const update = async (filter: Filter, change: mongo.UpdateFilter<StoredExecution>) => {
    const stored = await fromStore(collection.findOneAndUpdate(filter, change, { returnDocument: 'after' }));
    return stored === null ? null : executionOf(stored);
  };
  const get: ExecutionRepository['get'] = async (owner, id) => {
    const stored = await fromStore(collection.findOne({ ...inScope(owner, id), ...SHOWN, ...visibleTo(owner) }));
    return stored === null ? null : executionOf(stored);
  };

  return {
    insert: async (record) => {
      try {
        await fromStore(collection.insertOne(storedExecution(record)));
      } catch (error) {
        if (!isDuplicate(error)) throw error;
        throw new ChorusError('conflict', 'An execution with this id exists.', { cause: error });
      }
    },
    insertMany: async (records) => {
      const ids = records.map(({ id }) => id);
      try {
        await fromStore(collection.insertMany(records.map(storedExecution), { ordered: false }));
        return new Set(ids);
      } catch (error) {
        const existing = duplicatesAmong(error);
        if (existing === null) throw error;
        return new Set(ids.filter((_, at) => !existing.has(at)));
      }
    },
    get,
    getMany: async (owner, ids) => {
      const those: Filter = {
        _id: { $in: ids.map(requireText) },
        scope_key: scopeKey(owner),
        ...SHOWN,
        ...visibleTo(owner),
      };
      return (await fromStore(collection.find(those).toArray())).map(executionOf);
    },
    standings: async (ids) => {
      const found = collection.find({ _id: { $in: ids.map(requireText) } }).project<StoredStanding>(STANDING);
      return (await fromStore(found.toArray())).map(standingOf);
    },
    listBatchesDue: async (limit) => {
      const found = collection
        .find({ batch_due: { $gt: '' } })
        .sort({ batch_due: 1 })
        .limit(limit);
      return (await fromStore(found.project<StoredStanding>(STANDING).toArray())).map(standingOf);
    },
    noteBatches: async (ids) => {
      await fromStore(collection.updateMany({ batch_due: { $in: ids } }, { $unset: { batch_due: '' } }));
    },
    list: async (owner, query) => {
      const filter = listFilter(owner, query);
      const found = await fromStore(
        collection
          .find(filter)
          .sort(query.batch_id === undefined ? { _id: -1 } : { batch_key: -1 })
          .limit(query.limit + 1)
          .toArray(),
      );
      return pageOf(found, query.limit, executionOf, (last) => last._id);
    },
    markRunning: async (owner, id, startedAt) => {
      const filter: Filter = { ...inScope(owner, id), status: 'queued', attempt: 1 };
      await fromStore(collection.updateOne(filter, { $set: { status: 'running' }, $min: { started_at: startedAt } }));
    },
    claim: async (owner, id, attempt, startedAt) => {
      const mine: Filter = { ...inScope(owner, id), attempt: { $lte: attempt } };
      const taken = { $set: { attempt, status: 'running' as const }, $min: { started_at: startedAt } };
      return (
        (await update({ ...mine, status: { $in: ['queued', 'running'] } }, taken)) ??
        (await update({ ...mine, status: 'cancelling' }, { $set: { attempt }, $min: { started_at: startedAt } }))
      );
    },
    saveCheckpoint: async (owner, id, attempt, value) => {
      const held: Filter = { ...inScope(owner, id), attempt, status: { $in: UNFINISHED } };
      const change = { $set: { checkpoint: JSON.stringify(value) } };
      return (await fromStore(collection.updateOne(held, change))).matchedCount === 1;
    },
    noteProgress: async (owner, id, attempt, progress) => {
      const held: Filter = { ...inScope(owner, id), attempt, status: { $in: UNFINISHED } };
      await fromStore(collection.updateOne(held, { $set: { progress } }));
    },
    finish: (owner, id, attempt, outcome) =>
      update(
        { ...inScope(owner, id), status: { $in: UNFINISHED }, ...(attempt === null ? {} : { attempt }) },
        ending(outcome),
      ),
    finishQueued: (owner, id, outcome) => update({ ...inScope(owner, id), status: 'queued' }, ending(outcome)),
    markCancelling: async (owner, id) => {
      const running: Filter = {
        ...inScope(owner, id),
        ...visibleTo(owner),
        status: { $in: ['queued', 'running'] },
      };
      return (await update(running, { $set: { status: 'cancelling' } })) ?? (await get(owner, id));
    },
    retryOf: async (owner, id) => {
      const projection = { retried_as: 1, retried_at: 1 };
      const stored = await fromStore(collection.findOne(inScope(owner, id), { projection }));
      if (!stored?.retried_as || !stored.retried_at) return null;
      return { id: stored.retried_as, at: stored.retried_at };
    },
    claimRetry: async (owner, id, previous, next) => {
      const unchanged: Filter = previous === null ? { retried_as: { $exists: false } } : { retried_as: previous.id };
      const claimed = { $set: { retried_as: next.id, retried_at: next.at } };
      return (
        (await fromStore(collection.updateOne({ ...inScope(owner, id), ...unchanged }, claimed))).matchedCount === 1
      );
    },
    releaseRetry: async (owner, id, claim) => {
      const mine: Filter = { ...inScope(owner, id), retried_as: claim.id };
      await fromStore(collection.updateOne(mine, { $unset: { retried_as: '', retried_at: '' } }));
    },
    listOld: async ({ before, limit }) => {
      const old = { _id: { $lt: firstIdAt('job', before.getTime()) }, finished_at: { $lt: before } };
      const found = collection
        .find(old)
        .sort({ _id: 1 })
        .limit(limit)
        .project<Pick<StoredExecution, '_id' | 'scope_key' | 'user_id' | 'created_at'>>({
          scope_key: 1,
          user_id: 1,
          created_at: 1,
        });
      const stored = await fromStore(found.toArray());
      return stored.map(({ _id, created_at, ...owner }) => ({ id: _id, owner: ownerOf(owner), created_at }));
    },
    removeMany: async (ids) => {
      await fromStore(collection.deleteMany({ _id: { $in: ids } }));
    },
    listWebhooksDue: async (limit) => {
      const found = collection
        .find({ webhook_due: { $gt: '' } })
        .sort({ webhook_due: 1 })
        .limit(limit)
        .project<StoredWish>({ scope_key: 1, user_id: 1, status: 1, session_id: 1, webhook_url: 1, finished_at: 1 });
      const stored = await fromStore(found.toArray());
      return stored.map(({ _id, scope_key, user_id, ...rest }) => ({
        id: _id,
        owner: ownerOf({ scope_key, user_id }),
        ...rest,
      }));
    },
    noteWebhooks: async (ids) => {
      await fromStore(collection.updateMany({ webhook_due: { $in: ids } }, { $unset: { webhook_due: '' } }));
    },
    unfinishedOf: async (sessionId) => {
      const running: Filter = { session_id: requireText(sessionId), status: { $in: UNFINISHED } };
      const found = await fromStore(collection.findOne(running, { sort: { _id: 1 }, projection: { _id: 1 } }));
      return found?._id ?? null;
    },
    listForDeletion: async (owner, of, { after, limit }) => {
      const filter = subjectFilter(owner, of, after);
      const found = collection.find(filter).sort(subjectOrder(of)).limit(limit).project<StoredDeletable>(DELETABLE);
      return (await fromStore(found.toArray(), MANY_DEADLINE_MS)).map(deletableOf);
    },
    blank: async (ids) => {
      if (ids.length === 0) return;
      const ended: Filter = { _id: { $in: [...ids] }, unfinished: { $exists: false } };
      await fromStore(collection.updateMany(ended, BLANK), MANY_DEADLINE_MS);
    },
    isDeleted: async (id) => {
      const filter: Filter = { _id: requireText(id), deleted: true };
      return (await fromStore(collection.findOne(filter, { projection: { _id: 1 } }))) !== null;
    },
    listQuoting: async (entryId, limit) => {
      const entry_id = requireText(entryId);
      const quotes: Filter[] = [
        { 'output.entry_id': entry_id, output: { $elemMatch: { entry_id, quote: { $ne: '' } } } },
        {
          'output.passage.entry_id': entry_id,
          output: { $elemMatch: { 'passage.entry_id': entry_id, 'passage.text': { $ne: '' } } },
        },
      ] as Filter[];
      const found: Pick<StoredExecution, '_id' | 'surface' | 'output'>[] = [];
      for (const quoting of quotes) {
        const some = collection
          .find({ ...quoting, unfinished: { $exists: false } })
          .limit(limit)
          .project<Pick<StoredExecution, '_id' | 'surface' | 'output'>>({ surface: 1, output: 1 });
        found.push(...(await fromStore(some.toArray(), MANY_DEADLINE_MS)));
      }
      return found.map(({ _id, surface, output }) => ({ id: _id, surface, output }));
    },
    setOutput: async (id, output) => {
      await fromStore(
        collection.updateOne({ _id: requireText(id), deleted: null } as unknown as Filter, { $set: { output } }),
      );
    },
    forgetFilename: async (id, assetId) => {
      const _id = requireText(id);
      const made = { _id, unfinished: { $exists: false }, 'output.asset.id': requireText(assetId) } as Filter;
      const nameless = { $set: { 'output.$.asset.filename': null } } as unknown as mongo.UpdateFilter<StoredExecution>;
      if ((await fromStore(collection.updateOne(made, nameless))).matchedCount > 0) return true;
      const running: Filter = { _id, unfinished: { $exists: true } };
      return (await fromStore(collection.findOne(running, { projection: { _id: 1 } }))) === null;
    },
    listUnfinished: async ({ olderThan, limit, after }) => {
      // Ids begin with their time, so the order of `unfinished` is the order of age.
      const filter: Filter = { unfinished: { $gt: after ?? '' }, created_at: { $lt: olderThan } };
      const found = collection.find(filter).sort({ unfinished: 1 }).limit(limit);
      return (await fromStore(found.toArray())).map(executionOf);
    },
  };
}

/** Deleted ones are kept for their usage alone. */
const SHOWN = { deleted: null } as unknown as Filter;

/** Members of a workspace share its executions, but a session's belong to its maker alone. */
function visibleTo(owner: Owner): Filter {
  return owner.scope === 'personal' ? {} : { $or: [{ session_id: null }, { user_id: owner.user_id }] };
}

function listFilter(owner: Owner, query: JobsQuery): Filter {
  if (query.after !== undefined && !isId('job', query.after)) throw invalidCursor();
  return {
    scope_key: scopeKey(owner),
    ...SHOWN,
    ...visibleTo(owner),
    ...(query.kind === undefined ? {} : { kind: query.kind }),
    ...(query.status === undefined ? {} : { status: query.status }),
    ...pageFilter(query),
  };
}

/** A session's or an entry's executions are all in its scope. The scope in the filter would mislead planners to its own, long index. */
function subjectFilter(owner: Owner, of: DeletionSubject, after: string): Filter {
  const scope_key = scopeKey(owner);
  if ('batch_id' in of)
    return { scope_key, batch_key: { $gt: batchKey(of.batch_id, after), $lt: batchKey(of.batch_id, '~') } };
  if ('ids' in of) return { scope_key, _id: { $in: of.ids.filter((id) => id > after).map(requireText) } };
  return { ...of, _id: { $gt: after } };
}

const subjectOrder = (of: DeletionSubject): Record<string, 1> => ('batch_id' in of ? { batch_key: 1 } : { _id: 1 });

function deletableOf(stored: StoredDeletable): DeletableExecution {
  const { _id, kind, surface, message_id, batch_id, status, deleted = false, unfinished, input } = stored;
  return {
    id: _id,
    owner: ownerOf(stored),
    kind,
    surface,
    message_id,
    batch_id,
    input: JSON.parse(input),
    ended: unfinished === undefined,
    deleted,
    failed: status === 'failed',
  };
}

function pageFilter({ batch_id, after }: JobsQuery): Filter {
  if (batch_id === undefined) return after === undefined ? {} : { _id: { $lt: after } };
  return { batch_key: { $gt: batchKey(batch_id, ''), $lt: batchKey(batch_id, after ?? '~') } };
}

function ending(outcome: Outcome): mongo.UpdateFilter<StoredExecution> {
  const { started_at, ...fields } = outcome;
  return {
    $set: fields,
    $unset: { unfinished: '', checkpoint: '' },
    $rename: { batch_wish: 'batch_due', webhook_wish: 'webhook_due' },
    ...(started_at instanceof Date ? { $min: { started_at } } : {}),
  };
}

function standingOf({ _id, ...standing }: StoredStanding): ExecutionStanding {
  return { id: _id, ...standing };
}
