import {
  MAINTENANCE,
  MAX_COMPONENTS,
  MAX_MODELS,
  missingComponent,
  ocrEngine,
  POOLS,
  type WorkerHealth,
} from '@chorus/contract';
import { checkRedisWrites } from '@chorus/events';
import { valueWithin } from '@chorus/runtime/timing';
import { z } from 'zod';
import { type QueueDepth, readQueues } from './metrics.ts';
import type { Services } from './services.ts';

/** A store, registry, or queue that takes longer than this counts as down. */
const RESPONSE_TIMEOUT_MS = 2_000;

export interface StoreHealth {
  status: 'ok' | 'failing';
  /** Null while it does not respond. */
  latency_ms: number | null;
}

/** Anyone may ask, so the stores are written to at most once a second. */
const RECENT_MS = 1_000;

const recent = new WeakMap<object, { at: number; store: Promise<void>; redis: Promise<void> }>();

function recentWrites({ database, redis }: Pick<Services, 'database' | 'redis'>) {
  const last = recent.get(database);
  if (last !== undefined && performance.now() - last.at < RECENT_MS) return last;
  const checks = { at: performance.now(), store: database.checkWrites(), redis: checkRedisWrites(redis) };
  for (const check of [checks.store, checks.redis]) check.catch(() => undefined); // awaited below
  recent.set(database, checks);
  return checks;
}

/** Checks whether the stores answer, and take writes. */
export async function checkStores(
  services: Pick<Services, 'database' | 'redis'>,
): Promise<{ store: StoreHealth; redis: StoreHealth }> {
  const writes = recentWrites(services);
  const [store, redis] = await Promise.all([
    time(() => Promise.all([services.database.ping(), writes.store])),
    time(() => Promise.all([services.redis.ping(), writes.redis])),
  ]);
  return { store, redis };
}

/** Returns whether a worker is alive that can run a chat. */
export async function checkChatWorkers({ registry }: Pick<Services, 'registry'>): Promise<'ok' | 'failing'> {
  const workers = await valueWithin(registry.workers(), RESPONSE_TIMEOUT_MS);
  return canChat((workers ?? []).filter(({ alive }) => alive)) ? 'ok' : 'failing';
}

function canChat(workers: readonly WorkerHealth[]): boolean {
  return workers.some(
    ({ pool, models, providers }) =>
      pool === 'text' &&
      (models.some(({ capabilities }) => capabilities.includes('chat')) || providers.some((one) => one.any_model)),
  );
}

/** Returns whether the first user exists. Until then, no one can log in. */
export async function checkFirstUser({ accounts }: Pick<Services, 'accounts'>): Promise<'ok' | 'failing'> {
  return (await valueWithin(accounts.users.any(), RESPONSE_TIMEOUT_MS)) === true ? 'ok' : 'failing';
}

/** Checks the object storage by looking up an object that need not exist. */
export const checkObjects = ({ blobs }: Pick<Services, 'blobs'>): Promise<StoreHealth> =>
  time(() => blobs.stat('ready'));

async function time(ask: () => Promise<unknown>): Promise<StoreHealth> {
  const start = performance.now();
  const asking = ask().then(() => true);
  const answered = await valueWithin(asking, RESPONSE_TIMEOUT_MS);
  if (!answered) return { status: 'failing', latency_ms: null };
  return { status: 'ok', latency_ms: Math.round((performance.now() - start) * 10) / 10 };
}

/** Setups with different OCR engines. */
const MAX_OCR_ENGINES = 20;

const POOL_NAMES = [...POOLS, MAINTENANCE];

/** Pools without which chat is degraded. */
const CHAT_NEEDS: ReadonlySet<string> = new Set(['text', MAINTENANCE]);

const storeHealth = z.object({
  status: z.enum(['ok', 'failing']),
  latency_ms: z.number().nullable().describe('Null while it does not respond'),
});

/** The response of `GET /chat/health`. */
export const chatHealth = z.object({
  object: z.literal('chat.health'),
  status: z
    .enum(['ok', 'degraded', 'unavailable'])
    .describe('`degraded`: chat works, but something is wrong. `unavailable`: no chat can run'),
  store: storeHealth.describe('State of the database'),
  redis: storeHealth,
  pools: z
    .array(
      z.object({
        name: z.string(),
        status: z.enum(['ok', 'missing']).describe('`missing`: no worker of this pool is alive'),
        workers: z.int(),
        active: z.int().describe('Running jobs'),
        concurrency: z.int().describe('Jobs that can run at once'),
        waiting: z.int().nullable(),
        oldest_waiting_ms: z.int().nullable(),
      }),
    )
    .max(POOL_NAMES.length),
  models: z
    .array(
      z.object({
        id: z.string(),
        provider: z.string(),
        status: z
          .enum(['ok', 'failing', 'unknown'])
          .describe("From its provider's latest calls. `unknown`: no calls yet"),
        default: z.boolean(),
      }),
    )
    .max(MAX_MODELS),
  ocr: z
    .array(ocrEngine.extend({ workers: z.int() }))
    .max(MAX_OCR_ENGINES)
    .describe('Engines that read text from images: usually one, and one per setup if machines differ'),
  missing: z
    .array(missingComponent.extend({ pools: z.array(z.string()).max(POOL_NAMES.length) }))
    .max(MAX_COMPONENTS)
    .describe('What machines of workers lack. Requests that need it fail with `feature_unavailable`'),
  checked_at: z.iso.datetime(),
});
export type ChatHealth = z.infer<typeof chatHealth>;

