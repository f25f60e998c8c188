import type { OcrEngine, WorkerHealth } from '@chorus/contract';
import { WORKER_METRICS_KEY } from '@chorus/executions';
import OpenAI from 'openai';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { startTestApi, type TestApi } from '../test-api.ts';
import { publishWorker } from '../test-chat.ts';

let api: TestApi;
beforeEach(async () => {
  api = await startTestApi();
});
afterEach(() => api.stop());

const model = (id: string): WorkerHealth['models'][number] => ({
  id,
  object: 'model',
  created: 1_700_000_000,
  owned_by: id.split('/')[0] ?? '',
  capabilities: ['chat'],
  context_window: 8_192,
});

async function publish(id: string, health: Partial<WorkerHealth>, at?: number): Promise<void> {
  const whole: WorkerHealth = {
    pool: 'text',
    pid: 1,
    host: 'test',
    active: 1,
    concurrency: 4,
    models: [],
    providers: [],
    default_model: null,
    started_at: new Date().toISOString(),
    ...health,
  };
  await publishWorker(api, id, whole, at);
}

test('lists the models of all live workers once, in a form that OpenAI’s client can read', async () => {
  await publish('one', { models: [model('openai/gpt-5'), model('embedded/assistant')] });
  await publish('two', { models: [model('openai/gpt-5')] });
  await publish('dead', { models: [model('openai/gone')] }, Date.now() - 3_600_000);

  const listed = await api.call('GET', '/models');
  expect(listed.status).toBe(200);
  expect(listed.body).toMatchObject({ object: 'list', has_more: false, next_cursor: null });
  expect(listed.body.data).toEqual([model('embedded/assistant'), model('openai/gpt-5')]);

  const page = (await api.call('GET', '/models?limit=1')).body;
  expect(page).toMatchObject({
    data: [{ id: 'embedded/assistant' }],
    has_more: true,
    next_cursor: 'embedded/assistant',
  });
  const rest = (await api.call('GET', `/models?limit=1&after=${encodeURIComponent(page.next_cursor)}`)).body;
  expect(rest).toMatchObject({ data: [{ id: 'openai/gpt-5' }], has_more: false, next_cursor: null });
  expect((await api.call('GET', '/models?limit=0')).status).toBe(400);

  const client = new OpenAI({
    baseURL: `${api.url}/api/v1`,
    apiKey: api.accessToken,
    defaultHeaders: { 'X-Scope-Type': 'personal' },
  });
  const ids: string[] = [];
  for await (const { id } of client.models.list()) ids.push(id);
  expect(ids).toEqual(['embedded/assistant', 'openai/gpt-5']);
});

test('chat health: a model counts by its healthiest provider', async () => {
  const ok = { name: 'openai', status: 'ok', any_model: false } as const;
  const failing = { name: 'openai', status: 'failing', any_model: false } as const;
  await publish('one', { models: [model('openai/gpt-5')], providers: [failing] });
  await publish('two', { models: [model('openai/gpt-5')], providers: [ok], default_model: 'openai/gpt-5' });
  await publish('maintenance', { pool: 'maintenance' });

  const health = await api.call('GET', '/chat/health');
  expect(health.status).toBe(200);
  expect(health.body).toMatchObject({
    status: 'ok',
    pools: expect.arrayContaining([
      { name: 'text', status: 'ok', workers: 2, active: 2, concurrency: 8, waiting: 0, oldest_waiting_ms: 0 },
      expect.objectContaining({ name: 'maintenance', status: 'ok', workers: 1 }),
      expect.objectContaining({ name: 'media', status: 'missing', workers: 0 }),
    ]),
    models: [{ id: 'openai/gpt-5', provider: 'openai', status: 'ok', default: true }],
  });
});

test('chat health: names the engines that read images, and their languages', async () => {
  const debian: OcrEngine = { name: 'tesseract', version: '5.3.0', languages: ['deu', 'eng'] };
  const bundled: OcrEngine = { name: 'tesseract.js', version: '7.0.0', languages: ['eng'] };
  for (const [id, ocr] of Object.entries({ one: debian, two: debian, three: bundled }))
    await publish(id, { pool: 'vision', ocr });
  const { body } = await api.call('GET', '/chat/health');
  expect(body.ocr).toEqual([
    { ...debian, workers: 2 },
    { ...bundled, workers: 1 },
  ]);
});

test('chat health: a failing provider degrades, but does not cause a 503', async () => {
  const failing = { name: 'openai', status: 'failing', any_model: false } as const;
  await publish('one', { models: [model('openai/gpt-5')], providers: [failing] });
  await publish('maintenance', { pool: 'maintenance' });
  const health = await api.call('GET', '/chat/health');
  expect([health.status, health.body.status, health.body.models[0].status]).toEqual([200, 'degraded', 'failing']);
});

test('chat health: a provider that accepts any model name is enough to chat', async () => {
  await publish('one', { providers: [{ name: 'compatible', status: 'unknown', any_model: true }] });
  const health = await api.call('GET', '/chat/health');
  expect([health.status, health.body.status]).toEqual([200, 'degraded']); // no maintenance process
});

test('platform metrics have those of each live worker, and the shared state', async () => {
  await publish('one', {});
  await publish('two', {});
  const tokens = (process: string, value: number) => [
    {
      name: 'chorus_tokens_total',
      help: 'Tokens',
      type: 'counter',
      aggregator: 'sum',
      values: [{ value, labels: { model: 'openai/gpt-5', direction: 'output', pool: 'text', process } }],
    },
  ];
  await api.services.redis.hset(WORKER_METRICS_KEY, 'one', JSON.stringify(tokens('host:1', 3)));
  await api.services.redis.hset(WORKER_METRICS_KEY, 'two', JSON.stringify(tokens('host:2', 4)));
  // A scrape skips metrics that are late.
  const read = async () => (await api.call('GET', '/metrics/platform')).body;
  const ofWorker = (process: string) =>
    `chorus_tokens_total{model="openai/gpt-5",direction="output",pool="text",process="${process}"}`;
  const expected = [
    `${ofWorker('host:1')} 3`,
    `${ofWorker('host:2')} 4`,
    'chorus_workers{pool="text"} 2',
    'chorus_queue_depth{pool="text"} 0',
    'chorus_queue_age_seconds{pool="text"} 0',
    'chorus_batches_unfinished 0',
    'chorus_webhook_deliveries_pending 0',
  ];
  await expect.poll(async () => (await read()).split('\n')).toEqual(expect.arrayContaining(expected));
  // Each API process exports only its own, so that sums over all of them are correct.
  expect((await api.call('GET', '/metrics')).body).not.toMatch(/chorus_(tokens_total|queue_depth|workers)/);
});
