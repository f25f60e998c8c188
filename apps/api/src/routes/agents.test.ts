import { Feeder } from '@chorus/batches';
import { newId } from '@chorus/contract';
import { connectRedis } from '@chorus/events';
import { planBatchItem } from '@chorus/jobs';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { startTestApi, type TestApi } from '../test-api.ts';
import { publishChatModels } from '../test-chat.ts';

const MODEL = 'embedded/assistant';

let api: TestApi;
beforeAll(async () => {
  api = await startTestApi({ DEFAULT_MODEL: MODEL });
  await publishChatModels(api, [MODEL, 'embedded/other']);
});
afterAll(() => api.stop());

const GARDENER = {
  name: 'Gardener',
  instructions: 'You speak of gardens.',
  model: 'embedded/other',
  temperature: 0.2,
  knowledge_tags: ['plants'],
  voice: 'amy',
  fallbacks: [MODEL],
};

const PLANTS = JSON.stringify({
  openapi: '3.1.0',
  servers: [{ url: 'https://plants.example.org/v1' }],
  paths: { '/plants': { get: { operationId: 'listPlants', summary: 'Lists plants' } } },
});

const created = async (fields: object = GARDENER) => (await api.call('POST', '/agents', { body: fields })).body;

/** Returns the input of a chat turn with this agent. */
async function jobOf(body: object, agentId?: string) {
  const headers = { prefer: 'respond-async', ...(agentId === undefined ? {} : { 'x-agent-id': agentId }) };
  const answer = await api.call('POST', '/chat/completions', { body, headers });
  expect(answer.status).toBe(200);
  const { id: user_id } = (await api.call('GET', '/me')).body;
  const owner = { scope: 'personal', user_id, workspace_id: null } as const;
  const record = await api.services.database.executions.get(owner, answer.body.id);
  return { id: answer.body.id, session_id: answer.body.session_id, input: record?.input ?? {} };
}

test('have tools, limits, and approval', async () => {
  const plain = await created({ name: 'Plain' });
  expect(plain).toMatchObject({ tools: [], max_steps: 8, approval: 'writes', max_cost_usd: null });
  const [server, plants] = await Promise.all([
    api.call('POST', '/mcp-servers', { body: { name: 'Pumps', url: 'https://mcp.example.org/mcp' } }),
    api.call('POST', '/tool-apis', { body: { name: 'Plants', document: PLANTS } }),
  ]);
  const work = {
    tools: [
      { type: 'knowledge_search', tags: ['plants'] },
      { type: 'web_fetch' },
      { type: 'http', api_id: plants.body.id, operations: ['listPlants'] },
      { type: 'mcp', server_id: server.body.id, approval: 'always' },
    ],
    max_steps: 3,
    approval: ['water'],
    max_cost_usd: 0.5,
  };
  const acting = await created({ name: 'Acting', ...work });
  expect(acting).toMatchObject(work);
  const path = `/agents/${acting.id}`;
  expect((await api.call('PATCH', path, { body: { approval: 'never' } })).body).toMatchObject({
    ...work,
    approval: 'never',
  });
  expect((await api.call('GET', path)).body).toMatchObject({ tools: work.tools });
  const refused = async (fields: object) => {
    const { status, body } = await api.call('POST', '/agents', { body: { name: 'x', ...fields } });
    return [status, body.error.details[0].path];
  };
  expect(await refused({ tools: [{ type: 'shell' }] })).toEqual([400, 'body.tools.0.type']);
  expect(await refused({ tools: [{ type: 'web_fetch', approval: 'never' }] })).toEqual([400, 'body.tools.0.approval']);
  const unknown = [{ type: 'web_fetch' }, { type: 'mcp', server_id: plants.body.id }];
  expect(await refused({ tools: unknown })).toEqual([400, 'body.tools.1.server_id']);
  const patched = await api.call('PATCH', path, {
    body: { tools: [{ ...work.tools[2], operations: ['burnPlants'] }] },
  });
  expect([patched.status, patched.body.error.details[0].path]).toEqual([400, 'body.tools.0.operations.0']);
  expect(await refused({ max_steps: 51 })).toEqual([400, 'body.max_steps']);
  expect(await refused({ approval: 'sometimes' })).toEqual([400, 'body.approval']);
  expect(await refused({ max_cost_usd: 0 })).toEqual([400, 'body.max_cost_usd']);
});

test('are created, read, listed, updated and deleted', async () => {
  const made = await api.call('POST', '/agents', { body: GARDENER });
  expect(made.status).toBe(200);
  expect(made.body).toMatchObject({ object: 'agent', ...GARDENER });
  const { id } = made.body;
  expect((await api.call('GET', `/agents/${id}`)).body).toEqual(made.body);
  const plain = await created({ name: 'Plain' });
  expect(plain).toMatchObject({ instructions: null, model: null, temperature: null, knowledge_tags: [], voice: null });
  const listed = await api.call('GET', '/agents?limit=1');
  expect(listed.body).toMatchObject({ data: [{ id: plain.id }], has_more: true, next_cursor: plain.id });

  const changed = await api.call('PATCH', `/agents/${id}`, { body: { temperature: null, name: 'Gardener 2' } });
  expect(changed.body).toMatchObject({ ...GARDENER, name: 'Gardener 2', temperature: null });
  expect((await api.call('PATCH', `/agents/${id}`, { body: {} })).status).toBe(400);
  expect((await api.call('POST', '/agents', { body: { name: 'x', model: 'no-provider' } })).status).toBe(400);

  expect((await api.call('DELETE', `/agents/${id}`)).body).toEqual({ id, object: 'agent', deleted: true });
  expect((await api.call('GET', `/agents/${id}`)).status).toBe(404);
  const audit = await api.call('GET', '/audit?action=agent.deleted');
  expect(audit.body.data[0]).toMatchObject({ target: { type: 'agent', id }, details: {} });
});

