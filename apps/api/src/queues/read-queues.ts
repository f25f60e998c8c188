import {
  findKind,
  KINDS,
  MAX_COUNTED_FAILURES,
  type Page,
  POOLS,
  type QueueJob,
  type QueueJobsQuery,
  type QueueReport,
} from '@chorus/contract';
import type { Services } from '../services.ts';

/** How far back failed jobs are counted. */
const FAILURES_MS = 24 * 3_600_000;

type Parts = Pick<Services, 'database' | 'dispatcher' | 'registry'>;

/** Returns the waiting, running, and failed jobs of each pool. */
export async function readQueues({ database, dispatcher, registry }: Parts): Promise<QueueReport> {
  const since = new Date(Date.now() - FAILURES_MS);
  const [workers, failed, queues] = await Promise.all([
    registry.workers(),
    database.executions.listFailedKinds({ since, limit: MAX_COUNTED_FAILURES }),
    Promise.all(POOLS.map((pool) => Promise.all([dispatcher.counts(pool), dispatcher.pressure(pool)]))),
  ]);
  const failures = Map.groupBy(failed, (kind) => findKind(kind)?.pool);
  const data = POOLS.map((pool, at) => {
    const [counts, { depth, oldestMs }] = queues[at] as (typeof queues)[number];
    return {
      pool,
      ...counts,
      oldest_waiting_s: depth === 0 ? null : oldestMs / 1_000,
      workers: workers.filter((worker) => worker.alive && worker.pool === pool).length,
      failed: failures.get(pool)?.length ?? 0,
    };
  });
  return { object: 'queues', data };
}

/** Lists jobs of all users, without their content. */
export async function listQueueJobs(
  { database }: Pick<Services, 'database'>,
  { pool, ...query }: QueueJobsQuery,
): Promise<Page<QueueJob>> {
  const ofPool = Object.values(KINDS).filter((kind) => kind.pool === pool);
  const kinds = pool && { kinds: ofPool.map(({ kind }) => kind) };
  const page = await database.executions.listForOperators({ ...query, ...kinds });
  const emails = await database.users.emailsOf([...new Set(page.data.map(({ owner }) => owner.user_id))]);
  const data = page.data.map(({ owner, created_at, started_at, finished_at, ...job }): QueueJob => {
    const { user_id, workspace_id } = owner;
    return {
      ...job,
      object: 'queue_job',
      pool: findKind(job.kind)?.pool ?? null,
      user_id,
      user_email: emails.get(user_id) ?? null,
      workspace_id,
      created_at: created_at.toISOString(),
      started_at: started_at?.toISOString() ?? null,
      finished_at: finished_at?.toISOString() ?? null,
    };
  });
  return { ...page, data };
}
