import { newId, type Owner } from '@chorus/contract';
import { startTurn } from '@chorus/conversations';
import { cancelledOutcome } from '@chorus/executions';
import { TextIndexer } from '@chorus/search/records';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestApi, type TestApi } from '../test-api.ts';
import { publishChatModels } from '../test-chat.ts';

let api: TestApi;
beforeAll(async () => {
  api = await startTestApi();
});
afterAll(() => api.stop());

test('creates, reads, updates and deletes a session', async () => {
  const opened = await api.call('POST', '/sessions', { body: { title: ' Plans ', metadata: { team: 'a' } } });
  expect(opened.status).toBe(200);
  expect(opened.body).toMatchObject({
    id: expect.stringMatching(/^ses_[0-9a-z]{26}$/),
    object: 'session',
    title: 'Plans',
    pinned: false,
    starred: false,
    agent_id: null,
    message_count: 0,
    active_execution_id: null,
    metadata: { team: 'a' },
    created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:]{8}\.\d{3}Z$/),
  });
  const path = `/sessions/${opened.body.id}`;

  const read = await api.call('GET', path);
  expect(read.body).toEqual(opened.body);

  const changed = await api.call('PATCH', path, { body: { title: null, pinned: true } });
  expect(changed.body).toMatchObject({ id: opened.body.id, title: null, pinned: true, metadata: { team: 'a' } });

  const deleted = await api.call('DELETE', path);
  expect([deleted.status, deleted.body]).toEqual([200, { id: opened.body.id, object: 'session', deleted: true }]);
  for (const [method, body] of [['GET'], ['PATCH', { title: 'x' }], ['DELETE']] as const) {
    const gone = await api.call(method, path, { body });
    expect([gone.status, gone.body.error.code]).toEqual([404, 'not_found']);
  }
});

test('a session needs no body', async () => {
  const opened = await api.call('POST', '/sessions');
  expect([opened.status, opened.body.title]).toEqual([200, null]);
});

test('lists pinned sessions first, in pages, with filters', async () => {
  const titles = ['apple', 'banana split', 'cherry', 'Banana bread'];
  const ids: string[] = [];
  for (const title of titles) {
    const { body } = await api.call('POST', '/sessions', { body: { title, starred: title === 'cherry' } });
    ids.push(body.id);
  }
  await api.call('PATCH', `/sessions/${ids[0]}`, { body: { pinned: true } });

  const first = await api.call('GET', '/sessions?limit=2');
  expect(first.body).toMatchObject({ object: 'list', has_more: true, next_cursor: expect.any(String) });
  expect(first.body.data.map((session: { id: string }) => session.id)).toEqual([ids[0], ids[3]]);
  const second = await api.call('GET', `/sessions?limit=2&after=${encodeURIComponent(first.body.next_cursor)}`);
  expect(second.body.data.map((session: { id: string }) => session.id)).toEqual([ids[2], ids[1]]);

  const found = await api.call('GET', '/sessions?q=BANANA');
  expect(found.body.data.map((session: { id: string }) => session.id)).toEqual([ids[3], ids[1]]);
  const starred = await api.call('GET', '/sessions?starred=true');
  expect(starred.body.data.map((session: { id: string }) => session.id)).toEqual([ids[2]]);
  const pinned = await api.call('GET', '/sessions?pinned=true');
  expect(pinned.body.data.map((session: { id: string }) => session.id)).toEqual([ids[0]]);
});

test('does not delete a session with a running turn', async () => {
  const owner = { scope: 'personal', user_id: (await api.call('GET', '/me')).body.id, workspace_id: null } as const;
  const { body: session } = await api.call('POST', '/sessions');
  const executionId = newId('job');
  await api.services.database.sessions.lock(owner, session.id, executionId, 2);

  const refused = await api.call('DELETE', `/sessions/${session.id}`);
  expect(refused.status).toBe(409);
  expect(refused.body.error).toMatchObject({ code: 'session_locked', active_execution_id: executionId });
  expect(refused.headers.get('retry-after')).toBe('1');
  expect(refused.headers.get('x-should-retry')).toBe('false');

  await api.services.database.sessions.release(owner, session.id, executionId);
  expect((await api.call('DELETE', `/sessions/${session.id}`)).status).toBe(200);
});

