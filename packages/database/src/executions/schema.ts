import {
  type Execution,
  findKind,
  type OutputItem,
  type TerminalStatus,
  type ToolDecision,
  type Usage,
} from '@chorus/contract';
import {
  defineCollection,
  fromStored,
  pairsOf,
  type RecordOf,
  type Stored,
  storedPairs,
  toStored,
} from '../collection.ts';

/** A tool call that needs a person's decision. Its arguments are in the output. */
export interface ApprovalRecord {
  tool_call_id: string;
  name: string;
  /** Null: undecided. */
  decision: ToolDecision['decision'] | null;
  reason: string | null;
  /** The user who decided. */
  user_id: string | null;
  decided_at: Date | null;
  /** The later response that runs the call, for calls of a response. */
  used_by?: string;
}

/** An execution as stored. The API adds its URLs and OpenAI's field names. */
export interface ExecutionRecord
  extends Omit<RecordOf<Execution>, 'output' | 'usage' | 'required_action' | 'waiting_for'> {
  output: OutputItem[];
  usage: Usage;
  /** The trace of its request. Absent: it was not traced. */
  trace_id?: string;
  /** The budgets that it is charged to: `key_…`, `workspace:…`. Absent: none. */
  budgets?: string[];
  /** The amount that it has reserved in each of them at first. */
  reserved_usd?: number;
  /** The API key that started it, if any. */
  api_key_id: string | null;
  /** The job's input, as queued. */
  input: Record<string, unknown>;
  /** Internal state that an attempt leaves for the next one, as plain JSON. */
  checkpoint: unknown;
  /** In OpenAI's terms; null before the end. */
  finish_reason: string | null;
  /** The text of `stop` that ended the answer. Absent: none, or unknown. */
  stop_sequence?: string;
  /** The lane that has put off its last attempt. Absent: none has. */
  awaited_lane?: string;
  /** How often the answer has started over. Absent: never, or it has not ended. */
  resets?: number;
  /** Used so far by all attempts, until the execution ends. Absent: nothing, or unknown. */
  known_usage?: Usage;
  /** The part of it that was used by attempts that broke. */
  lost_usage?: Usage;
  /** The part of it that was used by the running attempt and is in no checkpoint. */
  open_usage?: Usage;
  /** Held for a provider's batch endpoint, in a part of its batch. Null part: not in one yet. Absent: not held. */
  economy?: { part: string | null };
  webhook_url: string | null;
  request_id: string | null;
  /** All calls that needed a decision, including earlier ones. Absent: none. */
  approvals?: ApprovalRecord[];
  /** When waiting calls expire. */
  approvals_expire_at?: Date;
}

/** The state of an execution when it starts to wait for decisions. */
export interface Suspension
  extends Pick<ExecutionRecord, 'output' | 'usage' | 'model' | 'provider'>,
    Partial<Pick<ExecutionRecord, 'context' | 'warnings' | 'lost_usage'>> {
  approvals: ApprovalRecord[];
  approvals_expire_at: Date;
  started_at: Date;
}

/** The end of an execution. Absent fields keep their stored values. */
export interface Outcome
  extends Pick<ExecutionRecord, 'output' | 'usage' | 'error' | 'model' | 'provider' | 'finish_reason'>,
    Partial<Pick<ExecutionRecord, 'context' | 'warnings' | 'progress' | 'started_at' | 'resets' | 'stop_sequence'>> {
  status: TerminalStatus;
  finished_at: Date;
}

/** Fields that may be absent in the store. */
type OptionalField = 'context' | 'warnings' | 'api_key_id';

