import type { JobData, Pool } from '@chorus/contract';
import type { RedisConnection } from '@chorus/events';
import { queuePrefix } from '@chorus/executions';
import { Queue } from 'bullmq';

export type JobQueue = Queue<JobData, void, string>;

/** Crashed and poisoned jobs to keep per queue. A job whose execution failed is completed, not failed. */
const DEAD_LETTERS = 1_000;

/** BullMQ's own events, which we do not read. It keeps 10,000 by default, about 600 KB per queue. */
const QUEUE_EVENTS = 100;

export const JOB_OPTIONS = { attempts: 1, removeOnComplete: true, removeOnFail: { count: DEAD_LETTERS } };

/** Opens the queue of each pool on first use, all on one connection. */
export function createQueues(redis: RedisConnection) {
  const queues = new Map<Pool, JobQueue>();
  return {
    of(pool: Pool): JobQueue {
      let queue = queues.get(pool);
      if (!queue) {
        queue = new Queue<JobData, void, string>(pool, {
          connection: redis,
          prefix: queuePrefix(pool),
          skipVersionCheck: true,
          defaultJobOptions: JOB_OPTIONS,
          streams: { events: { maxLen: QUEUE_EVENTS } },
        });
        queue.on('error', () => undefined); // the connection's own listener logs it
        queues.set(pool, queue);
      }
      return queue;
    },
    async close(): Promise<void> {
      await Promise.allSettled([...queues.values()].map((queue) => queue.close()));
    },
  };
}

export type Queues = ReturnType<typeof createQueues>;
