import { hostname } from 'node:os';
import { newId, type WorkerHealth } from '@chorus/contract';
import { type RedisConnection, redisTime } from '@chorus/events';
import { WORKER_METRICS_KEY, WORKERS_KEY } from '@chorus/executions';
import type { Logger } from '@chorus/runtime/log';
import { setAlignedInterval } from '@chorus/runtime/timing';

const EVERY_MS = 5_000;

/** Collecting metrics takes longer than reporting, and scrapers come about every 15 s. */
const METRICS_EVERY_MS = 15_000;

const FORGET_AFTER_MS = 3_600_000;

export function publishHealth(options: {
  redis: RedisConnection;
  pool: string;
  read: () => Omit<WorkerHealth, 'pool' | 'pid' | 'host' | 'started_at'>;
  metrics: () => Promise<unknown>;
  log: Logger;
}) {
  const { redis, pool, log } = options;
  const workerId = newId('job').replace('job_', `${pool}_`);
  const self = { pool, pid: process.pid, host: hostname(), started_at: new Date().toISOString() };
  let gone = false;
  let publishing: Promise<void> | null = null;
  let measuredAt = Number.NEGATIVE_INFINITY;
  const write = async () => {
    const health: WorkerHealth = { ...self, ...options.read() };
    try {
      await redis.hset(WORKERS_KEY, workerId, JSON.stringify({ at: await redisTime(redis), health }));
      if (performance.now() - measuredAt < METRICS_EVERY_MS - EVERY_MS / 2) return;
      measuredAt = performance.now();
      await redis.hset(WORKER_METRICS_KEY, workerId, JSON.stringify(await options.metrics()));
    } catch (err) {
      log.warn({ err }, 'publishing health failed');
    }
  };
  // One at a time, so that they do not pile up while Redis is down.
  const publish = async () => {
    if (gone) return;
    publishing ??= write().finally(() => {
      publishing = null;
    });
    await publishing;
  };
  const stopPublishing = setAlignedInterval(publish, EVERY_MS);
  return {
    /** Publishes for the first time, and removes workers that died long ago. */
    async start(): Promise<void> {
      await publish();
      await forgetDead(redis);
    },
    publish,
    async withdraw(): Promise<void> {
      gone = true;
      stopPublishing();
      await publishing;
      await redis.hdel(WORKERS_KEY, workerId);
      await redis.hdel(WORKER_METRICS_KEY, workerId);
    },
  };
}

async function forgetDead(redis: RedisConnection): Promise<void> {
  const before = (await redisTime(redis)) - FORGET_AFTER_MS;
  const known = Object.entries(await redis.hgetall(WORKERS_KEY));
  const dead = known.filter(([, json]) => !(writtenAt(json) > before)).map(([id]) => id);
  if (dead.length === 0) return;
  await redis.hdel(WORKERS_KEY, ...dead);
  await redis.hdel(WORKER_METRICS_KEY, ...dead);
}

function writtenAt(json: string): number {
  try {
    return Number(JSON.parse(json).at);
  } catch {
    return Number.NaN;
  }
}
