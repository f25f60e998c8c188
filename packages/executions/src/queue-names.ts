import type { JobData, Pool } from '@chorus/contract';
import type { ExecutionRecord } from '@chorus/database';

/** Prefix of a pool's queue in Redis: one hash tag for each queue, so that a cluster keeps its keys together. */
export const queuePrefix = (pool: Pool) => `{chorus:${pool}}`;

/** Hash of what worker processes say of themselves, a field each; and the hash of their metrics. */
export const WORKERS_KEY = 'chorus:{workers}:health';
export const WORKER_METRICS_KEY = 'chorus:{workers}:metrics';

/** How long after its last word a worker counts as alive, in milliseconds. */
export const WORKER_ALIVE_MS = 15_000;

/** What the queue carries of an execution. */
export function jobDataOf(record: ExecutionRecord, earlierAttempts: number): JobData {
  const { owner, input, request_id, session_id, batch_id } = record;
  return { owner, input, request_id, session_id, batch_id, earlier_attempts: earlierAttempts };
}