/** Checks whether chats can run: the stores, queues, workers and models. Takes a few seconds at most. */
export async function checkChatHealth(
  services: Pick<Services, 'database' | 'redis' | 'dispatcher' | 'registry'>,
): Promise<ChatHealth> {
  const [stores, known, queues] = await Promise.all([
    checkStores(services),
    valueWithin(services.registry.workers(), RESPONSE_TIMEOUT_MS),
    valueWithin(readQueues(services.dispatcher), RESPONSE_TIMEOUT_MS),
  ]);
  const workers = (known ?? []).filter((worker) => worker.alive);
  return judge(stores, workers, queues ?? []);
}

function judge(
  { store, redis }: Awaited<ReturnType<typeof checkStores>>,
  workers: WorkerHealth[],
  queues: QueueDepth[],
): ChatHealth {
  const pools = POOL_NAMES.map((name) => healthOfPool(name, workers, queues));
  const chatWorkers = workers.filter((worker) => worker.pool === 'text');
  const models = healthOfModels(chatWorkers);
  const possible = store.status === 'ok' && redis.status === 'ok' && canChat(workers);
  const missing = missingOf(workers);
  const well =
    missing.every(({ optional }) => optional) &&
    pools.every(({ name, status }) => status === 'ok' || !CHAT_NEEDS.has(name)) &&
    models.every(({ status }) => status !== 'failing');
  return {
    object: 'chat.health',
    status: possible ? (well ? 'ok' : 'degraded') : 'unavailable',
    store,
    redis,
    pools,
    models,
    ocr: enginesOf(workers),
    missing,
    checked_at: new Date().toISOString(),
  };
}

function healthOfPool(name: string, workers: WorkerHealth[], queues: QueueDepth[]): ChatHealth['pools'][number] {
  const members = workers.filter((worker) => worker.pool === name);
  const queue = queues.find(({ pool }) => pool === name);
  return {
    name,
    status: members.length > 0 ? 'ok' : 'missing',
    workers: members.length,
    active: members.reduce((sum, worker) => sum + worker.active, 0),
    concurrency: members.reduce((sum, worker) => sum + worker.concurrency, 0),
    waiting: queue?.waiting ?? null,
    oldest_waiting_ms: queue ? Math.round(queue.oldestMs) : null,
  };
}

/** Returns each model's best health among all workers, since one worker is enough to run it. */
function healthOfModels(workers: WorkerHealth[]): ChatHealth['models'] {
  const models = new Map<string, ChatHealth['models'][number]>();
  for (const worker of workers) {
    for (const { id, owned_by, capabilities } of worker.models) {
      if (!capabilities.includes('chat')) continue;
      const status = worker.providers.find(({ name }) => name === owned_by)?.status ?? 'unknown';
      const seen = models.get(id);
      if (seen && RANK[seen.status] >= RANK[status]) continue;
      models.set(id, { id, provider: owned_by, status, default: worker.default_model === id });
    }
  }
  return [...models.values()].sort((one, other) => (one.id < other.id ? -1 : 1));
}

/** Counts the workers that read images by engine. */
function enginesOf(workers: WorkerHealth[]): ChatHealth['ocr'] {
  const engines = new Map<string, ChatHealth['ocr'][number]>();
  for (const { ocr, pool } of workers) {
    if (ocr === undefined || pool !== 'vision') continue;
    const key = JSON.stringify(ocr);
    engines.set(key, { ...ocr, workers: (engines.get(key)?.workers ?? 0) + 1 });
  }
  const sorted = [...engines].sort(([one], [other]) => (one < other ? -1 : 1));
  return sorted.slice(0, MAX_OCR_ENGINES).map(([, engine]) => engine);
}

/** Returns each missing component once, with the pools that lack it. */
function missingOf(workers: WorkerHealth[]): ChatHealth['missing'] {
  const all = new Map<string, ChatHealth['missing'][number]>();
  for (const { pool, missing = [] } of workers)
    for (const component of missing) {
      const { pools } = all.get(component.name) ?? { pools: [] };
      all.set(component.name, { ...component, pools: [...new Set([...pools, pool])].sort() });
    }
  return [...all.values()].sort((one, other) => (one.name < other.name ? -1 : 1)).slice(0, MAX_COMPONENTS);
}

const RANK = { failing: 0, unknown: 1, ok: 2 } as const;
