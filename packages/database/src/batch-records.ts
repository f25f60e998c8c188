import type {
  BatchCounts,
  BatchesQuery,
  BatchItemStatus,
  BatchKind,
  BatchStatus,
  EndedItemStatus,
  ErrorBody,
  ListQuery,
  Owner,
  Page,
} from '@chorus/contract';

export interface BatchRecord {
  id: string;
  owner: Owner;
  /** Of the items that name none. */
  kind: BatchKind | null;
  status: BatchStatus;
  counts: BatchCounts;
  /** Whether some items come after others. */
  ordered: boolean;
  metadata: Record<string, string>;
  webhook_url: string | null;
  api_key_id: string | null;
  request_id: string | null;
  /** How often those that did not succeed were asked to run again; the last wish is open while `retry_pending`. */
  retries: number;
  retry_pending: boolean;
  /** Endings are numbered by when they were noted, several under one number; all up to this one are stored whole. */
  ended_seq: number;
  created_at: Date;
  started_at: Date | null;
  finished_at: Date | null;
}

export interface NewBatch
  extends Pick<BatchRecord, 'id' | 'owner' | 'kind' | 'metadata' | 'webhook_url' | 'api_key_id' | 'request_id'> {
  /** Fields that the bodies of its items leave out. */
  defaults: Record<string, unknown>;
}

/** What whoever feeds a batch finds out about it. */
export type BatchProgress = Pick<BatchRecord, 'counts' | 'ended_seq' | 'started_at'>;

/** Batches belong to a scope: members of a workspace share them. One that is still being made is nowhere to be seen. */
export interface BatchRepository {
  /** Begins to make a batch. Its items follow; `commit` shows it. */
  begin(batch: NewBatch): Promise<void>;
  /** Says that it is still being made. */
  touch(id: string): Promise<void>;
  /** Shows a batch whose items are all stored. False: it was given up meanwhile. */
  commit(owner: Owner, id: string, made: { total: number; ordered: boolean }): Promise<boolean>;
  get(owner: Owner, id: string): Promise<BatchRecord | null>;
  /** Newest first. The cursor is the last id; another one throws `invalid_request`. */
  list(owner: Owner, query: BatchesQuery): Promise<Page<BatchRecord>>;
  /** running → cancelling; what has ended stays. The record afterwards; null when unknown. (At most two round trips.) */
  markCancelling(owner: Owner, id: string): Promise<BatchRecord | null>;
  /** Asks for a retry of the items that did not succeed, once while one is pending. Null: unknown, or it is being cancelled. */
  askRetry(owner: Owner, id: string): Promise<BatchRecord | null>;

  /** A user's batches that have not ended, in all scopes, counted up to `most`. */
  countUnfinished(userId: string, most: number): Promise<number>;
  /** For the feeder: batches that have not ended, over all owners, oldest first; `after` is the last id of the page before. */
  listUnfinished(query: { limit: number; after?: string | undefined }): Promise<BatchRecord[]>;
  /** For the feeder. */
  defaultsOf(id: string): Promise<Record<string, unknown>>;
  /** For the feeder: what it has found out, unless the batch has ended. */
  noteProgress(id: string, progress: BatchProgress): Promise<void>;
  /** For the feeder: ends a batch that is as it was when `seen` was read. Null: it is not, or has ended. */
  finish(
    seen: Pick<BatchRecord, 'id' | 'status' | 'retries'>,
    ending: BatchProgress & { status: 'completed' | 'cancelled' },
  ): Promise<BatchRecord | null>;
  /** For the feeder: items wait again; stores the counts in the same write, so nobody sees the old ones as those of the retry. */
  noteRetried(id: string, retries: number, counts: BatchCounts): Promise<void>;
  /** For the feeder: batches whose end nobody was told of yet, over all owners. */
  listUntold(limit: number): Promise<BatchRecord[]>;
  noteTold(id: string, retries: number): Promise<void>;

  /** For sweeps: batches whose making was given up, nothing having been heard of it since `before`. */
  listAbandoned(before: Date, limit: number): Promise<string[]>;
  /** For retention: what has ended before `before`, over all owners, oldest first. */
  listOld(query: { before: Date; limit: number }): Promise<string[]>;
  remove(id: string): Promise<void>;
  /** Deletes a batch (not its items) that has ended. False: it runs, or there is none. */
  removeEnded(owner: Owner, id: string): Promise<boolean>;
}

export interface BatchItemRecord {
  batch_id: string;
  /** Its place in the batch, from 0. */
  index: number;
  /** Its caller's, unique within the batch. */
  id: string;
  kind: BatchKind;
  /** Fields of the request, without the batch's defaults. */
  body: Record<string, unknown>;
  /** Ids of the items that it comes after. */
  after: string[];
  status: BatchItemStatus;
  /** Its last execution, set before that is begun. */
  execution_id: string | null;
  /** The execution before that one, where it runs again. */
  retry_of: string | null;
  /** The wish to retry by which it runs; 0: none. */
  round: number;
  error: ErrorBody | null;
  /** Under which number its ending was noted. */
  ended_seq: number | null;
  finished_at: Date | null;
}

export type NewBatchItem = Pick<BatchItemRecord, 'index' | 'id' | 'kind' | 'body' | 'after'>;

/** What of an item decides what comes next. */
export type BatchItemState = Pick<
  BatchItemRecord,
  'index' | 'id' | 'kind' | 'status' | 'after' | 'execution_id' | 'ended_seq'
>;

export type ListedBatchItem = Omit<BatchItemRecord, 'body'>;

export interface ItemClaim {
  index: number;
  execution_id: string;
  retry_of: string | null;
}

export interface ItemEnding {
  index: number;
  status: EndedItemStatus;
  error: ErrorBody | null;
  finished_at: Date;
}

/** Items belong to their batch: whoever may see that may see them. Only the feeder changes them once the batch is shown. */
export interface BatchItemRepository {
  insert(owner: Owner, batchId: string, items: NewBatchItem[]): Promise<void>;
  /** By place; the cursor is the last one's. Another one throws `invalid_request`. */
  list(
    batchId: string,
    query: Pick<ListQuery, 'limit' | 'after'> & { status?: BatchItemStatus | undefined },
  ): Promise<Page<ListedBatchItem>>;
  /** In the order of their ending: those behind a place in it, up to the number `upTo`. */
  listEnded(
    batchId: string,
    query: { after: { seq: number; index: number } | null; upTo: number; limit: number },
  ): Promise<ListedBatchItem[]>;
  /** By place, from `from` on. */
  listStates(batchId: string, query: { from: number; limit: number }): Promise<BatchItemState[]>;
  getMany(batchId: string, indexes: number[]): Promise<BatchItemRecord[]>;
  /** waiting → queued, each with its execution. Answers how many were still waiting. */
  claim(batchId: string, claims: ItemClaim[]): Promise<number>;
  /** queued → running. */
  markRunning(batchId: string, indexes: number[]): Promise<void>;
  /** Ends items that have not ended, in the order of their places, under one number. Answers how many had not. */
  end(batchId: string, seq: number, endings: ItemEnding[]): Promise<number>;
  /** Those that did not succeed wait again, unless this wish or a later one did so already. */
  reset(batchId: string, round: number): Promise<void>;
  /** Blanks what an execution's end has left in its item: its error. */
  forgetError(batchId: string, executionId: string): Promise<void>;
  /** All of a batch. */
  remove(batchId: string): Promise<void>;
}