test("lists a session's messages oldest first, and deletes them with it", async () => {
  const { body: me } = await api.call('GET', '/me');
  const owner = { scope: 'personal', user_id: me.id, workspace_id: null } as const;
  const { body: session } = await api.call('POST', '/sessions');
  const path = `/sessions/${session.id}/messages`;
  const empty = await api.call('GET', path);
  expect(empty.body).toEqual({ object: 'list', data: [], has_more: false, next_cursor: null });

  const common = {
    session_id: session.id as string,
    revision: 1,
    effective_revision: 1,
    superseded_by: null,
    status: 'succeeded' as const,
    execution_id: newId('job'),
    citations: [],
    reasoning: [],
    tool_calls: [],
    tool_call_id: null,
    attachments: [],
    usage: null,
    owner,
    created_at: new Date(),
    updated_at: new Date(),
  };
  await api.services.database.messages.insert(owner, [
    { ...common, id: newId('message'), role: 'user', content: 'Hello', position: 0 },
    { ...common, id: newId('message'), role: 'assistant', content: 'Hi', position: 1 },
  ]);
  const listed = await api.call('GET', path);
  expect(listed.body.data).toMatchObject([
    { object: 'message', role: 'user', content: 'Hello', session_id: session.id },
    { object: 'message', role: 'assistant', content: 'Hi' },
  ]);
  expect(listed.body.data[0]).not.toHaveProperty('owner');
  expect(listed.body.data[0]).not.toHaveProperty('position');

  await api.call('DELETE', `/sessions/${session.id}`);
  expect((await api.call('GET', path)).status).toBe(404);
  expect((await api.services.database.messages.listBySession(owner, session.id, { limit: 10 })).data).toEqual([]);
});

test('shows the complete answer of a finished execution before its message is updated', async () => {
  const { database } = api.services;
  const owner: Owner = { scope: 'personal', user_id: (await api.call('GET', '/me')).body.id, workspace_id: null };
  await publishChatModels(api, ['test/echo']);
  const body = { message: 'Hello', model: 'test/echo' };
  const { body: turn } = await api.call('POST', '/chat/completions', { body, headers: { prefer: 'respond-async' } });
  const answer = async () => {
    const [listed, single] = await Promise.all([
      api.call('GET', `/sessions/${turn.session_id}/messages`),
      api.call('GET', `/messages/${turn.message_id}`),
    ]);
    expect(listed.body.data.at(-1)).toEqual(single.body);
    return single.body;
  };
  expect(await answer()).toMatchObject({ status: 'queued', content: '' });

  // The first of the writes that end a turn.
  const output = [{ type: 'text' as const, text: 'Hello yourself' }];
  const outcome = { ...cancelledOutcome({ output }), status: 'succeeded' as const };
  await database.executions.finish(owner, turn.id, null, outcome);
  expect(await answer()).toMatchObject({ status: 'succeeded', content: 'Hello yourself', usage: outcome.usage });
});

test('in a workspace, roles apply, and sessions belong to their creators', async () => {
  const { database } = api.services;
  const { body: me } = await api.call('GET', '/me');
  const other = await database.users.create({ email: 'other@example.com', password_hash: 'none', operator: false });
  const workspace = await database.workspaces.create({ name: 'Shared' }, other.id);
  const scope = { 'x-scope-type': 'workspace', 'x-workspace-id': workspace.id };

  const outside = await api.call('GET', '/sessions', { headers: scope });
  expect([outside.status, outside.body.error.code]).toEqual([403, 'workspace_forbidden']);

  await database.workspaces.addMember(workspace.id, me.id, 'viewer');
  expect((await api.call('GET', '/me', { headers: scope })).body.scope).toEqual({
    type: 'workspace',
    workspace_id: workspace.id,
    role: 'viewer',
  });
  const viewer = await api.call('POST', '/sessions', { headers: scope, body: {} });
  expect([viewer.status, viewer.body.error.code]).toEqual([403, 'role_forbidden']);
  expect((await api.call('GET', '/sessions', { headers: scope })).body.data).toEqual([]);

  const theirs = await database.sessions.create(
    { scope: 'workspace', user_id: other.id, workspace_id: workspace.id },
    { title: 'theirs', pinned: false, starred: false, metadata: {} },
  );
  const hidden = await api.call('GET', `/sessions/${theirs.id}`, { headers: scope });
  expect([hidden.status, hidden.body.error.code]).toEqual([404, 'not_found']);
});

