import { setTimeout as pause } from 'node:timers/promises';
import { ChorusError, newId } from '@chorus/contract';
import type { ExecutionRecord } from '@chorus/database';
import { readIdempotencyKey } from '../http/idempotency.ts';
import type { ScopedContext } from '../http/request-context.ts';
import { joinExecution } from './join-execution.ts';

/** A claimed retry that is not stored after this was lost with its process. */
const LOST_AFTER_MS = 10_000;
const LOOK_EVERY_MS = 50;

/** How long a request tries to claim or join a retry. */
const GIVE_UP_AFTER_MS = 20_000;

/**
 * Begins the retry of an execution, or joins the one that another request has begun. A retry is joined while it runs, and by requests
 * that came in before it ended; after that a new one begins.
 *
 * @param begin begins the execution with the id that it must get, and answers the request
 * @throws {ChorusError} conflict when neither was possible in time; what `begin` throws
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
  const giveUpAt = performance.now() + GIVE_UP_AFTER_MS;
  while (performance.now() < giveUpAt) {
    const previous = await executions.retryOf(owner, retried);
    const running = previous && (await executions.get(owner, previous.id));
    if (running && joinsRetry(running, askedAt)) return joinRetry(context, running, stream);
    const isBeginning = previous && !running && Date.now() - previous.at.getTime() < LOST_AFTER_MS;
    const claim = { id: context.plannedExecutionId ?? newId('job'), at: new Date() };
    if (isBeginning || !(await executions.claimRetry(owner, retried, previous, claim))) {
      await pause(LOOK_EVERY_MS);
      continue;
    }
    try {
      return await begin(claim.id);
    } catch (error) {
      // A retry that was stored stands, whatever became of the answer.
      const isStored = await executions.get(owner, claim.id).then(Boolean, () => true);
      if (!isStored) await executions.releaseRetry(owner, retried, claim).catch(() => undefined);
      throw error;
    }
  }
  throw new ChorusError('conflict', 'Another request is beginning this retry; ask again.', { retryAfterS: 1 });
}

/** Whether a request joins a retry: it has not ended, or ended while the request was on its way. */
export function joinsRetry({ finished_at }: Pick<ExecutionRecord, 'finished_at'>, askedAt: number): boolean {
  return finished_at === null || finished_at.getTime() > askedAt;
}

/** When a request came in, on the clock of records. */
export function askedAtOf({ startedAt }: Pick<ScopedContext, 'startedAt'>): number {
  return Date.now() - (performance.now() - startedAt);
}

/** Answers with a retry that another request has begun. */
export async function joinRetry(context: ScopedContext, { id }: { id: string }, stream: boolean): Promise<undefined> {
  const { owner, plannedExecutionId, request, services } = context;
  const key = readIdempotencyKey(request);
  // A repeated request with the same key joins the same execution.
  if (key !== null && plannedExecutionId !== undefined)
    await services.database.idempotency.join(owner, key, plannedExecutionId, id);
  return joinExecution(context, id, stream);
}
