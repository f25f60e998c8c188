import { setTimeout as pause } from 'node:timers/promises';
import type { ExecutionRecord } from '@chorus/database';
import { planRetry } from '@chorus/knowledge';
import { runWork, type WorkRequest } from '../executes.ts';
import type { ScopedContext } from '../http/request-context.ts';
import { askedAtOf, joinRetry, joinsRetry, retryOnce } from '../responses/retry-once.ts';
import { entryOf } from './follow-ingestion.ts';

/** Time limit for storing an execution that an entry names. */
const STORE_TIMEOUT_MS = 10_000;
const POLL_INTERVAL_MS = 50;

/** Processes a failed entry again, or joins another request's retry. */
export async function retryEntry(
  context: ScopedContext,
  entryId: string,
  request: WorkRequest & { stream: boolean },
): Promise<undefined> {
  const { services, owner } = context;
  const { database } = services;
  const running = await runningRetry(context, entryId);
  if (running !== null) return joinRetry(context, running, request.stream);
  const begin = async (id: string | undefined) => {
    const { record, ...work } = await planRetry(database, owner, entryId);
    const again = record.execution_id === null ? undefined : { id: record.execution_id, webhook_url: null };
    return runWork(context, work, request, { id, again });
  };
  const { execution_id } = await entryOf(context, entryId);
  // A deleted execution can't be claimed, but the entry itself allows one retry.
  const failed = execution_id && (await database.executions.get(owner, execution_id));
  if (!failed || execution_id === null) return begin(context.plannedExecutionId);
  return retryOnce(context, execution_id, request.stream, begin);
}

async function runningRetry(context: ScopedContext, id: string): Promise<ExecutionRecord | null> {
  const { services, owner } = context;
  const giveUpAt = performance.now() + STORE_TIMEOUT_MS;
  for (;;) {
    const { execution_id, status } = await entryOf(context, id);
    if (execution_id === null || status === 'ready') return null;
    const execution = await services.database.executions.get(owner, execution_id);
    if (execution !== null)
      return execution.retry_of !== null && joinsRetry(execution, askedAtOf(context)) ? execution : null;
    // The entry names its execution shortly before that is stored.
    if (status !== 'processing' || performance.now() > giveUpAt) return null;
    await pause(POLL_INTERVAL_MS);
  }
}
