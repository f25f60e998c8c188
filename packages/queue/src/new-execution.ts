import { JOBS, type JobKind } from '@chorus/contract';
import type { ExecutionRecord } from '@chorus/database';
import { NO_USAGE } from '@chorus/executions';

/** What is decided when an execution begins. */
export interface NewExecution
  extends Pick<
    ExecutionRecord,
    | 'id'
    | 'owner'
    | 'model'
    | 'input'
    | 'metadata'
    | 'retry_of'
    | 'session_id'
    | 'message_id'
    | 'batch_id'
    | 'api_key_id'
    | 'request_id'
  > {
  kind: JobKind;
  /** Where its end is to be told; absent: nowhere. */
  webhook_url?: string | null;
}

/** An execution that waits for a worker. */
export function newExecution(begun: NewExecution): ExecutionRecord {
  return {
    ...begun,
    webhook_url: begun.webhook_url ?? null,
    surface: JOBS[begun.kind].surface,
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
