import { type Message, newId } from '@chorus/contract';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestServer, type TestServer } from '../test-server.ts';

let api: TestServer;
beforeAll(async () => {
  api = await startTestServer();
});
afterAll(() => api.stop());

const tools = [{ type: 'function', function: { name: 'weather', parameters: { type: 'object' } } }];
const delta = (number: number, args: string) => ({
  ...{ type: 'tool_call.delta', index: number + 1, call: number, id: `call_${number}`, name: 'weather', first: true },
  arguments_delta: args,
});
const calls = (secret = 'Oslo') =>
  `emit ${JSON.stringify([
    { type: 'reasoning.delta', index: 0, delta: `They ask about ${secret}.` },
    delta(0, `{"city":"${secret}"}`),
    delta(1, '{}'),
  ])}`;

const chat = (body: object) => api.call('POST', '/chat/completions', { body });
const messagesOf = async (session: string): Promise<Message[]> =>
  (await api.call('GET', `/sessions/${session}/messages`)).body.data;

async function openCalls(secret?: string) {
  const { body } = await chat({ message: calls(secret), tools });
  expect(body).toMatchObject({ status: 'succeeded', choices: [{ finish_reason: 'tool_calls' }] });
  return body as { id: string; session_id: string; message_id: string };
}

const outputs = (last = 'count 2') => [
  { tool_call_id: 'call_1', output: last },
  { tool_call_id: 'call_0', output: 'sunny' },
];

test('a session keeps the calls of an answer, and continues with their results', async () => {
  const { session_id, message_id, id } = await openCalls();
  const answer = (await api.call('GET', `/messages/${message_id}`)).body;
  expect(answer).toMatchObject({
    role: 'assistant',
    content: '',
    reasoning_content: 'They ask about Oslo.',
    tool_calls: [
      { id: 'call_0', type: 'function', function: { name: 'weather', arguments: '{"city":"Oslo"}' } },
      { id: 'call_1', type: 'function', function: { name: 'weather', arguments: '{}' } },
    ],
    tool_call_id: null,
    status: 'succeeded',
    execution_id: id,
  });

  const blocked = await chat({ message: 'count 1', session_id });
  expect([blocked.status, blocked.body.error.details]).toEqual([
    400,
    [{ path: 'body.message', message: expect.stringContaining('call_0, call_1') }],
  ]);
  const wrong = await chat({ session_id, tool_outputs: [{ tool_call_id: 'call_9', output: '' }] });
  expect([wrong.status, wrong.body.error.details[0].path]).toEqual([400, 'body.tool_outputs.0.tool_call_id']);

  const continued = await chat({ session_id, tool_outputs: outputs(), tools });
  expect(continued.body).toMatchObject({
    status: 'succeeded',
    session_id,
    choices: [{ message: { content: '1 2 ' } }],
  });
  expect(
    (await messagesOf(session_id)).map(({ role, tool_call_id, content }) => [role, tool_call_id, content]),
  ).toEqual([
    ['user', null, calls()],
    ['assistant', null, ''],
    ['tool', 'call_0', 'sunny'],
    ['tool', 'call_1', 'count 2'],
    ['assistant', null, '1 2 '],
  ]);
  expect((await api.call('GET', `/sessions/${session_id}`)).body.message_count).toBe(5);
});

test('a failed turn runs again with the same results', async () => {
  const { session_id } = await openCalls();
  const failed = (await chat({ session_id, tool_outputs: outputs('fail') })).body;
  expect(failed.status).toBe('failed');
  const [, , , result] = await messagesOf(session_id);
  await api.call('PATCH', `/messages/${result?.id}`, { body: { content: 'count 3' } });
  const retried = await api.call('POST', `/jobs/${failed.id}/retry`);
  expect(retried.body).toMatchObject({ status: 'succeeded', choices: [{ message: { content: '1 2 3 ' } }] });
  expect(await messagesOf(session_id)).toHaveLength(5);
});

test('a result is edited and answered again; the archive has calls and results', async () => {
  const { session_id } = await openCalls();
  await chat({ session_id, tool_outputs: outputs() });
  const [, , , result] = await messagesOf(session_id);
  const path = `/messages/${result?.id}`;
  const edited = await api.call('PATCH', path, { body: { content: 'count 4' } });
  expect(edited.body).toMatchObject({ role: 'tool', content: 'count 4', revision: 2, tool_call_id: 'call_1' });
  const again = await chat({ regenerate_from: result?.id });
  expect(again.body).toMatchObject({ choices: [{ message: { content: '1 2 3 4 ' } }] });
  expect(await messagesOf(session_id)).toHaveLength(5);
  expect((await api.call('POST', `${path}/undo`)).body).toMatchObject({ content: 'count 2', revision: 3 });
  const history = (await api.call('GET', `${path}/history`)).body.data;
  expect(history.map(({ action, user_id }: { action: string; user_id: string | null }) => [action, user_id])).toEqual(
    ['created', 'edited', 'undone'].map((action) => [action, expect.stringMatching(/^usr_/)]),
  );
  const snapshot = await api.call('POST', '/archive/units', { body: { from: { type: 'session', id: session_id } } });
  expect(snapshot).toMatchObject({ status: 200 });
  const unit = (await api.call('GET', `/archive/units/${snapshot.body.id}`)).body;
  expect(unit.content).toContain('Calls `weather`: `{"city":"Oslo"}`');
  expect(unit.content).toMatch(/### Tool · [^\n]+\n\nsunny/);
});

test('a deleted result takes its answer’s execution with it; nothing shows its text', async () => {
  const { session_id } = await openCalls();
  const continued = (await chat({ session_id, tool_outputs: outputs() })).body;
  const [, , first] = await messagesOf(session_id);
  expect((await api.call('DELETE', `/messages/${first?.id}`)).status).toBe(200);
  await expect.poll(async () => (await api.call('GET', `/jobs/${continued.id}`)).status).toBe(404);
  expect((await api.call('GET', `/jobs/${continued.id}/events`)).status).toBe(404);
});

test('a deleted answer leaves no calls and no reasoning anywhere', async () => {
  const secret = `Zebra${newId('job')}`;
  const { session_id, message_id, id } = await openCalls(secret);
  const events = (await api.call('GET', `/jobs/${id}/events`)).body;
  expect(events).toContain(secret);
  await api.call('DELETE', `/messages/${message_id}`);
  await expect.poll(async () => (await api.call('GET', `/jobs/${id}`)).status).toBe(404);
  const { database, redis } = api.services;
  const kept = await database.messages.listBySession(
    { scope: 'personal', user_id: (await api.call('GET', '/me')).body.id, workspace_id: null },
    session_id,
    { limit: 10, include_superseded: true },
  );
  expect(kept.data.map(({ role }) => role)).toEqual(['user']);
  expect(await redis.exists(`chorus:{${id}}:log`, `chorus:{${id}}:folded`, `chorus:{${id}}:ended`)).toBe(0);
});

test.each<[string, object, string]>([
  ['without a session', { tool_outputs: outputs() }, 'body.session_id'],
  ['with a message', { tool_outputs: outputs(), session_id: newId('session'), message: 'Hi' }, 'body.message'],
  [
    'twice for a call',
    { tool_outputs: [...outputs(), ...outputs()], session_id: newId('session') },
    'body.tool_outputs.2.tool_call_id',
  ],
])('refuses results %s', async (_name, body, path) => {
  const { status, body: answer } = await chat(body);
  expect([status, answer.error.details[0].path]).toEqual([400, path]);
});
