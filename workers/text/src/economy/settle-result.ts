import { ChorusError, toErrorBody } from '@chorus/contract';
import type { Database, ExecutionRecord } from '@chorus/database';
import type { EventLog } from '@chorus/events';
import { type Budgets, cancelledOutcome, endFromOutside, failedOutcome } from '@chorus/executions';
import type { BatchAnswer, Batches, OpenedProviders } from '@chorus/providers';
import type { RunningPool } from '@chorus/worker-kit';
import type { HandlersWith, TextKind } from './plan-request.ts';

export interface SettleParts {
  database: Database;
  eventLog: EventLog;
  budgets: Pick<Budgets, 'charge'>;
  dispatcher: { enqueueReleased(execution: ExecutionRecord): Promise<void> };
  pool: Pick<RunningPool, 'runHeld'>;
  handlersWith: HandlersWith;
  providers: OpenedProviders;
}

/** Ends an execution with the answer of its provider, as a worker would after a call. */
export async function settleAnswer(
  { pool, handlersWith, providers }: SettleParts,
  batches: Batches,
  execution: ExecutionRecord,
  answer: BatchAnswer,
): Promise<void> {
  const handlers = handlersWith({
    ...providers,
    streamChat: (call, options) => {
      options.onRequest?.();
      return batches.readChat(call, answer, options);
    },
    embedTexts: (call, options) => batches.readEmbedding(call, answer, options),
  });
  await pool.runHeld(execution, handlers[execution.kind as TextKind]);
}

/** Why an execution has no answer. */
export type Unanswered = 'cancelled' | 'expired' | ChorusError;

/** Ends an execution that its provider did not answer. */
export async function settleUnanswered(
  { database, eventLog, budgets }: SettleParts,
  execution: ExecutionRecord,
  why: Unanswered,
): Promise<void> {
  const { id, owner, model, provider, request_id } = execution;
  const outcome =
    why === 'cancelled'
      ? cancelledOutcome({ model, provider })
      : why === 'expired'
        ? cancelledOutcome({ model, provider }, toErrorBody(expired(provider), request_id))
        : failedOutcome(why, request_id, { model, provider });
  const ended = await endFromOutside(database, eventLog, { owner, id, outcome });
  if (ended) budgets.charge(ended);
}

function expired(provider: string | null): ChorusError {
  return new ChorusError(
    'expired',
    `${provider} did not answer this before its batch expired. Retry the batch to run it.`,
  );
}

/** Runs an execution the normal way. */
export async function release(
  { database, dispatcher }: SettleParts,
  { id }: Pick<ExecutionRecord, 'id'>,
  part: string,
): Promise<void> {
  const released = await database.executions.releaseHeld(id, part);
  if (released) await dispatcher.enqueueReleased(released);
}

/** Returns whether a provider refused a request for reasons that are not the request's. */
export function isProviders({ status }: BatchAnswer): boolean {
  return status >= 500 || status === 429 || status === 408;
}
