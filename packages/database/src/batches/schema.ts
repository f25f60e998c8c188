import {
  BATCH_LIFETIME_MS,
  type BatchCounts,
  type BatchEconomy,
  type BatchItemStatus,
  type BatchKind,
  type BatchStatus,
  type ErrorBody,
  type Owner,
  scopeKey,
} from '@chorus/contract';
import {
  defineCollection,
  fromStored,
  pairsOf,
  type Stored,
  type StoredOwner,
  storedOwner,
  storedPairs,
  toStored,
} from '../collection.ts';

export interface BatchRecord {
  id: string;
  owner: Owner;
  /** Default kind of its items. */
  kind: BatchKind | null;
  status: BatchStatus;
  counts: BatchCounts;
  /** Whether some items wait for others. */
  ordered: boolean;
  metadata: Record<string, string>;
  webhook_url: string | null;
  /** The agent that the request named. */
  agent_id: string | null;
  api_key_id: string | null;
  request_id: string | null;
  /** Number of retries requested. The last request is open while `retry_pending`. */
  retries: number;
  retry_pending: boolean;
  /** Groups of ended items are numbered in order. All groups up to this one are stored completely. */
  ended_seq: number;
  created_at: Date;
  started_at: Date | null;
  /** Null until it is measured. */
  pace: BatchPace | null;
  /** Queued items by lane, those with the most items first. The rest waits for places of workers. */
  lane_items: LaneItems[];
  cancelling_at: Date | null;
  /** When items that have not started expire. Null, in batches of early versions: never. */
  expires_at: Date | null;
  /** Time from creation, or a retry, to `expires_at`. */
  lifetime_ms: number;
  finished_at: Date | null;
  /** Null: its items run the normal way. */
  economy: BatchEconomy | null;
  /** For a batch of OpenAI's API. Null: another batch. */
  files: BatchFiles | null;
}

/** Items that ended per second, shortly before `at`. */
export interface BatchPace {
  per_second: number;
  at: Date;
}

/** Queued items that wait in the lane of a provider. */
export interface LaneItems {
  lane: string;
  items: number;
}

/** Files and further properties of a batch of OpenAI's API. */
export interface BatchFiles {
  /** `/v1/embeddings` */
  endpoint: string;
  /** Asset ids. Those of results are null until the files are written, or if there is nothing to write. */
  input: string;
  output: string | null;
  errors: string | null;
  /** Why the input was refused, or the results could not be written yet. */
  problems: BatchProblem[];
  /** Seconds to keep the result files. Null: forever. */
  keep_s: number | null;
  /** Whether an early version cancelled it because it had expired. */
  expired?: boolean;
  written_at: Date | null;
}

/** Positions of the result files among the assets of a batch. */
export const RESULT_FILES = { output: 0, errors: 1 } as const;

export interface BatchProblem {
  code: string;
  message: string;
  /** From 1. */
  line: number | null;
  param: string | null;
}

export interface StoredBatch
  extends Stored<
    BatchRecord,
    | 'status'
    | 'retry_pending'
    | 'agent_id'
    | 'cancelling_at'
    | 'expires_at'
    | 'lifetime_ms'
    | 'files'
    | 'pace'
    | 'economy'
    | 'lane_items'
  > {
  /** `failed`: its file was refused. */
  status: BatchRecord['status'] | 'creating' | 'failed';
  /** JSON: callers choose the field names in it. */
  defaults: string;
  /** Absent in documents of early versions. */
  agent_id?: string | null;
  retry_pending?: true;
  pace?: BatchPace | null;
  economy?: BatchEconomy;
  lane_items?: LaneItems[];
  cancelling_at?: Date;
  /** Absent in documents of early versions. */
  expires_at?: Date;
  lifetime_ms?: number;
  /** Early versions stored `expires_at` here. */
  files?: BatchFiles & { expires_at?: Date };
  /** For a batch with files: its scope, then its id. */
  files_key?: string;
  /** The id, from the end until the result files are written. */
  files_due?: string;
  /** Time of the last activity while it is being created. */
  creating_at?: Date;
  /** The id, until it has ended. */
  unfinished?: string;
  /** The id, from the end until the webhook delivery is stored. */
  untold?: string;
}

export const batchCollection = defineCollection<StoredBatch>('batches', {
  erasedWith: 'maker',
  indexes: [
    { key: { scope_key: 1, _id: -1 } },
    { key: { unfinished: 1 }, sparse: true },
    { key: { untold: 1 }, sparse: true },
    { key: { creating_at: 1 }, sparse: true },
    { key: { files_key: 1 }, sparse: true },
    { key: { files_due: 1 }, sparse: true },
    { key: { finished_at: 1 } },
  ],
});

export interface NewBatch
  extends Pick<
    BatchRecord,
    'id' | 'owner' | 'kind' | 'metadata' | 'webhook_url' | 'agent_id' | 'api_key_id' | 'request_id'
  > {
  /** Default fields for the bodies of the items. */
  defaults: Record<string, unknown>;
  /** Default: in 24 hours. */
  expires_at?: Date | undefined;
  files?: BatchFiles;
}

export const NO_COUNTS: BatchCounts = {
  total: 0,
  waiting: 0,
  queued: 0,
  running: 0,
  requires_action: 0,
  succeeded: 0,
  failed: 0,
  cancelled: 0,
  skipped: 0,
  expired: 0,
};

export const filesKey = (owner: Owner, id: string) => `${scopeKey(owner)}/${id}`;

