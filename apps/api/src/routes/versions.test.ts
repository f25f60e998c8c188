import { newId, type Owner } from '@chorus/contract';
import { regenerateTurn, startTurn } from '@chorus/conversations';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestApi, type TestApi } from '../test-api.ts';

let api: TestApi;
let owner: Owner;
beforeAll(async () => {
  api = await startTestApi();
  owner = { scope: 'personal', user_id: (await api.call('GET', '/me')).body.id, workspace_id: null };
});
afterAll(() => api.stop());

/** Stores a question with its answer, or another answer to it. */
async function answer(content: string, message_id?: string) {
  const { database } = api.services;
  const executionId = newId('job');
  const turn =
    message_id === undefined
      ? await startTurn(database, owner, { message: 'Why?', executionId })
      : await regenerateTurn(database, owner, { message_id, executionId });
  const done = { content, status: 'succeeded', usage: null, execution_id: executionId } as const;
  await database.messages.complete(owner, turn.assistant_message_id, done);
  await database.sessions.release(owner, turn.session_id, executionId);
  return turn;
}

const contents = async (session: string) =>
  (await api.call('GET', `/sessions/${session}/messages`)).body.data.map((one: { content: string }) => one.content);

test('shows the versions of an answer and restores one, whose question undo restores, too', async () => {
  const first = await answer('A');
  const { session_id: session, user_message_id: question } = first;
  const single = (await api.call('GET', `/messages/${first.assistant_message_id}`)).body;
  expect(single).toMatchObject({ version: null, question_revision: 1, effective_revision: 1 });
  await api.call('PATCH', `/messages/${question}`, { body: { content: 'How?' } });
  const second = await answer('B', question);

  const [a, b] = [first.assistant_message_id, second.assistant_message_id];
  const path = `/sessions/${session}/messages`;
  const shown = (await api.call('GET', path)).body.data;
  const last = { number: 2, count: 2, previous_id: a, next_id: null };
  expect(shown).toMatchObject([
    { content: 'How?', effective_revision: 2, question_revision: null, version: null },
    { content: 'B', question_revision: 2, version: last },
  ]);
  const all = (await api.call('GET', `${path}?include_superseded=true`)).body.data;
  expect(all.map((one: { version: { number: number } | null }) => one.version?.number)).toEqual([undefined, 1, 2]);

  const restored = await api.call('POST', `/messages/${a}/restore`);
  expect(restored.body).toMatchObject({ id: a, superseded_by: null, version: { number: 1, previous_id: null } });
  expect(restored.headers.get('etag')).toMatch(/^"1-/);
  expect(await contents(session)).toEqual(['Why?', 'A']);
  expect((await api.call('GET', `/messages/${b}`)).body).toMatchObject({ superseded_by: a, version: last });
  await api.call('POST', `/messages/${b}/restore`);
  await api.call('POST', `/messages/${question}/undo`);
  expect(await contents(session)).toEqual(['Why?', 'A']);

  const refused = await api.call('POST', `/messages/${question}/restore`);
  expect([refused.status, refused.body.error.code]).toEqual([400, 'invalid_request']);
  await api.call('DELETE', `/sessions/${session}`);
  expect((await api.call('POST', `/messages/${b}/restore`)).status).toBe(404);
});

test('forks a session once for an idempotency key', async () => {
  const { session_id, user_message_id, assistant_message_id } = await answer('A');
  const path = `/sessions/${session_id}/fork`;
  const headers = { 'idempotency-key': newId('job') };
  const ask = () => api.call('POST', path, { headers, body: { message_id: assistant_message_id } });
  const forked = await ask();
  expect(forked.body).toMatchObject({ object: 'session', title: 'Why? (fork)', message_count: 2 });
  expect((await ask()).body).toEqual(forked.body);
  expect(await contents(forked.body.id)).toEqual(['Why?', 'A']);
  const named = await api.call('POST', path, { body: { message_id: user_message_id, title: 'Mine' } });
  expect(named.body).toMatchObject({ title: 'Mine', message_count: 1 });

  await api.call('DELETE', `/sessions/${session_id}`);
  expect(await contents(forked.body.id)).toEqual(['Why?', 'A']);
  expect((await api.call('POST', path, { body: {} })).status).toBe(404);
  const wrong = await api.call('POST', `/sessions/${forked.body.id}/fork`, { body: { message_id: 'x', name: 'y' } });
  const paths = wrong.body.error.details.map((one: { path: string }) => one.path);
  expect([wrong.status, paths.length > 0]).toEqual([400, true]);
});

test('rates an answer without another revision; a fork starts without ratings', async () => {
  const { session_id, user_message_id, assistant_message_id: id } = await answer('A');
  const rate = (message: string, rating: unknown) =>
    api.call('POST', `/messages/${message}/rate`, { body: { rating } });
  expect((await rate(id, 'up')).body).toMatchObject({ id, rating: 'up', revision: 1 });
  const shown = async (session: string) => (await api.call('GET', `/sessions/${session}/messages`)).body.data;
  expect(await shown(session_id)).toMatchObject([{ rating: null }, { rating: 'up', model: null, duration_ms: null }]);
  const fork = await api.call('POST', `/sessions/${session_id}/fork`, { body: {} });
  expect(await shown(fork.body.id)).toMatchObject([{ rating: null }, { rating: null }]);
  expect((await rate(id, null)).body).toMatchObject({ rating: null });

  const refused = [await rate(user_message_id, 'up'), await rate(id, 'great'), await rate(newId('message'), 'up')];
  const errors = refused.map(({ status, body }) => [status, body.error.details?.[0]?.path]);
  expect(errors).toEqual([
    [400, 'path.message_id'],
    [400, 'body.rating'],
    [404, undefined],
  ]);
});
