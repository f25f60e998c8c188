import type { Owner } from '@chorus/contract';
import type { Database, ExecutionRecord, Suspension } from '@chorus/database';
import type { EventLog, EventWriter } from '@chorus/events';
import { announceRequiredAction, requiredActionOf, withRecord } from '@chorus/executions';
import { persist } from './handler.ts';

/** How long an execution waits for decisions before it fails. */
export const APPROVAL_MS = 86_400_000;

export interface SuspendParts {
  store: { executions: Pick<Database['executions'], 'get' | 'suspend'> };
  eventLog: EventLog;
}

/** `cancelling`: the execution must end instead. `refused`: another attempt has it, or it has ended. */
export type Suspended = 'suspended' | 'cancelling' | 'refused';

/**
 * Stores that an execution waits for decisions, and then shows it. A process that dies in between leaves the job to
 * the next attempt, which calls `showRequiredAction`.
 */
export async function suspend(
  { store, eventLog }: SuspendParts,
  { owner, id, attempt }: { owner: Owner; id: string; attempt: number },
  suspension: Suspension,
  writer: EventWriter,
): Promise<Suspended> {
  await writer.flush();
  if (writer.refused) return 'refused';
  const { done, record: stored } = await persist(() =>
    withRecord(
      store,
      { owner, id },
      () => store.executions.suspend(owner, id, attempt, suspension),
      ({ finished_at, attempt: holder, status }) =>
        finished_at !== null || holder !== attempt || status === 'cancelling' || status === 'requires_action',
    ),
  );
  // It is already stored if only the reply was lost.
  const isOwn = stored?.status === 'requires_action' && stored.attempt === attempt;
  const record = done ?? (isOwn ? stored : null);
  if (record === null) return stored?.status === 'cancelling' ? 'cancelling' : 'refused';
  const required_action = requiredActionOf(record);
  if (required_action !== null) writer.emit({ type: 'execution.requires_action', required_action });
  writer.seal();
  await writer.flush();
  announce(eventLog, record);
  return 'suspended';
}

/** Shows the decisions that an execution waits for, possibly again. */
export async function showRequiredAction(
  { eventLog }: Pick<SuspendParts, 'eventLog'>,
  record: ExecutionRecord,
  attempt: number,
): Promise<void> {
  const required_action = requiredActionOf(record);
  if (required_action === null) return;
  await eventLog.append(record.id, attempt, -1, [{ type: 'execution.requires_action', required_action }]);
  announce(eventLog, record);
}

function announce(eventLog: EventLog, record: ExecutionRecord): void {
  announceRequiredAction(eventLog, record);
  // Without it, the log may expire before the decision.
  eventLog.keep(record.id).catch(() => undefined);
}
