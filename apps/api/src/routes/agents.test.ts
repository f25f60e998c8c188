import { newId } from '@chorus/contract';
import { afterAll, beforeAll, expect, test } from 'vitest';
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

const created = async (fields: object = GARDENER) => (await api.call('POST', '/agents', { body: fields })).body;

/** What a chat turn with this agent was queued with. */
async function jobOf(body: object, agentId?: string) {
  const headers = { prefer: 'respond-async', ...(agentId === undefined ? {} : { 'x-agent-id': agentId }) };
  const answer = await api.call('POST', '/chat/completions', { body, headers });
  expect(answer.status).toBe(200);
  const { id: user_id } = (await api.call('GET', '/me')).body;
  const owner = { scope: 'personal', user_id, workspace_id: null } as const;
  const record = await api.services.database.executions.get(owner, answer.body.id);
  return { id: answer.body.id, session_id: answer.body.session_id, input: record?.input ?? {} };
}

test('are made, read, listed, changed and deleted', async () => {
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

test('gives a chat its instructions, and its model and temperature where the request names none', async () => {
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

test('stays with the session that it opened, until it is gone', async () => {
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

test('is unknown in another scope, and so is one that was never made', async () => {
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
