import type { JobKind } from '@chorus/contract';
import type { ExecutionRecord } from '@chorus/database';
import { announceEnd, applyEnding, closeLog, withRecord } from '@chorus/executions';
import type { AttemptEnd, AttemptJob, AttemptParts } from './attempt-job.ts';
import { persist } from './handler.ts';
import { showRequiredAction } from './suspend.ts';

/**
 * Claims the record of an execution for a later attempt. First looks for a stored result, and shows it.
 * @returns The record, or how the attempt ends if there is nothing to run.
 */
export async function claimExecution(
  parts: AttemptParts,
  { owner, executionId: id, attempt }: Pick<AttemptJob<JobKind>, 'owner' | 'executionId' | 'attempt'>,
  startedAt: Date,
): Promise<ExecutionRecord | AttemptEnd> {
  const { store, eventLog } = parts;
  const { done: claimed, record: stored } = await persist(() =>
    withRecord(
      store,
      { owner, id },
      () => store.executions.claim(owner, id, attempt, startedAt),
      ({ finished_at, attempt: holder, status }) =>
        finished_at !== null || holder > attempt || status === 'requires_action',
    ),
  );
  if (stored?.status === 'requires_action') {
    await showRequiredAction(parts, stored, attempt);
    return 'settled';
  }
  if (claimed) return claimed;
  if (!stored?.finished_at) return 'refused';
  await persist(() => applyEnding(store, stored));
  announceEnd(eventLog, stored);
  await closeLog(eventLog, stored);
  return 'settled';
}
