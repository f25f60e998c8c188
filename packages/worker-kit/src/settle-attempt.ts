import type { JobKind } from '@chorus/contract';
import type { ApprovalRecord, Outcome } from '@chorus/database';
import type { EventWriter } from '@chorus/events';
import { announceEnd, closeLog, settle, terminalEvent } from '@chorus/executions';
import { currentSpan } from '@chorus/runtime/tracing';
import type { AttemptEnd, AttemptJob, AttemptParts } from './attempt-job.ts';
import { persist } from './handler.ts';

export interface SettledAttempt {
  /** Has shown everything. */
  writer: EventWriter;
  outcome: Outcome;
  startedAt: Date;
  firstTextMs: number | null;
  /** Decisions about calls. */
  approvals: readonly ApprovalRecord[];
}

/** Stores the outcome of an attempt, and then shows it. */
export async function settleAttempt<K extends JobKind>(
  { store, eventLog, observer, log, charge, onEnded }: AttemptParts,
  { owner, attempt, kind, requestId, input, executionId: id }: AttemptJob<K>,
  { writer, outcome, startedAt, firstTextMs, approvals }: SettledAttempt,
): Promise<AttemptEnd> {
  const record = await persist(() => settle(store, { owner, id, attempt, outcome, input, approvals: [...approvals] }));
  if (!record) return 'refused';
  announceEnd(eventLog, record);
  charge?.(record);
  // After a rollback of Redis, the record may belong to another attempt with the same number.
  const isOwn = record.finished_at?.getTime() === outcome.finished_at.getTime();
  if (!isOwn || !(await writer.end(terminalEvent(record)))) await closeLog(eventLog, record);
  const durationMs = Date.now() - startedAt.getTime();
  const { status, error, model, usage } = record;
  observer.ended({ kind, status, durationMs, firstTextMs, model, usage });
  if (status === 'failed') currentSpan().fail(error?.code ?? 'internal_error');
  const about = { execution_id: id, request_id: requestId, status, code: error?.code };
  log.info({ ...about, duration_ms: durationMs }, 'execution ended');
  onEnded?.(record);
  return 'settled';
}
