import type { BatchCounts, BatchItemStatus, BatchKind, BatchStatus, ErrorBody, Owner } from '@chorus/contract';
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
  /** The kind of items that set none. */
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
  /** Groups of endings are numbered in order. All groups up to this one are stored completely. */
  ended_seq: number;
  created_at: Date;
  started_at: Date | null;
  finished_at: Date | null;
}

export interface StoredBatch extends Stored<BatchRecord, 'status' | 'retry_pending' | 'agent_id'> {
  status: BatchRecord['status'] | 'creating';
  /** JSON: callers choose the field names in it. */
  defaults: string;
  /** Absent in documents of early versions. */
  agent_id?: string | null;
  retry_pending?: true;
  /** Time of the last activity while it is created. */
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
}

export const NO_COUNTS: BatchCounts = {
  total: 0,
  waiting: 0,
  queued: 0,
  running: 0,
  succeeded: 0,
  failed: 0,
  cancelled: 0,
  skipped: 0,
};

export function storedBatch({ defaults, metadata, ...batch }: NewBatch): StoredBatch {
  const now = new Date();
  return {
    ...toStored(batch),
    status: 'creating',
    defaults: JSON.stringify(defaults),
    counts: NO_COUNTS,
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

export function batchOf(stored: Omit<StoredBatch, 'defaults'> & { defaults?: string }): BatchRecord {
  const {
    defaults,
    retry_pending = false,
    agent_id = null,
    creating_at,
    unfinished,
    untold,
    metadata,
    ...batch
  } = stored;
  const status = stored.status as BatchStatus; // No query returns a batch that is being created.
  return { ...fromStored(batch), status, retry_pending, agent_id, metadata: pairsOf(metadata) };
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
  /** The group of endings that it belongs to. */
  ended_seq: number | null;
  finished_at: Date | null;
}

export type NewBatchItem = Pick<BatchItemRecord, 'index' | 'id' | 'kind' | 'body' | 'after'>;
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
  error?: ErrorBody;
  ended_seq?: number;
  /** `<batch>:<group of endings>:<position>`: the order of the results. */
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
  const { id, body, after, ...fields } = item;
  return {
    _id: itemKey(batchId, item.index),
    ...storedOwner(owner),
    batch_id: batchId,
    item_id: id,
    ...fields,
    body: JSON.stringify(body),
    ...(after.length === 0 ? {} : { after }),
    status: 'waiting',
    execution_id: null,
    retry_of: null,
    round: 0,
  };
}

export function listedItem(stored: Omit<StoredBatchItem, 'body'> & { body?: string }): ListedBatchItem {
  const { _id, scope_key, user_id, item_id, body, ended_key, ...item } = stored;
  const { after = [], error = null, ended_seq = null, finished_at = null } = item;
  return { ...item, id: item_id, after, error, ended_seq, finished_at };
}
