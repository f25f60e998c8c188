import { z } from 'zod';
import { EXECUTION_STATUSES, execution } from './execution.ts';
import { idSchema } from './ids.ts';
import { listQuery } from './list.ts';
import { POOLS } from './names/index.ts';

/** Minutes of finished jobs that a queue report covers. */
export const QUEUE_HISTORY_MIN = 60;

/** Failed jobs are counted up to this number. */
export const MAX_COUNTED_FAILURES = 1_000;

const poolQueue = z.object({
  pool: z.enum(POOLS),
  waiting: z.int().describe('Jobs that have a turn and wait for a free place'),
  delayed: z.int().describe('Jobs that wait for a turn, since their user already holds a full share, or for the lane of their provider'),
  oldest_waiting_s: z.number().nullable().describe('How long the oldest job has waited. Null: none is waiting'),
  running: z.int(),
  places: z.int().describe('Jobs that the workers can run at once'),
  workers: z.int().describe('Worker processes that are alive'),
  failed: z
    .int()
    .max(MAX_COUNTED_FAILURES)
    .describe(
      `Jobs of the last 24 hours that failed and were not retried. At most ${MAX_COUNTED_FAILURES} are counted`,
    ),
  finished_by_minute: z
    .array(z.int())
    .length(QUEUE_HISTORY_MIN)
    .describe('Jobs that ended in each minute, oldest first. The last minute is not over'),
});
export type PoolQueue = z.infer<typeof poolQueue>;

/** `GET /queues` */
export const queueReport = z.object({ object: z.literal('queues'), data: z.array(poolQueue).max(POOLS.length) });
export type QueueReport = z.infer<typeof queueReport>;

/** `GET /queues/jobs` */
export const queueJobsQuery = listQuery.extend({
  state: z
    .enum(['failed', 'unfinished'])
    .default('failed')
    .describe('`failed`: failed jobs that were not retried, newest first. `unfinished`: oldest first'),
  pool: z.enum(POOLS).optional(),
});
export type QueueJobsQuery = z.infer<typeof queueJobsQuery>;

/** A job of any user, without its content. */
export const queueJob = z.object({
  id: z.string().describe('`job_…`'),
  object: z.literal('queue_job'),
  pool: z.enum(POOLS).nullable().describe('Null: the kind no longer exists'),
  kind: z.string(),
  status: z.enum(EXECUTION_STATUSES),
  model: z.string().nullable(),
  attempt: z.int(),
  error: execution.shape.error,
  user_id: z.string(),
  user_email: z.string().nullable().describe('Null: the user was deleted'),
  workspace_id: z.string().nullable(),
  batch_id: z.string().nullable(),
  created_at: z.iso.datetime(),
  started_at: z.iso.datetime().nullable(),
  finished_at: z.iso.datetime().nullable(),
});
export type QueueJob = z.infer<typeof queueJob>;

/** `POST /queues/jobs/retry` and `POST /queues/jobs/cancel` */
export const queueJobIds = z.strictObject({
  ids: z.array(idSchema('job')).min(1).max(100).describe('Ids of the executions'),
});

const outcome = {
  id: z.string(),
  error: z.object({ code: z.string(), message: z.string() }).nullable().describe('Why it was not changed'),
};

export const queueJobsRetried = z.object({
  object: z.literal('queue_jobs.retried'),
  data: z.array(z.object({ ...outcome, retried_as: z.string().nullable().describe('The new execution') })).max(100),
});
export type QueueJobsRetried = z.infer<typeof queueJobsRetried>;

export const queueJobsCancelled = z.object({
  object: z.literal('queue_jobs.cancelled'),
  data: z.array(z.object({ ...outcome, status: z.enum(EXECUTION_STATUSES).nullable() })).max(100),
});
