import type { JobKind } from '@chorus/contract';
import { type Span, startSpan } from '@chorus/runtime/tracing';
import type { AttemptJob } from './attempt-job.ts';

/** Starts the trace span of an attempt: a child of the request that queued it. */
export function startAttemptSpan(
  job: AttemptJob<JobKind>,
  { pool, model, traceparent }: { pool: string; model: unknown; traceparent: string | undefined },
): Span {
  return startSpan(`process ${job.kind}`, {
    kind: 'consumer',
    parent: traceparent ?? null,
    attributes: {
      'messaging.system': 'bullmq',
      'messaging.operation.type': 'process',
      'messaging.destination.name': pool,
      'messaging.message.id': job.executionId,
      'gen_ai.conversation.id': job.sessionId ?? undefined,
      'gen_ai.request.model': typeof model === 'string' ? model : undefined,
      'chorus.execution.id': job.executionId,
      'chorus.execution.kind': job.kind,
      'chorus.execution.attempt': job.attempt,
      'chorus.batch.id': job.batchId ?? undefined,
    },
  });
}