export interface StoredExecution
  extends Stored<ExecutionRecord, 'input' | 'checkpoint' | 'started_at' | 'webhook_url' | OptionalField>,
    Partial<Pick<ExecutionRecord, OptionalField>> {
  /** JSON: callers choose the field names in it. */
  input: string;
  /** JSON */
  checkpoint?: string;
  /** Absent before the start, so that `$min` keeps the first time. */
  started_at?: Date;
  webhook_url?: string;
  /** The id of the newest retry, which may not have started yet, and when it was claimed. */
  retried_as?: string;
  retried_at?: Date;
  /** The knowledge entry of an ingestion. */
  entry_id?: string;
  /** Its usage is in the sums by day. */
  usage_added?: true;
  /** Set by deletion. Only the usage remains, and the owner can no longer read it. */
  deleted?: true;

  // The fields below contain the id, for sparse indexes of executions with pending work.
  /** Until it has ended. */
  unfinished?: string;
  /** The end renames `unfinished` to it. Until its usage is added to the sums by day. */
  usage_due?: string;
  /** Prefixed with the batch's id. */
  batch_key?: string;
  /** The end renames it to `batch_due`. */
  batch_wish?: string;
  /** From the end until its batch has noted it. */
  batch_due?: string;
  /** The end renames it to `webhook_due`. */
  webhook_wish?: string;
  /** From the end until its webhook delivery is stored. */
  webhook_due?: string;
  /** From the start of a wait for decisions until its webhook delivery is stored. Followed by the attempt. */
  webhook_action_due?: string;
  /** Set if nothing of it may be kept once its result has been delivered. */
  transient?: string;
}

export const executionCollection = defineCollection<StoredExecution>('executions', {
  erasedWith: 'maker',
  indexes: [
    { key: { scope_key: 1, _id: -1 } },
    { key: { scope_key: 1, status: 1, _id: -1 } },
    { key: { scope_key: 1, kind: 1, _id: -1 } },
    // Without the items of batches, for the console's studio.
    { key: { scope_key: 1, kind: 1, _id: -1, batch_id: 1 }, partialFilterExpression: { batch_id: null } },
    { key: { unfinished: 1 }, sparse: true },
    { key: { usage_due: 1 }, sparse: true },
    // For operators.
    { key: { status: 1, _id: -1 }, partialFilterExpression: { status: 'failed' } },
    { key: { batch_key: -1 }, sparse: true },
    { key: { batch_due: 1 }, sparse: true },
    { key: { webhook_due: 1 }, sparse: true },
    { key: { webhook_action_due: 1 }, sparse: true },
    { key: { transient: 1 }, sparse: true },
    // For deletions.
    { key: { session_id: 1, _id: 1 }, partialFilterExpression: { session_id: { $gt: '' } } },
    { key: { entry_id: 1, _id: 1 }, partialFilterExpression: { entry_id: { $gt: '' } } },
    { key: { 'output.entry_id': 1 }, sparse: true },
    { key: { 'output.sources': 1 }, sparse: true },
    { key: { 'output.passage.entry_id': 1 }, sparse: true },
  ],
});

export const batchKey = (batchId: string, id: string) => `${batchId}/${id}`;

export function storedExecution(record: ExecutionRecord): StoredExecution {
  const { input, metadata, started_at, checkpoint, webhook_url, ...plain } = record;
  const { id, batch_id } = record;
  const isUnfinished = record.finished_at === null;
  return {
    ...toStored(plain),
    input: JSON.stringify(input),
    metadata: storedPairs(metadata),
    ...(typeof input.entry_id === 'string' && { entry_id: input.entry_id }),
    ...(started_at !== null && { started_at }),
    ...(checkpoint !== null && { checkpoint: JSON.stringify(checkpoint) }),
    ...(isUnfinished ? { unfinished: id } : { usage_due: id }),
    ...(batch_id !== null && { batch_key: batchKey(batch_id, id) }),
    ...(batch_id !== null && isUnfinished && { batch_wish: id }),
    ...(webhook_url !== null && { webhook_url }),
    ...(webhook_url !== null && isUnfinished && { webhook_wish: id }),
    // The results of a batch are delivered later.
    ...(batch_id === null && findKind(record.kind)?.isTransient?.(input) && { transient: id }),
  };
}

export function executionOf(stored: StoredExecution): ExecutionRecord {
  const { input, metadata, checkpoint, context, warnings, api_key_id, started_at, webhook_url, ...rest } = stored;
  const { retried_as, retried_at, entry_id, deleted, unfinished, batch_key, batch_wish, batch_due, ...others } = rest;
  const { webhook_wish, webhook_due, webhook_action_due, transient, usage_due, usage_added, ...plain } = others;
  return {
    ...fromStored(plain),
    input: JSON.parse(input),
    metadata: pairsOf(metadata),
    checkpoint: checkpoint === undefined ? null : JSON.parse(checkpoint),
    context: context ?? null,
    warnings: warnings ?? [],
    api_key_id: api_key_id ?? null,
    started_at: started_at ?? null,
    webhook_url: webhook_url ?? null,
  };
}
