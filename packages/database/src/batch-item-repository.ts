import type { ErrorBody, Owner } from '@chorus/contract';
import { type Connection, type mongo, Schema } from 'mongoose';
import type {
  BatchItemRecord,
  BatchItemRepository,
  BatchItemState,
  ListedBatchItem,
  NewBatchItem,
} from './batch-records.ts';
import { invalidCursor, pageOf } from './page.ts';
import { fromStore } from './store-errors.ts';
import { requireText, type StoredOwner, storedOwner } from './stored-fields.ts';

export interface StoredBatchItem
  extends StoredOwner,
    Omit<BatchItemRecord, 'id' | 'body' | 'after' | 'error' | 'ended_seq' | 'finished_at'> {
  /** `<batch>:<place>`, so that a batch's items lie together, in their order. */
  _id: string;
  item_id: string;
  /** JSON, since field names inside it are the caller's. */
  body: string;
  /** Absent: after none. */
  after?: string[];
  error?: ErrorBody;
  ended_seq?: number;
  /** `<batch>:<number of the ending>:<place>`: the order of the results. Absent until it has ended. */
  ended_key?: string;
  finished_at?: Date;
}

type Filter = mongo.Filter<StoredBatchItem>;

/** Changes sent in one command: a batch may have thousands. */
const CHANGES_AT_ONCE = 500;

/** Deleting, and setting back, all of a batch may take a while, in milliseconds. */
const WHOLE_BATCH_MS = 60_000;

const PLACE_DIGITS = 5;
const SEQ_DIGITS = 10;

export function defineBatchItemModel(connection: Connection) {
  const schema = new Schema<StoredBatchItem>(
    {
      _id: { type: String, required: true },
      scope_key: { type: String, required: true },
      user_id: { type: String, required: true },
      batch_id: { type: String, required: true },
      index: { type: Number, required: true },
      item_id: { type: String, required: true },
      kind: { type: String, required: true },
      body: { type: String, required: true },
      after: [String],
      status: { type: String, required: true },
      execution_id: String,
      retry_of: String,
      round: Number,
      error: Schema.Types.Mixed,
      ended_seq: Number,
      ended_key: String,
      finished_at: Date,
    },
    { versionKey: false, collection: 'batch_items' },
  );
  schema.index({ batch_id: 1, status: 1, _id: 1 });
  schema.index({ ended_key: 1 }, { sparse: true });
  return connection.model('BatchItem', schema);
}

