import type { JobData } from '@chorus/contract';
import type { RedisConnection } from '@chorus/events';
import { JOB_OPTIONS, type QueueName, queuePrefix } from '@chorus/executions';
import { Queue } from 'bullmq';

export type JobQueue = Queue<JobData, void, string>;

/** BullMQ's own events, which Chorus does not read. By default, BullMQ keeps 10,000, about 600 KB per queue. */
const QUEUE_EVENTS = 100;

/** Opens each queue on first use, all on one connection. */
export function createQueues(redis: RedisConnection) {
  const queues = new Map<QueueName, JobQueue>();
  return {
    of(name: QueueName): JobQueue {
      let queue = queues.get(name);
      if (!queue) {
        queue = new Queue<JobData, void, string>(name, {
          connection: redis,
          prefix: queuePrefix(name),
          skipVersionCheck: true,
          defaultJobOptions: JOB_OPTIONS,
          streams: { events: { maxLen: QUEUE_EVENTS } },
        });
        queue.on('error', () => undefined); // logged by the connection's listener
        queues.set(name, queue);
      }
      return queue;
    },
    async close(): Promise<void> {
      await Promise.allSettled([...queues.values()].map((queue) => queue.close()));
    },
  };
}

export type Queues = ReturnType<typeof createQueues>;
