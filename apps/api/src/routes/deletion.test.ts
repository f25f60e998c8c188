import { randomUUID } from 'node:crypto';
import { newId, type Owner } from '@chorus/contract';
import { startTurn } from '@chorus/conversations';
import { newExecution } from '@chorus/executions';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { freshPerson, freshWorkspace, type Person } from '../test-people.ts';
import { startTestServer, type TestServer } from '../test-server.ts';

let api: TestServer;
beforeAll(async () => {
  api = await startTestServer();
});
afterAll(() => api.stop());

const chat = async (body: object, headers: Record<string, string> = {}) =>
  (await api.call('POST', '/chat/completions', { body, headers })).body;
const codeOf = async (method: string, path: string, headers: Record<string, string> = {}) => {
  const { status, body } = await api.call(method, path, { headers });
  return [status, body.error?.code];
};
const owner = async (): Promise<Owner> => {
  const { body } = await api.call('GET', '/me');
  return { scope: 'personal', user_id: body.id, workspace_id: null };
};

test('deletes a job with its events, and keeps its usage and audit entries', async () => {
  const { id, session_id } = await chat({ message: 'count 4' });
  const before = (await api.call('GET', '/usage')).body.data;
  const deleted = await api.call('DELETE', `/jobs/${id}`);
  expect([deleted.status, deleted.body]).toEqual([200, { id, object: 'execution', deleted: true }]);
  for (const path of [`/jobs/${id}`, `/jobs/${id}/events`])
    expect(await codeOf('GET', path)).toEqual([404, 'not_found']);
  for (const action of ['cancel', 'retry'])
    expect(await codeOf('POST', `/jobs/${id}/${action}`)).toEqual([404, 'not_found']);
  expect(await codeOf('DELETE', `/jobs/${id}`)).toEqual([404, 'not_found']);
  expect((await api.call('GET', '/jobs')).body.data.map((job: { id: string }) => job.id)).not.toContain(id);
  expect((await api.call('GET', '/usage')).body.data).toEqual(before);
  const [audit] = (await api.call('GET', '/audit?action=execution.deleted')).body.data;
  expect(audit).toMatchObject({ target: { type: 'job', id }, details: { kind: 'chat.completion' } });
  // The conversation is a separate record.
  const { body } = await api.call('GET', `/sessions/${session_id}/messages`);
  expect(body.data.map(({ content }: { content: string }) => content)).toEqual(['count 4', '1 2 3 4 ']);
});

test('refuses to delete a running job, its session and its messages', async () => {
  const { body: running } = await api.call('POST', '/chat/completions', {
    body: { message: 'hold 3' },
    headers: { prefer: 'respond-async' },
  });
  const refused = await api.call('DELETE', `/jobs/${running.id}`);
  expect([refused.status, refused.headers.get('retry-after'), refused.body.error]).toMatchObject([
    409,
    '1',
    { code: 'job_running', message: expect.stringMatching(/Cancel it first, then delete it\.$/) },
  ]);
  expect(await codeOf('DELETE', `/sessions/${running.session_id}`)).toEqual([409, 'session_locked']);
  const { data } = (await api.call('GET', `/sessions/${running.session_id}/messages`)).body;
  for (const { id } of data) expect(await codeOf('DELETE', `/messages/${id}`)).toEqual([409, 'session_locked']);
  await api.call('POST', `/jobs/${running.id}/cancel`, { body: {} });
  await expect.poll(async () => (await codeOf('DELETE', `/jobs/${running.id}`))[0]).toBe(200);
  expect(await codeOf('DELETE', `/sessions/${running.session_id}`)).toEqual([200, undefined]);
});

test('refuses to delete a session with a running voice turn that has not locked it', async () => {
  const { database } = api.services;
  const { body: session } = await api.call('POST', '/sessions');
  const id = newId('job');
  const spoken = {
    id,
    kind: 'voice.turn',
    owner: await owner(),
    model: null,
    input: {},
    session_id: session.id,
    message_id: newId('message'),
  } as const;
  await database.executions.insert(newExecution(spoken));
  const { status, body } = await api.call('DELETE', `/sessions/${session.id}`);
  expect([status, body.error.active_execution_id]).toEqual([409, id]);
});

