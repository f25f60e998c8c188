import { findKind, type JobInput, type JobKind, KINDS } from '@chorus/contract';
import type { ExecutionRecord } from '@chorus/database';
import { NO_USAGE } from '@chorus/providers/usage';
import { currentTraceparent, traceIdOf } from '@chorus/runtime/tracing';

/** A job's input, and the records that it belongs to. */
export interface Begun<K extends JobKind = JobKind> {
  input: JobInput<K>;
  session_id?: string | null;
  message_id?: string | null;
  /** Removes what was stored for the job. Idempotent. */
  undo?: () => Promise<void>;
}

/** Work that stores its own records before it is queued, such as the messages of a turn. */
export interface StoredWork<K extends JobKind = JobKind> {
  begin(executionId: string): Promise<Begun<K>>;
}

/** Work without an execution id. */
export type Work<K extends JobKind = JobKind> = {
  kind: K;
  /** `provider/model`. Null: uses no model. */
  model: string | null;
  /** Kind of its source, such as a file. Jobs of different sources are different bulks. */
  source?: string;
  /** Throws the errors of `begin` without storing anything. Called when the pool is overloaded. */
  check?: () => Promise<void>;
} & (Begun<K> | StoredWork<K>);

/** Input of a new record. Absent references become null. */
export interface NewExecution
  extends Pick<ExecutionRecord, 'id' | 'owner' | 'model' | 'input'>,
    Partial<
      Pick<
        ExecutionRecord,
        | 'metadata'
        | 'retry_of'
        | 'session_id'
        | 'message_id'
        | 'batch_id'
        | 'api_key_id'
        | 'request_id'
        | 'webhook_url'
        | 'budgets'
        | 'reserved_usd'
        | 'economy'
      >
    > {
  kind: JobKind;
}

/** Returns the record of a queued execution. */
export function newExecution(begun: NewExecution): ExecutionRecord {
  const traceparent = currentTraceparent();
  return {
    metadata: {},
    retry_of: null,
    session_id: null,
    message_id: null,
    batch_id: null,
    api_key_id: null,
    request_id: null,
    webhook_url: null,
    ...begun,
    ...(traceparent !== null && { trace_id: traceIdOf(traceparent) }),
    surface: KINDS[begun.kind].surface,
    status: 'queued',
    provider: begun.model?.split('/', 1)[0] ?? null,
    output: [],
    progress: null,
    usage: NO_USAGE,
    context: null,
    warnings: [],
    error: null,
    attempt: 1,
    finish_reason: null,
    checkpoint: null,
    created_at: new Date(),
    started_at: null,
    finished_at: null,
  };
}

/** Returns whether an execution answers or writes a message. */
export function isOfTurn({ kind, input }: Pick<ExecutionRecord, 'kind' | 'input'>, messageId: string): boolean {
  const turn = findKind(kind)?.turnOf?.(input);
  if (turn == null) return false;
  const { user_message_id, assistant_message_id, tool_message_ids = [] } = turn;
  return [user_message_id, assistant_message_id, ...tool_message_ids].includes(messageId);
}
