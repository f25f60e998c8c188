import type { WorkerHealth } from '@chorus/contract';
import { connectRedis, type RedisConnection, redisTime } from '@chorus/events';
import { WORKER_ALIVE_MS, WORKER_METRICS_KEY, WORKERS_KEY } from '@chorus/executions';
import { startRedis, type TestRedis } from '@chorus/testing';
import { afterAll, beforeAll, beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import { silent } from './test-queue.ts';
import { createWorkerRegistry } from './worker-registry.ts';

let server: TestRedis;
let redis: RedisConnection;

beforeAll(async () => {
  server = await startRedis();
  redis = connectRedis({ url: server.url, cluster: false }, 'request');
  redis.on('error', () => undefined);
});
afterAll(async () => {
  redis.disconnect();
  await server.stop();
});
beforeEach(() => redis.flushall());

const health: WorkerHealth = {
  pool: 'text',
  pid: 7,
  host: 'here',
  active: 1,
  concurrency: 256,
  models: [],
  providers: [{ name: 'embedded', status: 'ok', any_model: false }],
  default_model: 'embedded/assistant',
  started_at: new Date(0).toISOString(),
};

async function publish(id: string, ageMs: number, entry: unknown = health): Promise<void> {
  await redis.hset(WORKERS_KEY, id, JSON.stringify({ at: (await redisTime(redis)) - ageMs, health: entry }));
  await redis.hset(WORKER_METRICS_KEY, id, JSON.stringify([{ name: id }]));
}

test('lists no workers before one has reported', async () => {
  const registry = createWorkerRegistry(redis, silent);
  expect(await registry.workers()).toEqual([]);
  expect(await registry.metrics()).toEqual([]);
});

test('distinguishes living and dead workers by their last report', async () => {
  // The clock of this machine is wrong by two hours.
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() - 7_200_000 });
  onTestFinished(() => void vi.useRealTimers());
  await publish('lives', WORKER_ALIVE_MS / 2);
  await publish('died', WORKER_ALIVE_MS);
  const registry = createWorkerRegistry(redis, silent);
  const workers = await registry.workers();
  expect(workers).toHaveLength(2);
  expect(workers).toContainEqual({ ...health, id: 'lives', alive: true });
  expect(workers).toContainEqual({ ...health, id: 'died', alive: false });
  expect(await registry.metrics()).toEqual([[{ name: 'lives' }]]);
});

test('skips unreadable reports, and warns about each once', async () => {
  await publish('good', 0);
  await publish('from a later version', 0, { shape: 'other' });
  await redis.hset(WORKERS_KEY, 'broken', '{"at":');
  await redis.hset(WORKER_METRICS_KEY, 'broken', '{"at":');
  const warn = vi.spyOn(silent, 'warn');
  onTestFinished(() => warn.mockRestore());
  const registry = createWorkerRegistry(redis, silent);
  registry.expectChange();
  for (let at = 0; at < 2; at += 1) expect((await registry.workers()).map(({ id }) => id)).toEqual(['good']);
  expect(await registry.metrics()).toHaveLength(1);
  expect(warn.mock.calls.map(([about]) => (about as unknown as { worker: string }).worker).sort()).toEqual([
    'broken',
    'from a later version',
  ]);
});

test('drops unknown capabilities of models from a later version', async () => {
  const model = { id: 'a/b', object: 'model', created: 0, owned_by: 'a', context_window: null };
  await publish('later', 0, { ...health, models: [{ ...model, capabilities: ['chat', 'telepathy'] }] });
  const [worker] = await createWorkerRegistry(redis, silent).workers();
  expect(worker?.models).toEqual([{ ...model, capabilities: ['chat'] }]);
});

test('concurrent callers share one read', async () => {
  const reads = async () => /hgetall:calls=(\d+)/.exec(await redis.info('commandstats'))?.[1];
  const registry = createWorkerRegistry(redis, silent);
  const before = Number((await reads()) ?? 0);
  await Promise.all(Array.from({ length: 50 }, () => registry.workers()));
  expect(Number(await reads())).toBe(before + 1);
});

test('does not cache a failed read', async () => {
  await publish('lives', 0);
  const registry = createWorkerRegistry(redis, silent);
  await server.kill();
  await expect(registry.workers()).rejects.toThrow();
  await server.restart();
  expect((await registry.workers()).map(({ id }) => id)).toEqual(['lives']);
});
