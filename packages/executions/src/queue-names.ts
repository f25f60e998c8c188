import { findKind, type JobData, laneOf, type Pool } from '@chorus/contract';
import type { ExecutionRecord } from '@chorus/database';
import { currentTraceparent } from '@chorus/runtime/tracing';

/** Bounds of a pool's jobs: the places of its workers, or the lanes of the providers that they call. */
export type QueueSide = 'places' | 'lanes';

type PoolSide = Pool | `${Pool}.calls`;

/** A queue: one shard of a pool's jobs on one side. The first shard has no number. */
export type QueueName = PoolSide | `${PoolSide}#${number}`;

export function queueName(pool: Pool, side: QueueSide, shard = 0): QueueName {
  const name = side === 'places' ? pool : (`${pool}.calls` as const);
  return shard === 0 ? name : `${name}#${shard}`;
}

export const sideOf = (queue: QueueName): QueueSide => (queue.includes('.calls') ? 'lanes' : 'places');

/** Prefix of a queue in Redis. Its hash tag keeps the keys in one cluster slot. */
export const queuePrefix = (queue: QueueName) => `{chorus:${queue}}`;

/** Hash of the shard counts in use, with the time of their last use. */
export const SHARDS_KEY = 'chorus:{workers}:shards';

/** Hashes of worker reports and worker metrics, with one field per process. */
export const WORKERS_KEY = 'chorus:{workers}:health';
export const WORKER_METRICS_KEY = 'chorus:{workers}:metrics';

/** Hash of the leases of worker processes, with the time of their last renewal. */
export const LEASES_KEY = 'chorus:{workers}:leases';

/** Pub/sub channel that names queues with jobs freed from dead workers. */
export const JOBS_FREED_CHANNEL = 'chorus:jobs-freed';

/** A worker counts as alive for this long after its last report. */
export const WORKER_ALIVE_MS = 15_000;

/**
 * Returns the lane in which an execution waits for its provider. Null: it waits for a place of a worker.
 *
 * @param execution `input`: if it is not known, the job is taken for one that only calls its model.
 */
export function laneOfExecution({
  kind,
  model,
  input = {},
}: Pick<ExecutionRecord, 'kind' | 'model'> & { input?: Record<string, unknown> }): string | null {
  return findKind(kind)?.usesPlace?.(input) ? null : laneOf(model);
}

/**
 * Returns the lane that an execution calls first, though it waits for a place. Null: it has none, or only its worker
 * knows. Speech and documents do other work before they call a model.
 */
export function calledLane(
  execution: Pick<ExecutionRecord, 'kind' | 'model'> & { input?: Record<string, unknown> },
): string | null {
  if (findKind(execution.kind)?.capability !== 'chat' || laneOfExecution(execution) !== null) return null;
  return laneOf(execution.model);
}

/** Returns what a worker must know to reserve more for an execution. */
export function spendingOf({
  budgets = [],
  reserved_usd = 0,
  created_at,
}: Pick<ExecutionRecord, 'budgets' | 'reserved_usd' | 'created_at'>): Pick<JobData, 'spending'> {
  return budgets.length === 0 ? {} : { spending: { budgets, reserved_usd, at: created_at.toISOString() } };
}

export function jobDataOf(record: ExecutionRecord, earlierAttempts: number, hub?: string): JobData {
  const { owner, input, request_id, session_id, batch_id } = record;
  const traceparent = currentTraceparent();
  const lane = laneOfExecution(record);
  return {
    owner,
    input,
    request_id,
    session_id,
    batch_id,
    ...(lane !== null && { lane }),
    ...(hub !== undefined && { hub }),
    ...(traceparent !== null && { traceparent }),
    ...spendingOf(record),
    earlier_attempts: earlierAttempts,
  };
}
