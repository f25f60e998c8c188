import type { JobData, Pool } from '@chorus/contract';
import { isRedisUnavailable, type RedisConnection } from '@chorus/events';
import { type QueueName, type QueuePlaces, type QueueShards, type QueueSide, sideOf } from '@chorus/executions';
import type { Logger } from '@chorus/runtime/log';
import { setAlignedInterval } from '@chorus/runtime/timing';
import type { Job } from 'bullmq';
import { PoolWorker } from '../pool-worker.ts';
import { PlaceGate } from './place-gate.ts';

/** Without a lease, a worker loses its jobs after this silence. Another worker finds them at its next check. */
const LOCK_MS = 10_000;
const STALLED_CHECK_MS = 5_000;

const QUEUE_RETRY_MS = 500;

/** How long a worker waits for a job before it asks again, in case it missed the signal. */
const QUEUE_WAIT_S = 10;

const REGISTER_EVERY_MS = 5_000;

type QueuedJob = Job<JobData, void, string>;

export interface ShardWorkersOptions {
  pool: Pool;
  /** Shards of earlier numbers are served while they may hold jobs. */
  shards: QueueShards;
  /** Number of jobs in this process on each side, over all shards. */
  concurrency: Record<QueueSide, number>;
  connection: RedisConnection;
  places: QueuePlaces;
  /** Id of the process's lease. */
  lease: string | undefined;
  log: Logger;
  run(queue: QueueName, job: QueuedJob, token?: string): Promise<void>;
  /** Looks after jobs that wait for their provider, in case the process that should has died. */
  tend(queue: QueueName): Promise<void>;
  onLockLost(id: string): void;
  onFailed(queue: QueueName, job: QueuedJob | undefined, error: Error): void;
}

/** Serves all shards of a pool's queue, with a BullMQ worker for each. They share the places of this process. */
export function createShardWorkers({ pool, shards, connection, places, log, ...options }: ShardWorkersOptions) {
  const gates: Record<QueueSide, PlaceGate> = {
    places: new PlaceGate(options.concurrency.places),
    lanes: new PlaceGate(options.concurrency.lanes),
  };
  const gateOf = (queue: QueueName) => gates[sideOf(queue)];
  const workers = new Map<QueueName, PoolWorker>();
  let renewing: Promise<void> | null = null;
  let stopRenewing: () => void = () => undefined;
  let isClosing = false;

  const openWorker = (queue: QueueName): PoolWorker => {
    const parts = { queue, gate: gateOf(queue), places };
    const worker = new PoolWorker(parts, (job, token) => options.run(queue, job, token), {
      connection,
      concurrency: options.concurrency[sideOf(queue)],
      lockDuration: LOCK_MS,
      stalledInterval: STALLED_CHECK_MS,
      // A lost lock says nothing about the job: `DISOWN` counts the ends of processes instead.
      maxStalledCount: Number.MAX_SAFE_INTEGER,
      runRetryDelay: QUEUE_RETRY_MS,
      drainDelay: QUEUE_WAIT_S,
      skipVersionCheck: true,
      autorun: false,
    });
    worker.on('error', (err) => log[isRedisUnavailable(err) ? 'debug' : 'warn']({ err }, 'queue'));
    worker.on('lockRenewalFailed', (ids) => {
      for (const id of ids) options.onLockLost(id);
    });
    worker.on('failed', (job, err) => options.onFailed(queue, job, err));
    workers.set(queue, worker);
    return worker;
  };

  const register = (queue: QueueName, worker: PoolWorker, count: number): Promise<void> =>
    places
      .register(queue, worker.id, count, options.lease)
      .then(() => undefined)
      .catch((err) => log.warn({ err, queue }, 'registering places failed'));

  /** Registers the places of all shards, and starts to serve new ones. */
  const renew = async (): Promise<void> => {
    const queues = await shards.all(pool);
    if (isClosing) return;
    const renewals = queues.map(async (queue) => {
      const worker = workers.get(queue) ?? openWorker(queue);
      await register(queue, worker, gateOf(queue).availableTo(queue));
      await options.tend(queue).catch((err) => log.warn({ err, queue }, 'looking after waiting jobs failed'));
      if (isClosing || worker.isRunning()) return;
      worker.run().catch((err) => log.error({ err, queue }, 'the queue is not read any more'));
      await worker.waitUntilReady();
    });
    await Promise.all(renewals);
  };

  // One at a time, so that they do not pile up while Redis is down.
  const renewOnce = async (): Promise<void> => {
    renewing ??= renew()
      .catch((err) => log.warn({ err }, 'looking for shards failed'))
      .finally(() => {
        renewing = null;
      });
    await renewing;
  };

  return {
    async start(): Promise<void> {
      await renewOnce();
      stopRenewing = setAlignedInterval(renewOnce, REGISTER_EVERY_MS);
    },
    /** Checks for jobs of lost workers now. */
    checkStalled(queue: string): void {
      workers
        .get(queue as QueueName)
        ?.startStalledCheckTimer()
        .catch(() => undefined); // it reports its own errors
    },
    isPlaceWanted: (queue: QueueName, ranMs: number): boolean => gateOf(queue).isWantedFrom(queue, ranMs),
    /** Stops taking jobs, and waits for running ones. */
    async close(): Promise<void> {
      isClosing = true;
      stopRenewing();
      const withdraw = async () => {
        await renewing;
        await Promise.all([...workers].map(([queue, worker]) => register(queue, worker, 0)));
      };
      await Promise.all([withdraw(), ...[...workers.values()].map((worker) => worker.close())]);
    },
  };
}
