import { type WorkerHealth, workerHealth } from '@chorus/contract';
import type { RedisConnection } from '@chorus/events';
import { WORKER_ALIVE_MS, WORKER_METRICS_KEY, WORKERS_KEY } from '@chorus/executions';
import { z } from 'zod';

const entry = z.object({ at: z.number(), health: workerHealth });

export interface KnownWorker extends WorkerHealth {
  id: string;
  /** Whether it has been heard of within the last seconds. */
  alive: boolean;
}

/** How long one reading serves, in milliseconds. */
const FRESH_MS = 1_000;

/** Reads what worker processes publish of themselves: pools, models, providers. Workers that died stay known for a while, not alive. */
export function createWorkerRegistry(redis: RedisConnection) {
  let last: { at: number; workers: Promise<KnownWorker[]> } | null = null;

  const read = async (): Promise<KnownWorker[]> => {
    const fields = await redis.hgetall(WORKERS_KEY);
    const now = Date.now();
    return Object.entries(fields).flatMap(([id, json]) => {
      const parsed = entry.safeParse(JSON.parse(json));
      if (!parsed.success) return []; // written by another version
      return [{ ...parsed.data.health, id, alive: now - parsed.data.at < WORKER_ALIVE_MS }];
    });
  };

  return {
    /** All known workers; a reading serves for a second. */
    async workers(): Promise<KnownWorker[]> {
      if (last && performance.now() - last.at < FRESH_MS) return last.workers;
      const reading = read();
      last = { at: performance.now(), workers: reading };
      reading.catch(() => {
        last = null;
      });
      return reading;
    },
    /** Metrics of the living workers, as prom-client's JSON. */
    async metrics(): Promise<unknown[]> {
      const fields = await redis.hgetall(WORKER_METRICS_KEY);
      const alive = new Set((await this.workers()).filter((worker) => worker.alive).map((worker) => worker.id));
      return Object.entries(fields).flatMap(([id, json]) => (alive.has(id) ? [JSON.parse(json)] : []));
    },
  };
}

export type WorkerRegistry = ReturnType<typeof createWorkerRegistry>;
