import type { BatchCounts, BatchEconomy, BatchesQuery, Owner } from '@chorus/contract';
import type { Db, Filter, UpdateFilter } from 'mongodb';
import { inScope, requireString, storedOwner } from '../collection.ts';
import { listNewest, readAll, readIds, readOne } from '../reading.ts';
import { fromStore } from '../store-errors.ts';
import {
  type BatchRecord,
  batchCollection,
  batchOf,
  type NewBatch,
  NO_COUNTS,
  type StoredBatch,
  storedBatch,
} from './schema.ts';

type BatchFilter = Filter<StoredBatch>;
type BatchProgress = Pick<BatchRecord, 'counts' | 'ended_seq' | 'started_at'> &
  Partial<Pick<BatchRecord, 'pace' | 'lane_items'>>;

const LIGHT = { projection: { defaults: 0 } };

/** A failed batch has no items, and only exists in OpenAI's API. */
const SHOWN: { $nin: StoredBatch['status'][] } = { $nin: ['creating', 'failed'] };

/** Batches belong to a scope: members of a workspace share them. A batch that is being created is invisible. */
export function createBatchRepository(db: Db) {
  const batches = batchCollection.in(db);
  const update = (filter: BatchFilter, change: UpdateFilter<StoredBatch>) =>
    readOne(batches.findOneAndUpdate(filter, change, { returnDocument: 'after', ...LIGHT }), batchOf);
  const get = async (owner: Owner, id: string) =>
    readOne(batches.findOne({ ...inScope(owner, id), status: SHOWN }, LIGHT), batchOf);

  return {
    /** Starts to create a batch. Its items follow, and `commit` makes it visible. */
    begin: async (batch: NewBatch) => {
      await fromStore(batches.insertOne(storedBatch(batch)));
    },
    /** Keeps a batch that is being created from being treated as abandoned. */
    touch: async (id: string) => {
      const creating: BatchFilter = { _id: requireString(id), status: 'creating' };
      await fromStore(batches.updateOne(creating, { $set: { creating_at: new Date() } }));
    },
    /** Makes a batch visible once all its items are stored. Returns false if it was abandoned meanwhile. */
    commit: async (
      owner: Owner,
      id: string,
      {
        total,
        ordered,
        failed = 0,
        economy,
      }: { total: number; ordered: boolean; failed?: number; economy?: BatchEconomy | undefined },
    ) => {
      const counts = { ...NO_COUNTS, total, waiting: total - failed, failed };
      const shown: UpdateFilter<StoredBatch> = {
        $set: { status: 'running', counts, ordered, unfinished: id, ...(economy && { economy }) },
        $unset: { creating_at: '' },
      };
      const { matchedCount } = await fromStore(batches.updateOne({ ...inScope(owner, id), status: 'creating' }, shown));
      // The first call may have succeeded, and its reply been lost.
      return matchedCount > 0 || (await get(owner, id)) !== null;
    },
    get,
    /** Newest first. */
    list: async (owner: Owner, { status, ...page }: BatchesQuery) => {
      const { scope_key } = storedOwner(owner);
      return listNewest(batches, 'batch', page, { scope_key, status: status ?? SHOWN }, batchOf);
    },
    /** Sets a running batch to cancelling. Returns the current record. At most two round trips. */
    markCancelling: async (owner: Owner, id: string) =>
      (await update(
        { ...inScope(owner, id), status: 'running' },
        { $set: { status: 'cancelling', cancelling_at: new Date() } },
      )) ?? (await get(owner, id)),
    /**
     * Requests a retry of the unsuccessful items, once while one is pending. The batch then has as much time again.
     * Returns null while it is cancelled.
     */
    requestRetry: async ({ owner, id, lifetime_ms }: Pick<BatchRecord, 'owner' | 'id' | 'lifetime_ms'>) => {
      const expires_at = new Date(Date.now() + lifetime_ms);
      const retryable: BatchFilter = {
        ...inScope(owner, id),
        status: { $in: ['running', 'completed', 'cancelled'] },
        retry_pending: { $exists: false },
        files: { $exists: false },
      };
      const asked = await update(retryable, {
        $set: { status: 'running', retry_pending: true, unfinished: id, expires_at, finished_at: null },
        $inc: { retries: 1 },
        $unset: { untold: '' },
      });
      if (asked !== null) return asked;
      const current = await get(owner, id);
      return current?.retry_pending && current.status === 'running' ? current : null;
    },
    /** Counts a user's unfinished batches in all scopes, up to a limit. */
    countUnfinished: async (userId: string, limit: number) =>
      fromStore(batches.countDocuments({ unfinished: { $gt: '' }, user_id: requireString(userId) }, { limit })),
    /** For the feeder: unfinished batches of all owners, oldest first. */
    listUnfinished: async ({ limit, after }: { limit: number; after?: string | undefined }) => {
      const found = batches.find({ unfinished: { $gt: after ?? '' } }, LIGHT);
      return readAll(found.sort({ unfinished: 1 }).limit(limit), batchOf);
    },
    /** Counts batches of all owners. @param limit more are not counted */
    countAllUnfinished: async (limit: number) =>
      fromStore(batches.countDocuments({ unfinished: { $gt: '' } }, { limit })),
    /** For the feeder. */
    getDefaults: async (id: string): Promise<Record<string, unknown>> => {
      const stored = await fromStore(batches.findOne({ _id: requireString(id) }, { projection: { defaults: 1 } }));
      return JSON.parse(stored?.defaults ?? '{}');
    },
    /** For the feeder: stores the progress of an unfinished batch. */
    saveProgress: async (
      id: string,
      { counts, ended_seq, started_at, pace = null, lane_items = [] }: BatchProgress,
    ) => {
      const progress = { $set: { counts, ended_seq, started_at, pace, lane_items } };
      await fromStore(batches.updateOne({ unfinished: requireString(id) }, progress));
    },
    /** For the feeder: ends a batch that has not changed since `seen` was read. Returns null otherwise. */
    finish: async (
      { id, status, retries, files }: Pick<BatchRecord, 'id' | 'status' | 'retries' | 'files'>,
      ending: BatchProgress & { status: 'completed' | 'cancelled' },
    ) => {
      const { counts, ended_seq, started_at, pace = null } = ending;
      const finished = {
        counts,
        ended_seq,
        started_at,
        pace,
        status: ending.status,
        lane_items: [],
        finished_at: new Date(),
        untold: id,
      };
      const due = files === null ? {} : { files_due: id };
      return update(
        { unfinished: requireString(id), status, retries, retry_pending: { $ne: true } },
        { $set: { ...finished, ...due }, $unset: { unfinished: '' } },
      );
    },
    /** For the feeder: confirms that items wait for the retry. Stores their counts in the same write. */
    saveRetry: async (id: string, retries: number, counts: BatchCounts) => {
      const change: UpdateFilter<StoredBatch> = { $unset: { retry_pending: '' }, $set: { counts } };
      await fromStore(batches.updateOne({ _id: requireString(id), retries }, change));
    },
    /** For the feeder: ended batches of all owners without a stored webhook delivery. */
    listWebhooksDue: async (limit: number) =>
      readAll(
        batches
          .find({ untold: { $gt: '' } }, LIGHT)
          .sort({ untold: 1 })
          .limit(limit),
        batchOf,
      ),
    /** Marks the webhook delivery of a batch's end as stored. */
    markWebhookStored: async (id: string, retries: number) => {
      await fromStore(batches.updateOne({ _id: requireString(id), retries }, { $unset: { untold: '' } }));
    },
    /** For sweeps: batches whose creation has had no activity since `before`. */
    listAbandoned: async (before: Date, limit: number) =>
      readIds(
        batches
          .find({ creating_at: { $lt: before } })
          .sort({ creating_at: 1 })
          .limit(limit),
      ),
    /** For retention: lists batches of all owners that ended before `before`, oldest first. */
    listOld: async ({ before, limit }: { before: Date; limit: number }) =>
      readIds(
        batches
          .find({ finished_at: { $lt: before } })
          .sort({ finished_at: 1 })
          .limit(limit),
      ),
    remove: async (id: string) => {
      await fromStore(batches.deleteOne({ _id: requireString(id) }));
    },
    /** Deletes an ended batch, but not its items. Returns false if there is none. */
    removeEnded: async (owner: Owner, id: string) => {
      const ended: BatchFilter = { ...inScope(owner, id), status: { $in: ['completed', 'cancelled'] } };
      return (await fromStore(batches.deleteOne(ended))).deletedCount > 0;
    },
  };
}