export function storedBatch({ defaults, metadata, files, expires_at, ...batch }: NewBatch): StoredBatch {
  const now = new Date();
  const lifetime_ms = expires_at === undefined ? BATCH_LIFETIME_MS : expires_at.getTime() - now.getTime();
  return {
    ...toStored(batch),
    ...(files && { files, files_key: filesKey(batch.owner, batch.id) }),
    status: 'creating',
    defaults: JSON.stringify(defaults),
    counts: NO_COUNTS,
    ordered: false,
    metadata: storedPairs(metadata),
    retries: 0,
    ended_seq: 0,
    created_at: now,
    started_at: null,
    expires_at: new Date(now.getTime() + lifetime_ms),
    lifetime_ms,
    finished_at: null,
    creating_at: now,
  };
}

export function batchOf(stored: Omit<StoredBatch, 'defaults'> & { defaults?: string }): BatchRecord {
  const {
    defaults,
    retry_pending = false,
    agent_id = null,
    cancelling_at = null,
    lifetime_ms = BATCH_LIFETIME_MS,
    files = null,
    expires_at = files?.expires_at ?? null,
    pace = null,
    economy = null,
    lane_items = [],
    files_key,
    files_due,
    creating_at,
    unfinished,
    untold,
    metadata,
    ...batch
  } = stored;
  const status = stored.status as BatchStatus; // No query returns a batch that is being created, or failed.
  return {
    ...fromStored(batch),
    // Batches of early versions do not count all of them.
    counts: { ...NO_COUNTS, ...batch.counts },
    status,
    retry_pending,
    agent_id,
    cancelling_at,
    expires_at,
    lifetime_ms,
    files,
    pace,
    economy,
    lane_items,
    metadata: pairsOf(metadata),
  };
}

export interface BatchItemRecord {
  batch_id: string;
  /** Position in the batch, from 0. */
  index: number;
  /** Chosen by the caller, unique within the batch. */
  id: string;
  kind: BatchKind;
  /** Fields of the request, without the batch's defaults. */
  body: Record<string, unknown>;
  /** Ids of the items to wait for. */
  after: string[];
  status: BatchItemStatus;
  /** The last execution. Set before it starts. */
  execution_id: string | null;
  /** The execution that this one retries. */
  retry_of: string | null;
  /** The retry request that it runs for; 0: none. */
  round: number;
  error: ErrorBody | null;
  /** The group of ended items that it belongs to. */
  ended_seq: number | null;
  finished_at: Date | null;
  /** Fields of the caller's request that decide how its result is presented. */
  kept: Record<string, unknown>;
}

/** A new item. With an error, it has already failed. */
export type NewBatchItem = Pick<BatchItemRecord, 'index' | 'id' | 'kind' | 'body' | 'after'> &
  Partial<Pick<BatchItemRecord, 'kept' | 'error'>>;
export type ListedBatchItem = Omit<BatchItemRecord, 'body'>;

export interface StoredBatchItem
  extends StoredOwner,
    Pick<BatchItemRecord, 'batch_id' | 'index' | 'kind' | 'status' | 'execution_id' | 'retry_of' | 'round'> {
  /** `<batch>:<position>` */
  _id: string;
  item_id: string;
  /** JSON: callers choose the field names in it. */
  body: string;
  after?: string[];
  /** JSON */
  kept?: string;
  error?: ErrorBody;
  ended_seq?: number;
  /** `<batch>:<group of ended items>:<position>`: the order of the results. */
  ended_key?: string;
  finished_at?: Date;
}

export const batchItemCollection = defineCollection<StoredBatchItem>('batch_items', {
  indexes: [{ key: { batch_id: 1, status: 1, _id: 1 } }, { key: { ended_key: 1 }, sparse: true }],
});

const POSITION_DIGITS = 5;
const SEQ_DIGITS = 10;
const padded = (value: number, digits: number) => String(value).padStart(digits, '0');

export const itemKey = (batchId: string, index: number) => `${batchId}:${padded(index, POSITION_DIGITS)}`;

export const seqKey = (batchId: string, seq: number) => `${batchId}:${padded(seq, SEQ_DIGITS)}`;

export const endedKey = (batchId: string, seq: number, index: number) => itemKey(seqKey(batchId, seq), index);

export function storedItem(owner: Owner, batchId: string, item: NewBatchItem): StoredBatchItem {
  const { id, body, after, kept, error, ...fields } = item;
  return {
    _id: itemKey(batchId, item.index),
    ...storedOwner(owner),
    batch_id: batchId,
    item_id: id,
    ...fields,
    body: JSON.stringify(body),
    ...(after.length === 0 ? {} : { after }),
    ...(kept && { kept: JSON.stringify(kept) }),
    ...(error == null ? { status: 'waiting' } : failedAtOnce(batchId, item.index, error)),
    execution_id: null,
    retry_of: null,
    round: 0,
  };
}

/** Groups that the feeder ends have higher numbers. */
function failedAtOnce(batchId: string, index: number, error: ErrorBody) {
  return {
    status: 'failed' as const,
    error,
    ended_seq: 0,
    ended_key: endedKey(batchId, 0, index),
    finished_at: new Date(),
  };
}

export function listedItem(stored: Omit<StoredBatchItem, 'body'> & { body?: string }): ListedBatchItem {
  const { _id, scope_key, user_id, item_id, body, ended_key, kept = '{}', ...item } = stored;
  const { after = [], error = null, ended_seq = null, finished_at = null } = item;
  return { ...item, id: item_id, after, error, ended_seq, finished_at, kept: JSON.parse(kept) };
}
