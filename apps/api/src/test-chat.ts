import type { Capability, ModelRecord, Pool, WorkerHealth } from '@chorus/contract';
import { WORKERS_KEY } from '@chorus/executions';
import type { TestApi } from './test-api.ts';

/** Tests publish with a future time, so that workers count as alive for a whole test file. */
const LASTS_MS = 3_600_000;

/** Publishes a worker's health, as of `at`. */
export async function publishWorker(api: TestApi, id: string, health: WorkerHealth, at = Date.now() + LASTS_MS) {
  await api.services.redis.hset(WORKERS_KEY, id, JSON.stringify({ at, health }));
}

/** Publishes a worker with these chat models. It takes no jobs, so they stay queued. */
export function publishChatModels(api: TestApi, ids: string[]): Promise<void> {
  return publishModels(api, 'text', Object.fromEntries(ids.map((id) => [id, ['chat']])));
}

/** Publishes a worker of any pool, with the capabilities of each model. */
export async function publishModels(
  api: TestApi,
  pool: Pool,
  models: Record<string, Capability[]>,
  { options = {}, ...more }: Partial<WorkerHealth> & { options?: Record<string, Partial<ModelRecord>> } = {},
): Promise<void> {
  const health: WorkerHealth = {
    pool,
    pid: 1,
    host: 'test',
    active: 0,
    concurrency: 4,
    models: Object.entries(models).map(([id, capabilities]) => ({
      id,
      object: 'model',
      created: 1_700_000_000,
      owned_by: id.split('/')[0] ?? '',
      capabilities,
      context_window: 8_192,
      ...options[id],
    })),
    providers: [],
    default_model: Object.keys(models)[0] ?? null,
    started_at: new Date().toISOString(),
    ...more,
  };
  await publishWorker(api, `test-${pool}`, health);
}
