import { MAX_MODELS, POOLS, type Pool, type WorkerHealth } from '@chorus/contract';
import { z } from 'zod';
import { checkStores } from './check-stores.ts';
import { type QueueDepth, readQueues } from './read-queues.ts';
import type { Services } from './services.ts';
import { within } from './within.ts';

/** The pools without which chats are not well; the others are told of. */
const CHAT_NEEDS: ReadonlySet<string> = new Set<Pool>(['text', 'system']);

/** How long the workers' registry and the queues may take to answer, in milliseconds. */
const ANSWER_WITHIN_MS = 2_000;

const storeHealth = z.object({
  status: z.enum(['ok', 'failing']),
  latency_ms: z.number().nullable().describe('Null while it does not answer'),
});

/** What `GET /chat/health` answers. */
export const chatHealth = z.object({
  object: z.literal('chat.health'),
  status: z
    .enum(['ok', 'degraded', 'unavailable'])
    .describe('`degraded`: chat runs, but not all is well. `unavailable`: no chat can run'),
  store: storeHealth,
  redis: storeHealth,
  pools: z
    .array(
      z.object({
        name: z.string(),
        status: z.enum(['ok', 'missing']).describe('`missing`: no worker of this pool is alive'),
        workers: z.int(),
        active: z.int().describe('Jobs that run'),
        concurrency: z.int().describe('Jobs that can run at once'),
        waiting: z.int().nullable(),
        oldest_waiting_ms: z.int().nullable(),
      }),
    )
    .max(POOLS.length),
  models: z
    .array(
      z.object({
        id: z.string(),
        provider: z.string(),
        status: z.enum(['ok', 'failing', 'unknown']).describe("After its provider's last calls; `unknown`: none yet"),
        default: z.boolean(),
      }),
    )
    .max(MAX_MODELS),
  checked_at: z.iso.datetime(),
});
export type ChatHealth = z.infer<typeof chatHealth>;

/** Looks whether chats can run: the stores, the queues, the workers and their models. Takes at most some seconds. */
export async function checkChatHealth(
  services: Pick<Services, 'database' | 'redis' | 'dispatcher' | 'registry'>,
): Promise<ChatHealth> {
  const [stores, known, queues] = await Promise.all([
    checkStores(services),
    within(ANSWER_WITHIN_MS, services.registry.workers()),
    within(ANSWER_WITHIN_MS, readQueues(services.dispatcher)),
  ]);
  const workers = (known ?? []).filter((worker) => worker.alive);
  return judge(stores, workers, queues ?? []);
}

function judge(
  { store, redis }: Awaited<ReturnType<typeof checkStores>>,
  workers: WorkerHealth[],
  queues: QueueDepth[],
): ChatHealth {
  const pools = POOLS.map((name) => healthOfPool(name, workers, queues));
  const chatWorkers = workers.filter((worker) => worker.pool === 'text');
  const models = healthOfModels(chatWorkers);
  const anyModel = chatWorkers.some((worker) => worker.providers.some((provider) => provider.any_model));
  const possible =
    store.status === 'ok' && redis.status === 'ok' && chatWorkers.length > 0 && (models.length > 0 || anyModel);
  const well =
    pools.every(({ name, status }) => status === 'ok' || !CHAT_NEEDS.has(name)) &&
    models.every(({ status }) => status !== 'failing');
  return {
    object: 'chat.health',
    status: possible ? (well ? 'ok' : 'degraded') : 'unavailable',
    store,
    redis,
    pools,
    models,
    checked_at: new Date().toISOString(),
  };
}

function healthOfPool(name: Pool, workers: WorkerHealth[], queues: QueueDepth[]): ChatHealth['pools'][number] {
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

/** A model is as well as its provider is in the worker where it is best: one worker is enough to run it. */
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

const RANK = { failing: 0, unknown: 1, ok: 2 } as const;