describe('in a batch', () => {
  const messages = [{ role: 'user', content: 'Hi' }];

  /** Creates a batch with an agent's chat, runs `before` and then a feeder, and returns the fed item. */
  async function fed(agentId: string, before: () => Promise<unknown> = async () => undefined) {
    const { services } = api;
    const items = [{ kind: 'chat.completion', body: { messages } }];
    const { body } = await api.call('POST', '/batches', { body: { items }, headers: { 'x-agent-id': agentId } });
    await before();
    const redis = connectRedis({ url: api.redis.url, cluster: false }, 'worker');
    const feeder = new Feeder({
      ...services,
      redis,
      planner: (kind, request, requester) => planBatchItem(kind, request, requester, services),
      limits: { maxDepth: 100, window: 10 },
      publishToFeed: services.eventLog.publishToFeed,
      onEnd: async () => undefined,
    });
    onTestFinished(async () => {
      await feeder.close();
      redis.disconnect();
    });
    for (;;) {
      const [item] = (await api.call('GET', `/batches/${body.id}/items`)).body.data;
      if (item.status !== 'waiting') return item;
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  }

  test('applies as it does to a single chat', async () => {
    const { id } = await created();
    const { execution_id } = await fed(id);
    const { id: user_id } = (await api.call('GET', '/me')).body;
    const owner = { scope: 'personal', user_id, workspace_id: null } as const;
    const record = await api.services.database.executions.get(owner, execution_id);
    const { input } = await jobOf({ messages }, id);
    expect(record).toMatchObject({ model: GARDENER.model, input });
    expect(record?.input).toEqual(input);
    expect(input).toMatchObject({ instructions: GARDENER.instructions, knowledge: { tags: ['plants'] } });
  });

  test('fails the item if it is deleted before the turn', async () => {
    const { id } = await created();
    const item = await fed(id, () => api.call('DELETE', `/agents/${id}`));
    expect(item).toMatchObject({ status: 'failed', execution_id: null, error: { code: 'not_found' } });
  });
});

test('provides instructions to a chat, and default model and temperature', async () => {
  const { id } = await created();
  const { input } = await jobOf({ message: 'Hello' }, id);
  expect(input).toMatchObject({
    model: 'embedded/other',
    settings: { temperature: 0.2 },
    instructions: 'You speak of gardens.',
    fallbacks: [MODEL],
  });
  const named = await jobOf({ messages: [{ role: 'user', content: 'Hi' }], model: MODEL, temperature: 1 }, id);
  expect(named.input).toMatchObject({
    model: MODEL,
    settings: { temperature: 1 },
    instructions: 'You speak of gardens.',
  });
  expect(named.input).not.toHaveProperty('fallbacks');
});

test('stays with the session it created until it is deleted', async () => {
  const { id } = await created();
  const { session_id } = await jobOf({ message: 'Hello' }, id);
  const session = await api.call('GET', `/sessions/${session_id}`);
  expect(session.body.agent_id).toBe(id);
  await api.call('POST', `/jobs/${session.body.active_execution_id}/cancel`);

  const next = await jobOf({ message: 'And then?', session_id });
  expect(next.input).toMatchObject({ instructions: 'You speak of gardens.', model: 'embedded/other' });
  await api.call('POST', `/jobs/${next.id}/cancel`);
  await api.call('DELETE', `/agents/${id}`);
  const without = await jobOf({ message: 'And now?', session_id });
  expect(without.input).not.toHaveProperty('instructions');
  expect(without.input.model).toBe(MODEL);

  const opened = await api.call('POST', '/sessions', { body: {}, headers: { 'x-agent-id': (await created()).id } });
  expect(opened.body.agent_id).toMatch(/^agt_/);
});

test('is unknown in another scope, like one that never existed', async () => {
  const { id } = await created();
  const workspace = (await api.call('POST', '/workspaces', { body: { name: 'Elsewhere' } })).body;
  const there = { 'x-scope-type': 'workspace', 'x-workspace-id': workspace.id };
  for (const headers of [{ ...there, 'x-agent-id': id }, { 'x-agent-id': newId('agent') }, { 'x-agent-id': 'agt_x' }]) {
    const answer = await api.call('GET', '/sessions', { headers });
    expect([answer.status, answer.body.error.code]).toEqual([422, 'invalid_header']);
  }
  expect((await api.call('GET', `/agents/${id}`, { headers: there })).status).toBe(404);
  expect((await api.call('GET', '/sessions', { headers: { 'x-agent-id': id } })).status).toBe(200);
});
