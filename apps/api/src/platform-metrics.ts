import { MAINTENANCE, POOLS } from '@chorus/contract';
import { valueWithin } from '@chorus/runtime/timing';
import { AggregatorRegistry, Gauge, Registry } from 'prom-client';
import { addLaneGauges } from './lane-metrics.ts';
import { readQueues } from './metrics.ts';
import type { Services } from './services.ts';

/** How long a scrape waits for values from other processes. */
const SOURCE_TIMEOUT_MS = 1_000;

/** Counting stops here, to keep scrapes cheap. */
const MAX_COUNTED = 100_000;

type Sources = Pick<Services, 'dispatcher' | 'registry' | 'database'>;

/**
 * Renders metrics beyond a single API process: those of each worker, and those of shared state. Every API
 * process renders the same. Values that cannot be read in time are left out.
 */
export async function renderPlatformMetrics({ dispatcher, registry, database }: Sources): Promise<string> {
  const shared = new Registry();
  const gauge = <L extends string>(name: string, help: string, labelNames: L[] = []) =>
    new Gauge({ name, help, labelNames, registers: [shared] });
  const within = <T>(work: Promise<T>) => valueWithin(work, SOURCE_TIMEOUT_MS);
  const [queues, lanes, workers, published, batches, webhooks] = await Promise.all([
    within(readQueues(dispatcher)),
    within(dispatcher.lanes.read()),
    within(registry.workers()),
    within(registry.metrics()),
    within(database.batches.countAllUnfinished(MAX_COUNTED)),
    within(database.webhookDeliveries.countPending(MAX_COUNTED)),
  ]);
  const depth = gauge('chorus_queue_depth', 'Jobs waiting in the queue of a pool.', ['pool']);
  const age = gauge('chorus_queue_age_seconds', 'How long the oldest waiting job of a pool has waited.', ['pool']);
  for (const { pool, waiting, oldestMs } of queues ?? []) {
    depth.set({ pool }, waiting);
    age.set({ pool }, oldestMs / 1_000);
  }
  addLaneGauges(shared, lanes ?? []);
  const alive = gauge('chorus_workers', 'Worker processes that are alive.', ['pool']);
  if (workers)
    for (const pool of [...POOLS, MAINTENANCE])
      alive.set({ pool }, workers.filter((worker) => worker.alive && worker.pool === pool).length);
  const count = (name: string, help: string, value: number | undefined) => {
    if (value !== undefined) gauge(name, help).set(value);
  };
  count('chorus_batches_unfinished', 'Batches that have not ended.', batches);
  count('chorus_webhook_deliveries_pending', 'Webhooks that are due or will be tried again.', webhooks);
  const own = await shared.metrics();
  if (!published || published.length === 0) return own;
  return `${own}\n${await AggregatorRegistry.aggregate(published as object[]).metrics()}`;
}
