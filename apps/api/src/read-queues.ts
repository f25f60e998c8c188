import { POOLS, type Pool } from '@chorus/contract';
import type { Dispatcher } from '@chorus/queue';

/** What waits for a pool. */
export interface QueueDepth {
  pool: Pool;
  /** Jobs that wait. */
  waiting: number;
  /** Age of the job that has waited longest, in milliseconds; 0 when none waits. */
  oldestMs: number;
}

/** Looks at the queue of every pool. */
export function readQueues(dispatcher: Pick<Dispatcher, 'pressure'>): Promise<QueueDepth[]> {
  return Promise.all(
    POOLS.map(async (pool) => {
      const { depth, oldestMs } = await dispatcher.pressure(pool);
      return { pool, waiting: depth, oldestMs };
    }),
  );
}