test('a session of another scope does not exist', async () => {
  const { body: me } = await api.call('GET', '/me');
  const workspace = await api.services.database.workspaces.create({ name: 'Mine' }, me.id);
  const scope = { 'x-scope-type': 'workspace', 'x-workspace-id': workspace.id };
  const { body: session } = await api.call('POST', '/sessions', { headers: scope, body: {} });
  expect((await api.call('GET', `/sessions/${session.id}`, { headers: scope })).status).toBe(200);
  expect((await api.call('GET', `/sessions/${session.id}`)).status).toBe(404);
});

test('searches sessions by title, then by messages, best match first', async () => {
  const owner: Owner = { scope: 'personal', user_id: (await api.call('GET', '/me')).body.id, workspace_id: null };
  const { database } = api.services;
  const talk = async (said: string, answered: string, sessionId?: string) => {
    const executionId = newId('job');
    const turn = await startTurn(database, owner, { message: said, executionId, session_id: sessionId });
    const done = { content: answered, status: 'succeeded', usage: null, execution_id: executionId } as const;
    await database.messages.complete(owner, turn.assistant_message_id, done);
    await database.sessions.release(owner, turn.session_id, executionId);
    return turn;
  };
  const find = async (query: string, headers = {}) => {
    const { body } = await api.call('GET', `/sessions?${query}`, { headers });
    return { ids: body.data.map(({ id }: { id: string }) => id), next: body.next_cursor, more: body.has_more };
  };
  const { session_id: reef, assistant_message_id: answer } = await talk('Where is it warm?', 'Snorkel at the reef.');
  const { session_id: boat } = await talk(
    'Sails?',
    'A boat sails along a reef, and a reef, far from the harbour of the town.',
  );
  await talk('More?', 'Reefs again.', boat);
  const titled = (await api.call('POST', '/sessions', { body: { title: 'Barrier reefs' } })).body.id;
  const indexer = new TextIndexer({ ...api.services, lease: { acquire: async () => true } });

  expect((await find('q=snorkelling')).ids).toEqual([reef]);
  const renamed = { title: 'Gärten am Meer' };
  await api.call('PATCH', `/sessions/${reef}`, { body: renamed });
  expect((await find('q=GARTEN')).ids).toEqual([reef]);
  await indexer.round();
  expect([(await find('q=snorkelling')).ids, (await find('q=garten')).ids]).toEqual([[reef], [reef]]);
  const all = (await find('q=reef')).ids;
  expect([all[0], all.slice(1).sort()]).toEqual([titled, [reef, boat].sort()]);
  const paged: string[] = [];
  for (let after = ''; ; ) {
    const page = await find(`q=reef&limit=1${after}`);
    paged.push(...page.ids);
    expect(page.more).toBe(page.next !== null);
    if (page.next === null) break;
    after = `&after=${page.next}`;
  }
  expect(paged).toEqual(all);
  // Every word in one message beats one of them in a title.
  expect((await find('q=reefs+harbour')).ids.slice(0, 2)).toEqual([boat, titled]);
  await api.call('PATCH', `/sessions/${boat}`, { body: { starred: true } });
  expect((await find('q=reef&starred=true')).ids).toEqual([boat]);
  expect((await find("q=reef'+OR+'1'%3D'1")).ids).toContain(reef);
  expect((await api.call('GET', '/sessions?q=reef&after=r1x')).status).toBe(400);

  await api.call('PATCH', `/messages/${answer}`, { body: { content: 'Dive.' } });
  expect([(await find('q=snorkelling')).ids, (await find('q=diving')).ids]).toEqual([[], [reef]]);
  await api.call('DELETE', `/sessions/${boat}`);
  expect((await find('q=harbour')).ids).toEqual([]);
  await indexer.round();
  expect([(await find('q=snorkelling')).ids, (await find('q=diving')).ids]).toEqual([[], [reef]]);
  const elsewhere = (await api.call('POST', '/workspaces', { body: { name: 'Elsewhere' } })).body.id;
  expect((await find('q=diving', { 'x-scope-type': 'workspace', 'x-workspace-id': elsewhere })).ids).toEqual([]);
});
