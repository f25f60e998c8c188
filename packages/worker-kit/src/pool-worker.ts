import { setImmediate } from 'node:timers/promises';
import type { JobData, Pool } from '@chorus/contract';
import { defineScript, type RedisConnection } from '@chorus/events';
import { placeKeys } from '@chorus/executions';
import { type Job, type Processor, Worker, type WorkerOptions } from 'bullmq';

/**
 * Removes the marker that wakes workers, if no job waits. Returns 1 if none does.
 *
 * KEYS: jobs that run first, jobs with a turn, marker.
 */
const CLEAR_MARKER = `
if redis.call('EXISTS', KEYS[1], KEYS[2]) > 0 then return 0 end
redis.call('ZREM', KEYS[3], '0')
return 1`;

/**
 * A worker that waits for the next job right after it took the last one. BullMQ's would fetch twice in vain: once
 * since it found a job, and once since each taken job sets the marker.
 */
export class PoolWorker extends Worker<JobData, void, string> {
  readonly #clearMarker: () => Promise<unknown>;

  constructor(
    pool: Pool,
    process: Processor<JobData, void, string>,
    options: WorkerOptions & { connection: RedisConnection },
  ) {
    super(pool, process, options);
    const clear = defineScript(options.connection, 'chorusClearMarker', CLEAR_MARKER, 3);
    const { wait, line, marker } = placeKeys(pool);
    this.#clearMarker = () => clear(wait, line, marker);
  }

  protected override async moveToActive(token: string, name?: string): Promise<Job<JobData, void, string>> {
    const moving = super.moveToActive(token, name);
    // By then the first command is sent, so both take one round trip. In another order they would be safe, too.
    const clearing = setImmediate().then(this.#clearMarker);
    const [job, isLast] = await Promise.all([moving, clearing.catch(() => 0)]);
    // Without data, it notes that no job waits.
    if (job && isLast === 1) await this.nextJobFromJobData();
    return job;
  }
}
