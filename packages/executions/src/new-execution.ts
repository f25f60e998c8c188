import { JOBS, type JobKind } from '@chorus/contract';
import type { ExecutionRecord } from '@chorus/database';
import { NO_USAGE } from './outcome.ts';

/** What is decided when an execution begins; what else it may belong to is null where it is absent. */
export interface NewExecution
  extends Pick<ExecutionRecord, 'id' | 'owner' | 'model' | 'input'>,
    Partial<
      Pick<
        ExecutionRecord,
        'metadata' | 'retry_of' | 'session_id' | 'message_id' | 'batch_id' | 'api_key_id' | 'request_id' | 'webhook_url'
      >
    > {
  kind: JobKind;
}

/** An execution that waits for a worker. */
export function newExecution(begun: NewExecution): ExecutionRecord {
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
