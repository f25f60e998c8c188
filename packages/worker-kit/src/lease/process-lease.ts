import { setTimeout as pause } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import { POOLS } from '@chorus/contract';
import { fromRedis, type RedisConfig, type RedisConnection } from '@chorus/events';
import { createQueuePlaces, createQueueShards, JOBS_FREED_CHANNEL, LEASES_KEY } from '@chorus/executions';
import { disownLanes } from '@chorus/lanes';
import type { Logger } from '@chorus/runtime/log';
import type { LeaseThread } from './lease-thread.ts';
import { createLeaseId, fateOf } from './process-identity.ts';

const RESTART_AFTER_MS = 1_000;

/** How long a process of this machine may be paused until other workers take the jobs that they would have to end. */
const KEPT_MS = 60_000;
const KEEP_EVERY_MS = 2_000;
const LOCK_MS = 10_000;

/** Time limit of a release. After that, the lease simply expires, with no jobs to free. */
const RELEASE_MS = 1_000;

export interface ProcessLease {
  /** Identifies the process in the registers of its pools. */
  readonly id: string;
  release(): Promise<void>;
}

/**
 * Holds a lease of 2 s for this process. When the lease of another process expires, its jobs and calls are freed
 * immediately, before their locks and leases expire. A process of this machine that is only paused keeps its jobs
 * until their locks expire, and those that no other worker could continue for a minute. One
 * of another machine may be paused as well, and takes the blame from its jobs when it goes on: see `LOST_JOBS`.
 *
 * @param shardCount shards of each pool's queue
 */
export function holdLease(config: RedisConfig, redis: RedisConnection, log: Logger, shardCount = 1): ProcessLease {
  const id = createLeaseId();
  const places = createQueuePlaces(redis);
  const shards = createQueueShards(redis, shardCount);
  let released = false;
  let thread: Worker;

  const free = async (silent: string[]): Promise<void> => {
    const fates = silent.map((process) => ({ process, fate: fateOf(process) }));
    for (const { process, fate } of fates)
      if (fate === 'paused') keep(process).catch((err) => log.warn({ err }, 'the locks of a paused process expire'));
    // A process that lives will probably go on before the locks of its jobs expire.
    const lost = fates.flatMap(({ process, fate }) =>
      fate === 'paused' ? [] : [{ process, hasEnded: fate === 'ended' }],
    );
    if (lost.length === 0) return;
    const gone = lost.map(({ process }) => process);
    const calls = disownLanes(redis, gone);
    const queues = (await Promise.all(POOLS.map(shards.all))).flat();
    const freed = queues.map(async (queue) => {
      const jobs = await places.disown(queue, lost);
      if (jobs === 0) return;
      log.warn({ queue, jobs }, 'a worker process does not respond; its jobs go to others');
      await redis.publish(JOBS_FREED_CHANNEL, queue);
    });
    await Promise.all([calls, ...freed]);
  };

  /** Looks after a paused process until it goes on or ends. */
  const keep = async (process: string): Promise<void> => {
    for (let keptMs = 0; keptMs < KEPT_MS && !released; keptMs += KEEP_EVERY_MS) {
      if (fateOf(process) === 'ended') return free([process]);
      const queues = (await Promise.all(POOLS.map(shards.all))).flat();
      await Promise.all(queues.map((queue) => places.keep(queue, process, LOCK_MS)));
      await pause(KEEP_EVERY_MS, undefined, { ref: false });
      if ((await redis.hexists(LEASES_KEY, process)) === 1) return;
    }
  };

  const start = () => {
    if (released) return;
    const workerData: LeaseThread = { redis: config, key: LEASES_KEY, id };
    thread = new Worker(new URL('./lease-thread.ts', import.meta.url), { workerData });
    thread.unref();
    thread.on('message', (silent: string[]) => {
      free(silent).catch((err) => log.warn({ err }, 'freeing jobs failed; their locks will expire'));
    });
    thread.on('error', (err) => log.warn({ err }, 'the lease was lost'));
    thread.on('exit', () => setTimeout(start, RESTART_AFTER_MS).unref());
  };
  start();

  return {
    id,
    async release() {
      released = true;
      await thread.terminate();
      await fromRedis(redis.hdel(LEASES_KEY, id), RELEASE_MS);
    },
  };
}
