import { setTimeout as pause } from 'node:timers/promises';
import type { Database } from '@chorus/database';
import type { Batches, BatchOperation } from '@chorus/providers';
import type { Logger } from '@chorus/runtime/log';

/** How long to wait until the process with the claim has found or sent the batch. */
const DECIDED_WITHIN_MS = 300_000;

const CANCEL_WITHIN_MS = 30_000;

interface Parts {
  database: Pick<Database, 'batchParts'>;
  batches: Pick<Batches, 'cancel' | 'delete'>;
  pollMs: number;
  log: Logger;
}

/**
 * Cancels a batch that a process sent after it had lost its claim, for example because it was frozen. The process that
 * has the claim may have found this batch, which then goes on.
 */
export async function withdrawDuplicate(
  { database, batches, pollMs, log }: Parts,
  partId: string,
  operation: BatchOperation,
): Promise<void> {
  const until = Date.now() + DECIDED_WITHIN_MS;
  for (;;) {
    const part = await database.batchParts.get(partId);
    if (part?.operation?.id === operation.id) return;
    const isUndecided = part !== null && !part.erased && part.operation === null && part.state !== 'ended';
    if (!isUndecided || Date.now() > until) break;
    await pause(pollMs);
  }
  log.warn({ part: partId, operation: operation.id }, 'batch sent twice; the second one is cancelled');
  const options = { signal: AbortSignal.timeout(CANCEL_WITHIN_MS), executionId: partId };
  await batches.cancel(operation, options);
  await batches.delete(operation, options).catch(() => undefined); // it may not have ended
}
