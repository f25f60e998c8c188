import type { BatchCounts, BatchesQuery, Owner } from '@chorus/contract';
import { type Connection, type mongo, Schema } from 'mongoose';
import type { BatchRecord, BatchRepository, NewBatch } from './batch-records.ts';
import { listNewest } from './list-newest.ts';
import { fromStore } from './store-errors.ts';
import {
  inScope,
  ownerOf,
  pairsOf,
  requireText,
  type StoredOwner,
  type StoredPairs,
  storedOwner,
  storedPairs,
} from './stored-fields.ts';

export interface StoredBatch
  extends StoredOwner,
    Omit<BatchRecord, 'id' | 'owner' | 'status' | 'metadata' | 'retry_pending'> {
  _id: string;
  status: BatchRecord['status'] | 'creating';
  /** JSON, since field names inside it are the caller's. */
  defaults: string;
  metadata: StoredPairs;
  retry_pending?: true;
  /** When something was last heard of its making; absent once it is shown. */
  creating_at?: Date;
  /** The id again while it has not ended, else absent: a sparse index of what the feeder looks at. */
  unfinished?: string;
  /** The id again while its end has not been told. */
  untold?: string;
}

type Filter = mongo.Filter<StoredBatch>;

const NONE: BatchCounts = {
  total: 0,
  waiting: 0,
  queued: 0,
  running: 0,
  succeeded: 0,
  failed: 0,
  cancelled: 0,
  skipped: 0,
};

/** Of what is only looked at the fields that may be large stay in the store. */
const LIGHT = { projection: { defaults: 0 } };

export function defineBatchModel(connection: Connection) {
  const schema = new Schema<StoredBatch>(
    {
      _id: { type: String, required: true },
      scope_key: { type: String, required: true },
      user_id: { type: String, required: true },
      kind: String,
      status: { type: String, required: true },
      defaults: { type: String, required: true },
      counts: Schema.Types.Mixed,
      ordered: Boolean,
      metadata: [Schema.Types.Mixed],
      webhook_url: String,
      api_key_id: String,
      request_id: String,
      retries: Number,
      retry_pending: Boolean,
      ended_seq: Number,
      created_at: { type: Date, required: true },
      started_at: Date,
      finished_at: Date,
      creating_at: Date,
      unfinished: String,
      untold: String,
    },
    { versionKey: false, collection: 'batches' },
  );
  schema.index({ scope_key: 1, _id: -1 });
  schema.index({ unfinished: 1 }, { sparse: true });
  schema.index({ untold: 1 }, { sparse: true });
  schema.index({ creating_at: 1 }, { sparse: true });
  schema.index({ finished_at: 1 });
  return connection.model('Batch', schema);
}

