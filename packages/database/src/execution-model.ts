import type { ConversationContext, ErrorBody, ExecutionStatus, OutputItem, Progress, Usage } from '@chorus/contract';
import { type Connection, Schema } from 'mongoose';
import type { ExecutionRecord } from './records.ts';
import { ownerOf, pairsOf, type StoredOwner, type StoredPairs, storedOwner, storedPairs } from './stored-fields.ts';

export interface StoredExecution extends StoredOwner {
  _id: string;
  kind: string;
  surface: ExecutionRecord['surface'];
  status: ExecutionStatus;
  model: string | null;
  provider: string | null;
  /** JSON, since field names inside it are the caller's, and nothing is searched by it. */
  input: string;
  output: OutputItem[];
  progress: Progress | null;
  usage: Usage;
  context?: ConversationContext | null;
  warnings?: string[];
  api_key_id?: string | null;
  error: ErrorBody | null;
  finish_reason: string | null;
  /** JSON, as `input`. */
  checkpoint?: string;
  attempt: number;
  retry_of: string | null;
  session_id: string | null;
  message_id: string | null;
  batch_id: string | null;
  request_id: string | null;
  metadata: StoredPairs;
  created_at: Date;
  /** The id that its newest retry has or is about to get, and when that was claimed. */
  retried_as?: string;
  retried_at?: Date;
  /** Absent until the work began, so that `$min` keeps the first time. */
  started_at?: Date;
  finished_at: Date | null;
  /** Batch and id again, where it is of a batch: a sparse index of what belongs together. */
  batch_key?: string;
  /** The id again, where it is of a batch; the end itself renames it to `batch_due`. */
  batch_wish?: string;
  /** The id again from the end until its batch has taken note of it, else absent: a sparse index. */
  batch_due?: string;
  /** The id again while the execution has not ended, else absent: a sparse index of what sweeps look at. */
  unfinished?: string;
  webhook_url?: string;
  /** The id again, where the end is to be told; the end itself renames it to `webhook_due`. */
  webhook_wish?: string;
  /** The id again from the end until its delivery is noted, else absent: a sparse index. */
  webhook_due?: string;
  /** The knowledge entry that an ingestion works on, so that its deletion finds it. */
  entry_id?: string;
  /** Set once it was deleted. What is left is its usage; no owner can read it. */
  deleted?: true;
}

export function defineExecutionModel(connection: Connection) {
  const schema = new Schema<StoredExecution>(
    {
      _id: { type: String, required: true },
      scope_key: { type: String, required: true },
      user_id: { type: String, required: true },
      kind: { type: String, required: true },
      surface: { type: String, required: true },
      status: { type: String, required: true },
      model: String,
      provider: String,
      input: { type: String, required: true },
      output: [Schema.Types.Mixed],
      progress: Schema.Types.Mixed,
      usage: Schema.Types.Mixed,
      context: Schema.Types.Mixed,
      warnings: { type: [String], default: undefined },
      api_key_id: String,
      error: Schema.Types.Mixed,
      finish_reason: String,
      checkpoint: String,
      attempt: { type: Number, required: true },
      retry_of: String,
      retried_as: String,
      retried_at: Date,
      session_id: String,
      message_id: String,
      batch_id: String,
      request_id: String,
      metadata: [Schema.Types.Mixed],
      created_at: { type: Date, required: true },
      started_at: Date,
      finished_at: Date,
      batch_key: String,
      batch_wish: String,
      batch_due: String,
      unfinished: String,
      webhook_url: String,
      webhook_wish: String,
      webhook_due: String,
      entry_id: String,
      deleted: Boolean,
    },
    { versionKey: false, collection: 'executions' },
  );
  schema.index({ scope_key: 1, _id: -1 });
  schema.index({ scope_key: 1, status: 1, _id: -1 });
  schema.index({ scope_key: 1, kind: 1, _id: -1 });
  schema.index({ unfinished: 1 }, { sparse: true });
  schema.index({ batch_key: -1 }, { sparse: true });
  schema.index({ batch_due: 1 }, { sparse: true });
  schema.index({ webhook_due: 1 }, { sparse: true });
  // What deletions look for.
  schema.index({ session_id: 1, _id: 1 }, { partialFilterExpression: { session_id: { $gt: '' } } });
  schema.index({ entry_id: 1, _id: 1 }, { partialFilterExpression: { entry_id: { $gt: '' } } });
  schema.index({ 'output.entry_id': 1 }, { sparse: true });
  schema.index({ 'output.passage.entry_id': 1 }, { sparse: true });
  return connection.model('Execution', schema);
}

export function storedExecution(record: ExecutionRecord): StoredExecution {
  const { id, owner, input, metadata, started_at, checkpoint, webhook_url, ...plain } = record;
  const stored: StoredExecution = {
    _id: id,
    ...storedOwner(owner),
    ...plain,
    input: JSON.stringify(input),
    metadata: storedPairs(metadata),
  };
  if (typeof input.entry_id === 'string') stored.entry_id = input.entry_id;
  if (started_at !== null) stored.started_at = started_at;
  if (checkpoint !== null) stored.checkpoint = JSON.stringify(checkpoint);
  if (record.finished_at === null) stored.unfinished = id;
  if (record.batch_id !== null) {
    stored.batch_key = batchKey(record.batch_id, id);
    if (record.finished_at === null) stored.batch_wish = id;
  }
  if (webhook_url !== null) {
    stored.webhook_url = webhook_url;
    if (record.finished_at === null) stored.webhook_wish = id;
  }
  return stored;
}

export const batchKey = (batchId: string, id: string) => `${batchId}/${id}`;

export function executionOf(stored: StoredExecution): ExecutionRecord {
  return {
    id: stored._id,
    owner: ownerOf(stored),
    kind: stored.kind,
    surface: stored.surface,
    status: stored.status,
    model: stored.model,
    provider: stored.provider,
    input: JSON.parse(stored.input),
    output: stored.output,
    progress: stored.progress,
    usage: stored.usage,
    context: stored.context ?? null,
    warnings: stored.warnings ?? [],
    api_key_id: stored.api_key_id ?? null,
    error: stored.error,
    finish_reason: stored.finish_reason,
    checkpoint: stored.checkpoint === undefined ? null : JSON.parse(stored.checkpoint),
    attempt: stored.attempt,
    retry_of: stored.retry_of,
    session_id: stored.session_id,
    message_id: stored.message_id,
    batch_id: stored.batch_id,
    webhook_url: stored.webhook_url ?? null,
    request_id: stored.request_id,
    metadata: pairsOf(stored.metadata),
    created_at: stored.created_at,
    started_at: stored.started_at ?? null,
    finished_at: stored.finished_at,
  };
}
