import { asNotStarted, type WorkerHealth, workerHealth } from '@chorus/contract';
import { fromRedis, type RedisConnection, redisTime } from '@chorus/events';
import { modelsNamed, WORKER_ALIVE_MS, WORKER_METRICS_KEY, WORKERS_KEY } from '@chorus/executions';
import type { Logger } from '@chorus/runtime/log';
import { z } from 'zod';

const json = z.string().transform((text, context) => {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    context.addIssue({ code: 'custom', message: 'must be JSON' });
    return z.NEVER;
  }
});

const entry = json.pipe(z.object({ at: z.number(), health: workerHealth }));

export interface KnownWorker extends WorkerHealth {
  id: string;
  /** Whether it has reported within the last seconds. */
  alive: boolean;
}

const FRESH_MS = 1_000;
const CACHE_MS = 5_000;

/** Workers report their new models within this time after a change. */
const CHANGING_MS = 3_000;

/** Maximum number of workers whose warnings are remembered, so that each is logged once. */
const MAX_WARNED = 1_000;

/** Reads the reports of worker processes: pools, models, providers. Dead workers stay listed for a while. */
export function createWorkerRegistry(redis: RedisConnection, log: Logger) {
  const warned = new Set<string>();
  const warn = (worker: string, { issues }: z.ZodError): void => {
    if (warned.has(worker)) return;
    if (warned.size === MAX_WARNED) warned.clear();
    warned.add(worker);
    const problems = issues.map(({ path, message }) => `${path.join('.')}: ${message}`);
    log.warn({ worker, problems }, 'the report of a worker cannot be read; it may be of another version');
  };
  let last: { at: number; workers: Promise<KnownWorker[]> } | null = null;
  let changingUntil = Number.NEGATIVE_INFINITY;
  const isChanging = () => performance.now() < changingUntil;

  const read = async (): Promise<KnownWorker[]> => {
    // Nothing has been started yet.
    const reading = fromRedis(Promise.all([redis.hgetall(WORKERS_KEY), redisTime(redis)]));
    const [fields, now] = await reading.catch((error) => Promise.reject(asNotStarted(error)));
    return Object.entries(fields).flatMap(([id, text]) => {
      const parsed = entry.safeParse(text);
      if (!parsed.success) {
        warn(id, parsed.error);
        return [];
      }
      return [{ ...parsed.data.health, id, alive: now - parsed.data.at < WORKER_ALIVE_MS }];
    });
  };

  const renew = (): Promise<KnownWorker[]> => {
    const reading = read();
    last = { at: performance.now(), workers: reading };
    reading.catch(() => {
      last = null;
    });
    return reading;
  };

  const registry = {
    /** Returns all known workers. The result is cached for a second. */
    async workers(): Promise<KnownWorker[]> {
      return last && !isChanging() && performance.now() - last.at < FRESH_MS ? last.workers : renew();
    },
    /** Avoids a round trip if possible: the result is cached for 5 s and refreshed in the background. */
    async recentWorkers(): Promise<KnownWorker[]> {
      const known = last;
      if (!known || isChanging() || performance.now() - known.at > CACHE_MS) return renew();
      if (performance.now() - known.at > FRESH_MS) renew().catch(() => undefined);
      return known.workers;
    },
    /** Returns whether a worker knows a batch endpoint of a model's provider. */
    async hasBatches(model: string): Promise<boolean> {
      const workers = await registry.recentWorkers();
      const ids = workers.flatMap(({ models }) => models.map(({ id }) => id));
      const name = (modelsNamed(ids, model)[0] ?? model).split('/', 1)[0];
      return workers.some(({ providers }) => providers.some((one) => one.name === name && one.economy === true));
    },
    /** Disables the cache for a few seconds, since workers are about to report new models. */
    expectChange(): void {
      changingUntil = performance.now() + CHANGING_MS;
    },
    /** Returns the metrics of living workers as prom-client's JSON. */
    async metrics(): Promise<unknown[]> {
      const fields = await redis.hgetall(WORKER_METRICS_KEY);
      const alive = new Set((await this.workers()).filter((worker) => worker.alive).map((worker) => worker.id));
      return Object.entries(fields).flatMap(([id, text]) => (alive.has(id) ? [JSON.parse(text)] : []));
    },
  };
  return registry;
}

export type WorkerRegistry = ReturnType<typeof createWorkerRegistry>;