export function createBatchRepository(collection: mongo.Collection<StoredBatch>): BatchRepository {
  const update = async (filter: Filter, change: mongo.UpdateFilter<StoredBatch>) =>
    batchOf(
      await fromStore(
        collection.findOneAndUpdate(filter, change, { returnDocument: 'after', projection: LIGHT.projection }),
      ),
    );
  const shown = (owner: Owner, id: string): Filter => ({ ...inScope(owner, id), status: { $ne: 'creating' } });
  const get: BatchRepository['get'] = async (owner, id) =>
    batchOf(await fromStore(collection.findOne(shown(owner, id), LIGHT)));

  return {
    begin: async (batch) => {
      await fromStore(collection.insertOne(newBatch(batch)));
    },
    touch: async (id) => {
      const making: Filter = { _id: requireText(id), status: 'creating' };
      await fromStore(collection.updateOne(making, { $set: { creating_at: new Date() } }));
    },
    commit: async (owner, id, { total, ordered }) => {
      const counts = { ...NONE, total, waiting: total };
      const shownNow = {
        $set: { status: 'running' as const, counts, ordered, unfinished: id },
        $unset: { creating_at: '' as const },
      };
      const made = await fromStore(collection.updateOne({ ...inScope(owner, id), status: 'creating' }, shownNow));
      if (made.matchedCount > 0) return true;
      return (await get(owner, id)) !== null; // it was done before its answer was lost
    },
    get,
    list: (owner, { status, ...page }: BatchesQuery) => {
      const filter: Filter = {
        scope_key: storedOwner(owner).scope_key,
        status: status ?? { $ne: 'creating' },
      };
      return listNewest(collection, 'batch', page, filter, (stored) => batchOf(stored));
    },
    markCancelling: async (owner, id) =>
      (await update({ ...inScope(owner, id), status: 'running' }, { $set: { status: 'cancelling' } })) ??
      (await get(owner, id)),
    askRetry: async (owner, id) => {
      const retryable: Filter = {
        status: { $in: ['running', 'completed', 'cancelled'] },
        retry_pending: { $exists: false },
      };
      const asked = await update(
        { ...inScope(owner, id), ...retryable },
        {
          $set: { status: 'running', retry_pending: true, unfinished: id, finished_at: null },
          $inc: { retries: 1 },
          $unset: { untold: '' },
        },
      );
      if (asked !== null) return asked;
      const current = await get(owner, id);
      return current?.retry_pending && current.status === 'running' ? current : null;
    },
    countUnfinished: (userId, limit) =>
      fromStore(collection.countDocuments({ unfinished: { $gt: '' }, user_id: requireText(userId) }, { limit })),
    listUnfinished: async ({ limit, after }) => {
      const found = collection
        .find({ unfinished: { $gt: after ?? '' } }, LIGHT)
        .sort({ unfinished: 1 })
        .limit(limit);
      return (await fromStore(found.toArray())).map((stored) => batchOf(stored));
    },
    defaultsOf: async (id) => {
      const stored = await fromStore(collection.findOne({ _id: requireText(id) }, { projection: { defaults: 1 } }));
      return JSON.parse(stored?.defaults ?? '{}');
    },
    noteProgress: async (id, { counts, ended_seq, started_at }) => {
      const progress = { $set: { counts, ended_seq, started_at } };
      await fromStore(collection.updateOne({ unfinished: requireText(id) }, progress));
    },
    finish: ({ id, status, retries }, ending) => {
      const { counts, ended_seq, started_at } = ending;
      const finished = { counts, ended_seq, started_at, status: ending.status, finished_at: new Date(), untold: id };
      return update(
        { unfinished: requireText(id), status, retries, retry_pending: { $ne: true } },
        { $set: finished, $unset: { unfinished: '' } },
      );
    },
    noteRetried: async (id, retries, counts) => {
      const change = { $unset: { retry_pending: '' }, $set: { counts } } as const;
      await fromStore(collection.updateOne({ _id: requireText(id), retries }, change));
    },
    listUntold: async (limit) => {
      const found = collection
        .find({ untold: { $gt: '' } }, LIGHT)
        .sort({ untold: 1 })
        .limit(limit);
      return (await fromStore(found.toArray())).map((stored) => batchOf(stored));
    },
    noteTold: async (id, retries) => {
      await fromStore(collection.updateOne({ _id: requireText(id), retries }, { $unset: { untold: '' } }));
    },
    listAbandoned: async (before, limit) => {
      const found = collection
        .find({ creating_at: { $lt: before } }, { projection: { _id: 1 } })
        .sort({ creating_at: 1 })
        .limit(limit);
      return (await fromStore(found.toArray())).map(({ _id }) => _id);
    },
    listOld: async ({ before, limit }) => {
      const found = collection
        .find({ finished_at: { $lt: before } }, { projection: { _id: 1 } })
        .sort({ finished_at: 1 })
        .limit(limit);
      return (await fromStore(found.toArray())).map(({ _id }) => _id);
    },
    remove: async (id) => {
      await fromStore(collection.deleteOne({ _id: requireText(id) }));
    },
    removeEnded: async (owner, id) => {
      const ended: Filter = { ...inScope(owner, id), status: { $in: ['completed', 'cancelled'] } };
      return (await fromStore(collection.deleteOne(ended))).deletedCount > 0;
    },
  };
}

function newBatch({ id, owner, defaults, metadata, ...batch }: NewBatch): StoredBatch {
  const now = new Date();
  return {
    _id: id,
    ...storedOwner(owner),
    ...batch,
    status: 'creating',
    defaults: JSON.stringify(defaults),
    counts: NONE,
    ordered: false,
    metadata: storedPairs(metadata),
    retries: 0,
    ended_seq: 0,
    created_at: now,
    started_at: null,
    finished_at: null,
    creating_at: now,
  };
}

function batchOf<S extends StoredBatch | null>(stored: S): S extends null ? null : BatchRecord;
function batchOf(stored: StoredBatch | null): BatchRecord | null {
  if (stored === null) return null;
  return {
    id: stored._id,
    owner: ownerOf(stored),
    kind: stored.kind,
    status: stored.status as BatchRecord['status'], // no query finds one that is still being made
    counts: stored.counts,
    ordered: stored.ordered,
    metadata: pairsOf(stored.metadata),
    webhook_url: stored.webhook_url,
    api_key_id: stored.api_key_id,
    request_id: stored.request_id,
    retries: stored.retries,
    retry_pending: stored.retry_pending ?? false,
    ended_seq: stored.ended_seq,
    created_at: stored.created_at,
    started_at: stored.started_at,
    finished_at: stored.finished_at,
  };
}