export function createBatchItemRepository(collection: mongo.Collection<StoredBatchItem>): BatchItemRepository {
  /** Answers how many documents the changes found as they expected them. */
  const changeEach = async (updates: { filter: Filter; update: mongo.UpdateFilter<StoredBatchItem> }[]) => {
    let matched = 0;
    for (let from = 0; from < updates.length; from += CHANGES_AT_ONCE) {
      const some = updates.slice(from, from + CHANGES_AT_ONCE).map((updateOne) => ({ updateOne }));
      matched += (await fromStore(collection.bulkWrite(some, { ordered: true }))).matchedCount;
    }
    return matched;
  };

  return {
    insert: async (owner, batchId, items) => {
      if (items.length === 0) return;
      await fromStore(collection.insertMany(items.map((item) => storedItem(owner, requireText(batchId), item))));
    },
    list: async (batchId, { limit, after, status }) => {
      if (after !== undefined && !/^\d{1,5}$/.test(after)) throw invalidCursor();
      const behind = after === undefined ? `${requireText(batchId)}:` : keyOf(batchId, Number(after));
      const inBatch: Filter = { _id: { $gt: behind, $lt: endOf(batchId) } };
      const filter: Filter = status === undefined ? inBatch : { batch_id: batchId, status, ...inBatch };
      const found = collection
        .find(filter, { projection: { body: 0 } })
        .sort({ _id: 1 })
        .limit(limit + 1);
      return pageOf(await fromStore(found.toArray()), limit, listedItem, ({ index }) => String(index));
    },
    listEnded: async (batchId, { after, upTo, limit }) => {
      const from = after === null ? `${requireText(batchId)}:` : endedKey(batchId, after.seq, after.index);
      const found = collection
        .find(
          { ended_key: { $gt: from, $lt: `${batchId}:${padded(upTo + 1, SEQ_DIGITS)}` } },
          { projection: { body: 0 } },
        )
        .sort({ ended_key: 1 })
        .limit(limit);
      return (await fromStore(found.toArray())).map(listedItem);
    },
    listStates: async (batchId, { from, limit }) => {
      const found = collection
        .find({ _id: { $gte: keyOf(batchId, from), $lt: endOf(batchId) } })
        .sort({ _id: 1 })
        .limit(limit)
        .project<
          Pick<StoredBatchItem, 'index' | 'item_id' | 'kind' | 'status' | 'after' | 'execution_id' | 'ended_seq'>
        >({
          index: 1,
          item_id: 1,
          kind: 1,
          status: 1,
          after: 1,
          execution_id: 1,
          ended_seq: 1,
        });
      return (await fromStore(found.toArray())).map(
        ({ item_id, after, ended_seq, index, kind, status, execution_id }): BatchItemState => ({
          index,
          id: item_id,
          kind,
          status,
          after: after ?? [],
          execution_id,
          ended_seq: ended_seq ?? null,
        }),
      );
    },
    getMany: async (batchId, indexes) => {
      const found = collection.find({ _id: { $in: indexes.map((index) => keyOf(batchId, index)) } }).sort({ _id: 1 });
      return (await fromStore(found.toArray())).map((stored) => ({
        ...listedItem(stored),
        body: JSON.parse(stored.body),
      }));
    },
    claim: (batchId, claims) =>
      changeEach(
        claims.map(({ index, execution_id, retry_of }) => ({
          filter: { _id: keyOf(batchId, index), status: 'waiting' },
          update: { $set: { status: 'queued' as const, execution_id, retry_of } },
        })),
      ),
    markRunning: async (batchId, indexes) => {
      if (indexes.length === 0) return;
      const queued: Filter = { _id: { $in: indexes.map((index) => keyOf(batchId, index)) }, status: 'queued' };
      await fromStore(collection.updateMany(queued, { $set: { status: 'running' } }));
    },
    end: (batchId, seq, endings) =>
      changeEach(
        [...endings]
          .sort((one, other) => one.index - other.index)
          .map(({ index, status, error, finished_at }) => ({
            filter: { _id: keyOf(batchId, index), ended_seq: { $exists: false } },
            update: {
              $set: {
                status,
                finished_at,
                ended_seq: seq,
                ended_key: endedKey(batchId, seq, index),
                ...(error === null ? {} : { error }),
              },
            },
          })),
      ),
    reset: async (batchId, round) => {
      const unsuccessful: Filter = {
        batch_id: requireText(batchId),
        status: { $in: ['failed', 'cancelled', 'skipped'] },
        round: { $lt: round },
      };
      const again: mongo.UpdateFilter<StoredBatchItem> = {
        $set: { status: 'waiting', round },
        $unset: { ended_seq: '', ended_key: '', finished_at: '', error: '' },
      };
      await fromStore(collection.updateMany(unsuccessful, again), WHOLE_BATCH_MS);
    },
    forgetError: async (batchId, executionId) => {
      const item: Filter = {
        _id: { $gt: `${requireText(batchId)}:`, $lt: endOf(batchId) },
        execution_id: requireText(executionId),
        error: { $exists: true },
      };
      const blank = { 'error.message': 'The execution of this item was deleted.', 'error.details': [] };
      await fromStore(collection.updateOne(item, { $set: blank }), WHOLE_BATCH_MS);
    },
    remove: async (batchId) => {
      const inBatch: Filter = { _id: { $gt: `${requireText(batchId)}:`, $lt: endOf(batchId) } };
      await fromStore(collection.deleteMany(inBatch), WHOLE_BATCH_MS);
    },
  };
}

const padded = (value: number, digits: number) => String(value).padStart(digits, '0');

const keyOf = (batchId: string, index: number) => `${requireText(batchId)}:${padded(index, PLACE_DIGITS)}`;

const endedKey = (batchId: string, seq: number, index: number) =>
  `${requireText(batchId)}:${padded(seq, SEQ_DIGITS)}:${padded(index, PLACE_DIGITS)}`;

/** Behind all keys of a batch: the character after `:`. */
const endOf = (batchId: string) => `${requireText(batchId)};`;

function storedItem(owner: Owner, batchId: string, { index, id, kind, body, after }: NewBatchItem): StoredBatchItem {
  return {
    _id: keyOf(batchId, index),
    ...storedOwner(owner),
    batch_id: batchId,
    index,
    item_id: id,
    kind,
    body: JSON.stringify(body),
    ...(after.length === 0 ? {} : { after }),
    status: 'waiting',
    execution_id: null,
    retry_of: null,
    round: 0,
  };
}

function listedItem(stored: Omit<StoredBatchItem, 'body'>): ListedBatchItem {
  return {
    batch_id: stored.batch_id,
    index: stored.index,
    id: stored.item_id,
    kind: stored.kind,
    after: stored.after ?? [],
    status: stored.status,
    execution_id: stored.execution_id,
    retry_of: stored.retry_of,
    round: stored.round,
    error: stored.error ?? null,
    ended_seq: stored.ended_seq ?? null,
    finished_at: stored.finished_at ?? null,
  };
}
