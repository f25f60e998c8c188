import type { JobData, Pool } from '@chorus/contract';
import type { ExecutionRecord } from '@chorus/database';
import { currentTraceparent } from '@chorus/runtime/tracing';

/** A queue: one shard of a pool's jobs. The first shard has the pool's name. */
export type QueueName = Pool | `${Pool}#${number}`;

export const queueName = (pool: Pool, shard: number): QueueName => (shard === 0 ? pool : `${pool}#${shard}`);

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

export function jobDataOf(record: ExecutionRecord, earlierAttempts: number, hub?: string): JobData {
  const { owner, input, request_id, session_id, batch_id } = record;
  const traceparent = currentTraceparent();
  return {
    owner,
    input,
    request_id,
    session_id,
    batch_id,
    ...(hub !== undefined && { hub }),
    ...(traceparent !== null && { traceparent }),
    earlier_attempts: earlierAttempts,
  };
}
