import type { WorkerHealth } from '@chorus/contract';
import { WORKERS_KEY } from '@chorus/executions';
import type { TestApi } from './test-api.ts';

/** Publishes a worker that can run these models, as workers do. It takes no jobs: what is queued stays so. */
export async function publishChatModels(api: TestApi, ids: string[]): Promise<void> {
  const health: WorkerHealth = {
    pool: 'text',
    pid: 1,
    host: 'test',
    active: 0,
    concurrency: 4,
    models: ids.map((id) => ({
      id,
      object: 'model',
      created: 1_700_000_000,
      owned_by: id.split('/')[0] ?? '',
      capabilities: ['chat'],
      context_window: 8_192,
    })),
    providers: [],
    default_model: ids[0] ?? null,
    started_at: new Date().toISOString(),
  };
  await api.services.redis.hset(WORKERS_KEY, 'test', JSON.stringify({ at: Date.now(), health }));
}
