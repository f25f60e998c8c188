import { setTimeout as pause } from 'node:timers/promises';
import { ChorusError, newId } from '@chorus/contract';
import type { ExecutionRecord } from '@chorus/database';
import { joinExecution } from '../executes.ts';
import { readIdempotencyKey } from '../http/idempotency.ts';
import type { ScopedContext } from '../http/request-context.ts';

/** A claimed retry that is not stored after this time was lost with its process. */
const LOST_AFTER_MS = 10_000;
const POLL_INTERVAL_MS = 50;

/** How long a request tries to claim or join a retry. */
const CLAIM_TIMEOUT_MS = 20_000;

/**
 * Starts the retry of an execution, or joins one that another request has started. Requests join a retry while
 * it runs, or if they arrived before it ended. Later requests start a new one.
 * @param begin starts the execution with the given id, and answers the request
 * @throws {ChorusError} conflict when neither was possible in time; errors of `begin`
 */
export async function retryOnce<T>(
  context: ScopedContext,
  retried: string,
  stream: boolean,
  begin: (executionId: string) => Promise<T>,
): Promise<T | undefined> {
  const { executions } = context.services.database;
  const { owner } = context;
  const askedAt = askedAtOf(context);
  const giveUpAt = performance.now() + CLAIM_TIMEOUT_MS;
  while (performance.now() < giveUpAt) {
    const previous = await executions.findRetry(owner, retried);
    const running = previous && (await executions.get(owner, previous.id));
    if (running && joinsRetry(running, askedAt)) return joinRetry(context, running, stream);
    const isBeginning = previous && !running && Date.now() - previous.at.getTime() < LOST_AFTER_MS;
    const claim = { id: context.plannedExecutionId ?? newId('job'), at: new Date() };
    if (isBeginning || !(await executions.claimRetry(owner, retried, previous, claim))) {
      await pause(POLL_INTERVAL_MS);
      continue;
    }
    try {
      return await begin(claim.id);
    } catch (error) {
      // A stored retry counts, even if answering failed.
      const isStored = await executions.get(owner, claim.id).then(Boolean, () => true);
      if (!isStored) await executions.releaseRetry(owner, retried, claim).catch(() => undefined);
      throw error;
    }
  }
  throw new ChorusError('conflict', 'Another request is starting this retry. Retry later.', { retryAfterS: 1 });
}

/** Returns whether a request joins a retry: the retry still runs, or ended after the request arrived. */
export function joinsRetry({ finished_at }: Pick<ExecutionRecord, 'finished_at'>, askedAt: number): boolean {
  return finished_at === null || finished_at.getTime() > askedAt;
}

/** Returns when a request arrived, by the wall clock. */
export function askedAtOf({ startedAt }: Pick<ScopedContext, 'startedAt'>): number {
  return Date.now() - (performance.now() - startedAt);
}

/** Answers with a retry that another request has started. */
export async function joinRetry(context: ScopedContext, { id }: { id: string }, stream: boolean): Promise<undefined> {
  const { owner, plannedExecutionId, request, services } = context;
  const key = readIdempotencyKey(request);
  // Requests with the same key join the same execution.
  if (key !== null && plannedExecutionId !== undefined)
    await services.database.idempotency.join(owner, key, plannedExecutionId, id);
  return joinExecution(context, id, stream);
}
