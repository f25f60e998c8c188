import {
  type BatchItemStatus,
  type EndedItemStatus,
  type ListQuery,
  type Owner,
  UNSUCCESSFUL_ITEM_STATUSES,
} from '@chorus/contract';
import type { Db, Filter, UpdateFilter } from 'mongodb';
import { requireString } from '../collection.ts';
import { invalidCursor, readAll, readPage } from '../reading.ts';
import { fromStore } from '../store-errors.ts';
import {
  type BatchItemRecord,
  batchItemCollection,
  endedKey,
  itemKey,
  listedItem,
  type NewBatchItem,
  type StoredBatchItem,
  seqKey,
  storedItem,
} from './schema.ts';

type ItemFilter = Filter<StoredBatchItem>;

/** The fields of an item that decide what runs next. */
export type BatchItemState = Pick<
  BatchItemRecord,
  'index' | 'id' | 'kind' | 'status' | 'after' | 'execution_id' | 'ended_seq'
>;

interface ItemClaim {
  index: number;
  execution_id: string;
  retry_of: string | null;
}

export interface ItemEnding extends Pick<BatchItemRecord, 'index' | 'error'> {
  status: EndedItemStatus;
  finished_at: Date;
}

const UPDATES_PER_COMMAND = 500;
const WHOLE_BATCH_MS = 60_000;
const LIGHT = { projection: { body: 0 } };
const STATE = { index: 1, item_id: 1, kind: 1, status: 1, after: 1, execution_id: 1, ended_seq: 1 } as const;

/** Items are visible with their batch. Only the feeder changes them once the batch is visible. */
export function createBatchItemRepository(db: Db) {
  const items = batchItemCollection.in(db);

  /** Returns how many documents matched. */
  const updateEach = async (updates: { filter: ItemFilter; update: UpdateFilter<StoredBatchItem> }[]) => {
    let matched = 0;
    for (let from = 0; from < updates.length; from += UPDATES_PER_COMMAND) {
      const some = updates.slice(from, from + UPDATES_PER_COMMAND).map((updateOne) => ({ updateOne }));
      matched += (await fromStore(items.bulkWrite(some, { ordered: true }))).matchedCount;
    }
    return matched;
  };

  return {
    insert: async (owner: Owner, batchId: string, added: NewBatchItem[]) => {
      if (added.length === 0) return;
      await fromStore(items.insertMany(added.map((item) => storedItem(owner, requireString(batchId), item))));
    },
    /** By position. The cursor is the last one. */
    list: async (
      batchId: string,
      { limit, after, status }: Pick<ListQuery, 'limit' | 'after'> & { status?: BatchItemStatus | undefined },
    ) => {
      if (after !== undefined && !/^\d{1,5}$/.test(after)) throw invalidCursor();
      const inBatch = itemsOf(batchId, after === undefined ? undefined : Number(after));
      const filter = status === undefined ? inBatch : { batch_id: batchId, status, ...inBatch };
      const found = items.find(filter, LIGHT).sort({ _id: 1 });
      return readPage(found.limit(limit + 1), limit, listedItem, ({ index }) => String(index));
    },
    /** Lists items in the order in which they ended, after a position, up to the group `upTo`. */
    listEnded: async (
      batchId: string,
      { after, upTo, limit }: { after: { seq: number; index: number } | null; upTo: number; limit: number },
    ) => {
      const from = after === null ? `${requireString(batchId)}:` : endedKey(batchId, after.seq, after.index);
      const found = items.find({ ended_key: { $gt: from, $lt: seqKey(batchId, upTo + 1) } }, LIGHT);
      return readAll(found.sort({ ended_key: 1 }).limit(limit), listedItem);
    },
    /** By position, starting at `from`. */
    listStates: async (batchId: string, { from, limit }: { from: number; limit: number }) => {
      const found = items.find({ _id: { $gte: itemKey(batchId, from), $lt: endOf(batchId) } }).sort({ _id: 1 });
      const states = found.limit(limit).project<Pick<StoredBatchItem, '_id' | keyof typeof STATE>>(STATE);
      return readAll(states, ({ _id, item_id, after = [], ended_seq = null, ...state }): BatchItemState => {
        return { ...state, id: item_id, after, ended_seq };
      });
    },
    getMany: async (batchId: string, indexes: number[]): Promise<BatchItemRecord[]> => {
      const found = items.find({ _id: { $in: indexes.map((index) => itemKey(batchId, index)) } }).sort({ _id: 1 });
      return readAll(found, (stored) => ({ ...listedItem(stored), body: JSON.parse(stored.body) }));
    },
    /** Queues waiting items with their executions. Returns how many were still waiting. */
    claim: async (batchId: string, claims: ItemClaim[]) =>
      updateEach(
        claims.map(({ index, execution_id, retry_of }) => ({
          filter: { _id: itemKey(batchId, index), status: 'waiting' },
          update: { $set: { status: 'queued' as const, execution_id, retry_of } },
        })),
      ),
    /** Marks started items as running, as queued again, or as waiting for decisions. */
    mark: async (batchId: string, indexes: number[], status: 'queued' | 'running' | 'requires_action') => {
      if (indexes.length === 0) return;
      const ids = indexes.map((index) => itemKey(batchId, index));
      const begun: ItemFilter = { _id: { $in: ids }, status: { $in: ['queued', 'running', 'requires_action'] } };
      await fromStore(items.updateMany(begun, { $set: { status } }));
    },
    /** Ends unfinished items as one group, by position. Returns how many were unfinished. */
    end: async (batchId: string, seq: number, endings: ItemEnding[]) =>
      updateEach(
        [...endings]
          .sort((one, other) => one.index - other.index)
          .map(({ index, status, error, finished_at }) => ({
            filter: { _id: itemKey(batchId, index), ended_seq: { $exists: false } },
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
    /** Sets unsuccessful items to waiting for a retry, once per request. */
    reset: async (batchId: string, round: number) => {
      const unsuccessful: ItemFilter = {
        batch_id: requireString(batchId),
        status: { $in: [...UNSUCCESSFUL_ITEM_STATUSES] },
        round: { $lt: round },
      };
      const again: UpdateFilter<StoredBatchItem> = {
        $set: { status: 'waiting', round },
        $unset: { ended_seq: '', ended_key: '', finished_at: '', error: '' },
      };
      await fromStore(items.updateMany(unsuccessful, again), WHOLE_BATCH_MS);
    },
    /** Blanks the error that an execution left in its item. */
    clearError: async (batchId: string, executionId: string) => {
      const execution_id = requireString(executionId);
      const item: ItemFilter = { ...itemsOf(batchId), execution_id, error: { $exists: true } };
      const blank = { 'error.message': 'The execution of this item was deleted.', 'error.details': [] };
      await fromStore(items.updateOne(item, { $set: blank }), WHOLE_BATCH_MS);
    },
    /** Deletes all items of a batch. */
    remove: async (batchId: string) => {
      await fromStore(items.deleteMany(itemsOf(batchId)), WHOLE_BATCH_MS);
    },
  };
}

/** Sorts after all keys of a batch: `;` follows `:`. */
const endOf = (batchId: string) => `${requireString(batchId)};`;

function itemsOf(batchId: string, after?: number): { _id: { $gt: string; $lt: string } } {
  return { _id: { $gt: after === undefined ? `${batchId}:` : itemKey(batchId, after), $lt: endOf(batchId) } };
}