test('refuses to delete a message while an older turn that contains it runs again', async () => {
  const { database } = api.services;
  const me = await owner();
  const first = await chat({ message: 'count 1' });
  const { session_id } = first;
  await chat({ message: 'count 2', session_id });
  const [question] = (await api.call('GET', `/sessions/${session_id}/messages`)).body.data;
  const id = newId('job');
  const source = { type: 'session', session_id, user_message_id: question.id, assistant_message_id: first.message_id };
  await database.executions.insert(
    newExecution({ id, kind: 'chat.completion', owner: me, model: null, input: { source } }),
  );
  await database.sessions.lock(me, session_id, id, 0);
  expect(await codeOf('DELETE', `/messages/${question.id}`)).toEqual([409, 'session_locked']);
  await database.sessions.release(me, session_id, id);
  expect(await codeOf('DELETE', `/messages/${question.id}`)).toEqual([200, undefined]);
});

test('does not repeat a request after its execution was deleted', async () => {
  const headers = { 'idempotency-key': randomUUID() };
  const { id } = await chat({ message: 'count 5' }, headers);
  const turns = api.turns;
  await api.call('DELETE', `/jobs/${id}`);
  const again = await chat({ message: 'count 5' }, headers);
  expect(again.error).toMatchObject({ code: 'not_found', message: expect.stringContaining('was deleted') });
  expect(api.turns).toBe(turns);
});

test('in a workspace members delete their own jobs, and admins all except turns of others’ sessions', async () => {
  const [founder, editor, other] = [await freshPerson(api), await freshPerson(api), await freshPerson(api)];
  const workspace = await freshWorkspace(api, founder, [
    [editor, 'editor'],
    [other, 'editor'],
  ]);
  const as = ({ token }: Person) => ({
    authorization: `Bearer ${token}`,
    'x-scope-type': 'workspace',
    'x-workspace-id': workspace,
  });
  const messages = [{ role: 'user', content: 'count 2' }];
  const made = async () => (await chat({ messages, model: 'test/counter' }, as(editor))).id;
  const [one, two] = [await made(), await made()];
  expect(await codeOf('DELETE', `/jobs/${one}`, as(other))).toEqual([403, 'role_forbidden']);
  expect(await codeOf('DELETE', `/jobs/${one}`, as(editor))).toEqual([200, undefined]);
  expect(await codeOf('DELETE', `/jobs/${two}`, as(founder))).toEqual([200, undefined]);
  const turn = await chat({ message: 'count 2' }, as(editor));
  expect(await codeOf('DELETE', `/jobs/${turn.id}`, as(founder))).toEqual([404, 'not_found']);
  expect(await codeOf('GET', `/jobs/${turn.id}`, as(editor))).toEqual([200, undefined]);
});

test('deletes a batch that has ended', async () => {
  const { body: batch } = await api.call('POST', '/batches', {
    body: { kind: 'chat.completion', items: [{ body: { messages: [{ role: 'user', content: 'Hi' }] } }] },
  });
  expect(await codeOf('DELETE', `/batches/${batch.id}`)).toEqual([409, 'job_running']);
  const { batches, batchItems } = api.services.database;
  const record = (await batches.get(await owner(), batch.id))!;
  await batches.finish(record, { counts: record.counts, ended_seq: 0, started_at: null, status: 'cancelled' });
  const deleted = await api.call('DELETE', `/batches/${batch.id}`);
  expect(deleted.body).toEqual({ id: batch.id, object: 'batch', deleted: true });
  for (const path of ['', '/items', '/results'])
    expect(await codeOf('GET', `/batches/${batch.id}${path}`)).toEqual([404, 'not_found']);
  expect((await batchItems.list(batch.id, { limit: 9 })).data).toEqual([]);
  const [audit] = (await api.call('GET', '/audit?action=batch.deleted')).body.data;
  expect(audit).toMatchObject({ target: { type: 'batch', id: batch.id }, details: { items: 1 } });
});

test('does not treat a turn that was never stored as deleted', async () => {
  const { database } = api.services;
  const me = await owner();
  const executionId = newId('job');
  const turn = await startTurn(database, me, { message: 'Hi', executionId });
  expect(await codeOf('DELETE', `/sessions/${turn.session_id}`)).toEqual([409, 'session_locked']);
  await database.sessions.release(me, turn.session_id, executionId);
  expect(await codeOf('DELETE', `/sessions/${turn.session_id}`)).toEqual([200, undefined]);
});
