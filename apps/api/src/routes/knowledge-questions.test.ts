import { newId, type Owner } from '@chorus/contract';
import { cancelledOutcome, settle } from '@chorus/executions';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestApi, type TestApi } from '../test-api.ts';
import { publishChatModels } from '../test-chat.ts';

const MODEL = 'embedded/assistant';
const later = { prefer: 'respond-async' };

let api: TestApi;
let owner: Owner;
beforeAll(async () => {
  api = await startTestApi({ DEFAULT_MODEL: MODEL });
  await publishChatModels(api, [MODEL, 'embedded/other']);
  owner = { scope: 'personal', user_id: (await api.call('GET', '/me')).body.id, workspace_id: null };
});
afterAll(() => api.stop());

/** Returns the input of an execution. */
const inputOf = async (id: string) => (await api.services.database.executions.get(owner, id))?.input;

test('queues a question with its filters, and the agent’s tags by default', async () => {
  const agent = { name: 'Gardener', instructions: 'Be brief.', temperature: 0.2, knowledge_tags: ['plants'] };
  const { id: agentId } = (await api.call('POST', '/agents', { body: agent })).body;
  const inputs = async (path: string, body: object, headers = {}) => {
    const answer = await api.call('POST', path, { body, headers: { ...later, ...headers } });
    expect([answer.status, answer.body.status]).toEqual([200, 'queued']);
    return inputOf(answer.body.id);
  };
  const asAgent = { 'x-agent-id': agentId };
  const ask = '/console/knowledge/ask';
  const entry = newId('knowledge');
  const question = 'When?';
  expect(await inputs(ask, { question, top_k: 3, entry_ids: [entry] })).toMatchObject({
    model: MODEL,
    question,
    knowledge: { top_k: 3, entry_ids: [entry] },
  });
  expect(await inputs(ask, { question }, asAgent)).toMatchObject({
    instructions: 'Be brief.',
    settings: { temperature: 0.2 },
    knowledge: { top_k: 8, tags: ['plants'] },
  });
  expect(await inputs(ask, { question, tags: ['x'], model: 'embedded/other' }, asAgent)).toMatchObject({
    model: 'embedded/other',
    knowledge: { top_k: 8, tags: ['x'] },
  });
  expect(await inputs('/console/knowledge/search', { query: 'mill', top_k: 2 })).toEqual({
    query: 'mill',
    knowledge: { top_k: 2 },
  });

  const chat = (more: object, headers = {}) => inputs('/chat/completions', { message: 'Hi', ...more }, headers);
  expect(await chat({}, asAgent)).toMatchObject({ knowledge: { top_k: 8, tags: ['plants'] } });
  expect(await chat({ knowledge: { top_k: 2 } }, asAgent)).toMatchObject({ knowledge: { top_k: 2, tags: ['plants'] } });
  expect(await chat({ knowledge: {} })).toMatchObject({ knowledge: { top_k: 8 } });
  for (const [more, headers] of [
    [{}, {}],
    [{ knowledge: null }, asAgent],
  ] as const)
    expect(await chat(more, headers)).not.toHaveProperty('knowledge');
  for (const knowledge of [{ top_k: 0 }, { entry_ids: ['x'] }, { other: 1 }, []])
    expect((await api.call('POST', '/chat/completions', { body: { message: 'Hi', knowledge } })).status).toBe(400);
});

test('a question locks its session, becomes a message, and is retried with its current text', async () => {
  const { id: session_id } = (await api.call('POST', '/sessions', { body: {} })).body;
  const body = { question: 'When?', session_id };
  const asked = await api.call('POST', '/console/knowledge/ask', { body, headers: later });
  expect(asked.body).toMatchObject({ kind: 'knowledge.ask', surface: 'knowledge', session_id });
  const refused = await api.call('POST', '/console/knowledge/ask', { body, headers: later });
  expect([refused.status, refused.body.error.code]).toEqual([409, 'session_locked']);
  expect(refused.body.error.active_execution_id).toBe(asked.body.id);
  for (const unknown of [newId('session'), 'ses_none']) {
    const lost = { body: { ...body, session_id: unknown }, headers: later };
    expect((await api.call('POST', '/console/knowledge/ask', lost)).status).toBe(404);
  }

  const { database } = api.services;
  await settle(database, { owner, id: asked.body.id, attempt: null, outcome: cancelledOutcome() });
  const [first] = (await api.call('GET', `/sessions/${session_id}/messages`)).body.data;
  expect(first).toMatchObject({ role: 'user', content: 'When?' });
  await api.call('PATCH', `/messages/${first.id}`, { body: { content: 'Where?' } });
  const again = await api.call('POST', `/jobs/${asked.body.id}/retry`, { body: {}, headers: later });
  expect(again.body).toMatchObject({ kind: 'knowledge.ask', retry_of: asked.body.id, session_id });
  expect(await inputOf(again.body.id)).toMatchObject({
    question: 'Where?',
    turn: { session_id, user_message_id: first.id, assistant_message_id: asked.body.message_id },
  });
});
