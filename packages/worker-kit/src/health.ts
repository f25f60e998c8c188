import type { WorkerHealth } from '@chorus/contract';
import type { RedisConnection } from '@chorus/events';
import { WORKER_METRICS_KEY, WORKERS_KEY } from '@chorus/executions';
import type { Logger } from '@chorus/log';

/** How often a worker says that it lives. */
const EVERY_MS = 3_000;

/** Publishes a worker's health and metrics while it lives, and takes them back when it goes. */
export function publishHealth(options: {
  redis: RedisConnection;
  workerId: string;
  read: () => WorkerHealth;
  metrics: () => Promise<unknown>;
  log: Logger;
}) {
  const { redis, workerId, log } = options;
  let gone = false;
  const publish = async () => {
    if (gone) return;
    try {
      await redis.hset(WORKERS_KEY, workerId, JSON.stringify({ at: Date.now(), health: options.read() }));
      await redis.hset(WORKER_METRICS_KEY, workerId, JSON.stringify(await options.metrics()));
    } catch (err) {
      log.warn({ err }, 'health not published');
    }
  };
  const timer = setInterval(publish, EVERY_MS);
  return {
    publish,
    async withdraw(): Promise<void> {
      gone = true;
      clearInterval(timer);
      await redis.hdel(WORKERS_KEY, workerId);
      await redis.hdel(WORKER_METRICS_KEY, workerId);
    },
  };
}
