import { JOBS, type JobKind, POOLS, type Pool } from '@chorus/contract';
import type { ExecutionRecord } from '@chorus/database';
import type { RedisConnection } from '@chorus/events';
import { BEHIND_ALL, createQueuePlaces, jobDataOf, sharerOf } from '@chorus/executions';
import { Job } from 'bullmq';
import { costOf } from './job-cost.ts';
import { JOB_OPTIONS, type JobQueue, type Queues } from './queues.ts';

/** Puts jobs into the queues so that users who share a pool take turns, and none holds more than their share of its places. */
export function createFairLine(redis: RedisConnection, queues: Queues) {
  const places = createQueuePlaces(redis);

  return {
    /**
     * Queues jobs of one pool and one sharer, in one round trip. One that is queued already is left alone.
     *
     * @param earlierAttempts that the executions have had
     */
    async join(records: readonly ExecutionRecord[], earlierAttempts = 0): Promise<void> {
      const [first] = records;
      if (!first) return;
      const pool = poolOf(first);
      const queue = queues.of(pool);
      const client = await queue.getBackend().client;
      // Sent, and so done, in this order. A worker that takes a job in between finds one that is behind all others.
      const adding = records.map((record) => enqueue(queue, record, earlierAttempts, client));
      const jobs = records.map((record) => ({ id: record.id, cost: costOf(record) }));
      await Promise.all([...adding, places.join(pool, sharerOf(first.owner, first.batch_id), jobs)]);
    },

    /** Forgets a job that was taken out of its queue. */
    async leave(record: Pick<ExecutionRecord, 'id' | 'kind' | 'owner' | 'batch_id'>): Promise<void> {
      await places.leave(poolOf(record), sharerOf(record.owner, record.batch_id), record.id);
    },

    /** Forgets all that is known of a user. */
    async forget(userId: string): Promise<void> {
      for (const pool of POOLS) await places.forget(pool, userId);
    },
  };
}

export type FairLine = ReturnType<typeof createFairLine>;

const poolOf = ({ kind }: Pick<ExecutionRecord, 'kind'>): Pool => JOBS[kind as JobKind].pool;

type Client = Awaited<ReturnType<JobQueue['getBackend']>['client']>;

/** Sends the command before it returns. */
function enqueue(queue: JobQueue, record: ExecutionRecord, earlierAttempts: number, client: Client): Promise<unknown> {
  const options = { ...JOB_OPTIONS, jobId: record.id, priority: BEHIND_ALL };
  return new Job(queue, record.kind, jobDataOf(record, earlierAttempts), options, record.id).addJob(client);
}
