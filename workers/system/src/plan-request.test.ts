import { BATCH_BODIES, type BatchKind, newId, type Owner, type WorkerHealth } from '@chorus/contract';
import type { AssetRecord } from '@chorus/database';
import { expect, test } from 'vitest';
import { createRequestPlanner } from './plan-request.ts';

const owner: Owner = { scope: 'personal', user_id: newId('user'), workspace_id: null };

const worker = (pool: WorkerHealth['pool'], id: string, capability: string) => {
  const model = { id, object: 'model', created: 0, owned_by: 'test', capabilities: [capability], context_window: null };
  return {
    pool,
    models: [model],
    providers: [],
    default_model: pool === 'text' ? id : null,
  } as unknown as WorkerHealth;
};
const workers = [
  worker('text', 'test/talks', 'chat'),
  worker('media', 'test/draws', 'image'),
  worker('media', 'test/films', 'video'),
  worker('vision', 'test/reads', 'ocr'),
];
const assets = { get: async () => null as AssetRecord | null };
const none = { chatModel: null, imageModel: null, videoModel: null };
const plan = createRequestPlanner({
  database: { assets: assets as never },
  workers: async () => workers,
  defaults: none,
});

const planned = (kind: BatchKind, body: object) =>
  plan(kind, BATCH_BODIES[kind].parse(body), owner, 'body.items.3.body');

test('each kind becomes what its route makes of it', async () => {
  expect(await planned('iris.image', { prompt: 'A sun', size: '64x128' })).toMatchObject({
    kind: 'iris.image',
    model: 'test/draws',
    input: { prompts: ['A sun'], n: 1, size: { width: 64, height: 128 } },
  });
  expect(await planned('iris.video', { prompt: 'Waves' })).toMatchObject({ kind: 'iris.video', model: 'test/films' });
  const url = 'https://example.org/a.pdf';
  expect(await planned('iris.ocr', { url })).toMatchObject({
    kind: 'iris.ocr',
    input: { source: { type: 'url', url } },
  });
  expect(await planned('iris.verify', { url })).toMatchObject({ kind: 'iris.verify', model: null });
  const messages = [{ role: 'user', content: 'Hi' }];
  expect(await planned('chat.completion', { messages, temperature: 0.5, max_tokens: 9 })).toEqual({
    kind: 'chat.completion',
    model: 'test/talks',
    input: {
      model: 'test/talks',
      settings: { temperature: 0.5, max_tokens: 9 },
      source: { type: 'messages', messages },
    },
  });
});

test('what is wrong is told under its place', async () => {
  for (const [kind, body, path] of [
    ['chat.completion', { messages: [{ role: 'user', content: 'Hi' }], model: 'none/x' }, 'model'],
    ['chat.completion', { messages: [{ role: 'tool', content: 'x' }] }, 'messages.0.role'],
    ['iris.image', { prompt: 'x', model: 'none/x' }, 'model'],
    ['iris.ocr', { asset_id: newId('asset') }, 'asset_id'],
  ] as const) {
    const error = await planned(kind, body).catch((thrown) => thrown);
    expect([kind, error.details[0]?.path]).toEqual([kind, `body.items.3.body.${path}`]);
  }
});

test('without a worker of the pool it is to be tried later', async () => {
  const later = createRequestPlanner({
    database: { assets: assets as never },
    workers: async () => [],
    defaults: none,
  });
  const request = BATCH_BODIES['iris.image'].parse({ prompt: 'x' });
  await expect(later('iris.image', request, owner, 'body')).rejects.toMatchObject({ code: 'overloaded' });
});
