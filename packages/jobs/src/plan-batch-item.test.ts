import { BATCH_BODIES, type BatchKind, newId, type Owner, type WorkerHealth } from '@chorus/contract';
import { expect, test } from 'vitest';
import type { JobServices } from './define-plan.ts';
import { planBatchItem } from './index.ts';

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
const servicesOf = (known: WorkerHealth[]) =>
  ({
    database: { assets: { get: async () => null } },
    registry: { recentWorkers: async () => known },
    config: { chat: { defaultModel: null }, iris: { imageModel: null, videoModel: null } },
    outbound: { check: () => undefined },
  }) as unknown as JobServices;
const requester = {
  owner,
  agent: null,
  apiKeyId: null,
  requestId: null,
  path: 'body.items.3.body',
  retryOf: null,
  begunAs: null,
};

const planned = (kind: BatchKind, body: object, known = workers) =>
  planBatchItem(kind, BATCH_BODIES[kind].parse(body), requester, servicesOf(known));

test('plans each kind as its route does', async () => {
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
  expect(await planned('chat.completion', { messages, temperature: 0.5, max_tokens: 9 })).toMatchObject({
    kind: 'chat.completion',
    model: 'test/talks',
    input: {
      model: 'test/talks',
      settings: { temperature: 0.5, max_tokens: 9 },
      source: { type: 'messages', messages },
    },
  });
});

test('plans an item with tools and a schema', async () => {
  const tools = [{ type: 'function', function: { name: 'look', parameters: { type: 'object' } } }];
  const response_format = { type: 'json_schema', json_schema: { name: 'place', schema: { type: 'object' } } };
  const messages = [{ role: 'user', content: 'Hi' }];
  const fields = { tools, tool_choice: 'required', response_format, reasoning_effort: 'low' };
  expect(await planned('chat.completion', { messages, ...fields, parallel_tool_calls: null })).toMatchObject({
    input: { settings: fields },
  });
  const blunt = { ...workers[0], models: [{ ...workers[0]?.models[0], unsupported_settings: ['tools'] }] };
  await expect(planned('chat.completion', { messages, tools }, [blunt as WorkerHealth])).rejects.toMatchObject({
    details: [{ path: 'body.items.3.body.tools', message: expect.stringContaining('test/talks cannot call tools') }],
  });
});

test('reports an invalid item with its path', async () => {
  for (const [kind, body, path] of [
    ['chat.completion', { messages: [{ role: 'user', content: 'Hi' }], model: 'none/x' }, 'model'],
    ['chat.completion', { messages: [{ role: 'function', content: 'x' }] }, 'messages.0.role'],
    ['iris.image', { prompt: 'x', model: 'none/x' }, 'model'],
    ['iris.ocr', { asset_id: newId('asset') }, 'asset_id'],
  ] as const) {
    const error = await planned(kind, body).catch((thrown) => thrown);
    expect([kind, error.details[0]?.path]).toEqual([kind, `body.items.3.body.${path}`]);
  }
});

test('asks for a retry if the pool has no worker', async () => {
  await expect(planned('iris.image', { prompt: 'x' }, [])).rejects.toMatchObject({ code: 'overloaded' });
});
