import { newId, type Owner } from '@chorus/contract';
import { startTurn } from '@chorus/conversations';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestApi, type TestApi } from '../test-api.ts';
import { freshPerson, freshWorkspace } from '../test-people.ts';

let api: TestApi;
let owner: Owner;
beforeAll(async () => {
  api = await startTestApi();
  owner = { scope: 'personal', user_id: (await api.call('GET', '/me')).body.id, workspace_id: null };
});
afterAll(() => api.stop());

const units = '/archive/units';
const create = async (body: object) => {
  const answer = await api.call('POST', units, { body });
  expect([answer.status, answer.body.error]).toEqual([200, undefined]);
  return answer.body;
};
/** Creates a workspace with an empty archive, and returns its headers. */
async function emptyScope() {
  const { id } = (await api.call('POST', '/workspaces', { body: { name: 'Empty' } })).body;
  return { 'x-scope-type': 'workspace', 'x-workspace-id': id };
}

/** Creates a turn, answered or still running. */
async function talk(said: string, answered: string | null, sessionId?: string) {
  const { database } = api.services;
  const executionId = newId('job');
  const turn = await startTurn(database, owner, { message: said, executionId, session_id: sessionId });
  if (answered === null) return turn;
  const done = { content: answered, status: 'succeeded', usage: null, execution_id: executionId } as const;
  await database.messages.complete(owner, turn.assistant_message_id, done);
  await database.sessions.release(owner, turn.session_id, executionId);
  return turn;
}

test('archives, reads, updates and deletes a text with its history', async () => {
  const metadata = { 'a.b': '$set' };
  const made = await api.call('POST', units, {
    body: { content: '\n# **Notes** on tea\n\nBoil water.', tags: ['tea', 'tea', 'kitchen'], metadata },
  });
  expect([made.status, made.headers.get('etag')]).toEqual([200, expect.stringMatching(/^"1-[0-9a-f]{12}"$/)]);
  expect(made.body).toMatchObject({
    object: 'archive.unit',
    title: 'Notes on tea',
    content: '\n# **Notes** on tea\n\nBoil water.',
    tags: ['tea', 'kitchen'],
    source: { type: 'text', id: null },
    metadata,
    revision: 1,
    user_id: owner.user_id,
  });
  const path = `${units}/${made.body.id}`;
  expect((await api.call('GET', path)).body).toEqual(made.body);

  const patched = await api.call('PATCH', path, {
    body: { title: 'Tea', content: 'Do not boil.' },
    headers: { 'if-match': '"1"' },
  });
  expect([patched.status, patched.headers.get('etag')]).toEqual([200, expect.stringMatching(/^"2-[0-9a-f]{12}"$/)]);
  expect(patched.body).toMatchObject({ title: 'Tea', content: 'Do not boil.', tags: ['tea', 'kitchen'], revision: 2 });
  const stale = await api.call('PATCH', path, { body: { tags: [] }, headers: { 'if-match': '"1"' } });
  expect([stale.status, stale.body.error.code, stale.body.error.revision]).toEqual([409, 'conflict', 2]);
  expect((await api.call('PATCH', path, { body: { tags: [] }, headers: { 'if-match': '2' } })).status).toBe(422);
  // Weak tags match no revision, and one tag of a list is enough.
  for (const [tags, status] of [
    ['"other"', 409],
    ['W/"2"', 409],
    ['"1", "7-0123456789ab"', 409],
    ['"1", W/"2",, "x"', 409],
    ['2, "2"', 422],
    [',', 422],
  ] as const)
    expect([
      tags,
      (await api.call('PATCH', path, { body: { tags: [] }, headers: { 'if-match': tags } })).status,
    ]).toEqual([tags, status]);
  expect((await api.call('PATCH', path, { body: {} })).status).toBe(400);
  expect((await api.call('PATCH', path, { body: { metadata: {} }, headers: { 'if-match': '*' } })).body.revision).toBe(
    3,
  );

  const first = await api.call('GET', `${path}/revisions?limit=2`);
  expect(first.body).toMatchObject({ has_more: true, next_cursor: '2' });
  const rest = await api.call('GET', `${path}/revisions?limit=2&after=2`);
  expect(rest.body).toMatchObject({ has_more: false, next_cursor: null });
  const history = [...first.body.data, ...rest.body.data];
  expect(history).toMatchObject([
    { object: 'archive.revision', revision: 1, content: made.body.content, created_at: made.body.created_at },
    { revision: 2, title: 'Tea', metadata, created_at: patched.body.updated_at, user_id: owner.user_id },
    { revision: 3, title: 'Tea', metadata: {} },
  ]);
  expect((await api.call('GET', `${path}/revisions?after=x`)).status).toBe(400);
  expect((await api.call('GET', `${path}/revisions?after=3`)).body.data).toEqual([]);

  expect((await api.call('DELETE', path, { headers: { 'if-match': '"2"' } })).status).toBe(409);
  const gone = await api.call('DELETE', path);
  expect(gone.body).toEqual({ id: made.body.id, object: 'archive.unit', deleted: true });
  for (const at of [path, `${path}/revisions`]) expect((await api.call('GET', at)).status).toBe(404);
  expect((await api.call('DELETE', path)).status).toBe(404);
  const rows = await api.services.database.archiveRevisions.list(owner, made.body.id, { limit: 9 });
  expect(rows.data).toEqual([]);
  const audit = await api.call('GET', '/audit?action=archive_unit.deleted');
  expect(audit.body.data[0]).toMatchObject({ target: { id: made.body.id }, details: { revision: 3, source: 'text' } });
});

test('loses none of many simultaneous changes: each has its revision', async () => {
  const { id } = await create({ content: 'v' });
  const titles = Array.from({ length: 4 }, (_, nth) => `t${nth}`);
  const answers = await Promise.all(titles.map((title) => api.call('PATCH', `${units}/${id}`, { body: { title } })));
  expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
  expect(answers.map(({ body }) => body.revision).sort()).toEqual([2, 3, 4, 5]);
  const { data } = (await api.call('GET', `${units}/${id}/revisions`)).body;
  expect(data.map(({ revision }: { revision: number }) => revision)).toEqual([1, 2, 3, 4, 5]);
  for (const { body } of answers) expect(data[body.revision - 1].title).toBe(body.title);
});

test('archives a message and a session as they were at the time', async () => {
  const turn = await talk('Why is the sky blue?', 'Rayleigh scattering.');
  await talk('And at dusk?', 'Longer paths.', turn.session_id);
  const message = await create({ from: { type: 'message', id: turn.assistant_message_id }, tags: ['sky'] });
  expect(message).toMatchObject({
    content: 'Rayleigh scattering.',
    title: 'Rayleigh scattering.',
    source: { type: 'message', id: turn.assistant_message_id },
  });
  const running = await talk('And at night?', null, turn.session_id);
  const session = await create({ from: { type: 'session', id: turn.session_id } });
  expect(session.title).toBe('Why is the sky blue?');
  const said = session.content.split(/^### (User|Assistant) · \S+$/m).map((part: string) => part.trim());
  const dialogue = ['User', 'Why is the sky blue?', 'Assistant', 'Rayleigh scattering.'];
  expect(said).toEqual([
    '',
    ...dialogue,
    'User',
    'And at dusk?',
    'Assistant',
    'Longer paths.',
    'User',
    'And at night?',
  ]);

  const unfinished = { from: { type: 'message', id: running.assistant_message_id } };
  const refused = await api.call('POST', units, { body: unfinished });
  expect([refused.status, refused.body.error.code]).toEqual([409, 'session_locked']);
  await api.call('PATCH', `/messages/${turn.user_message_id}`, { body: { content: 'Edited' } });
  expect((await api.call('GET', `${units}/${session.id}`)).body.content).toBe(session.content);

  const of = (id: string) => api.call('GET', `${units}?source_id=${id}`);
  expect((await of(turn.session_id)).body.data).toEqual([session]);
  expect((await api.call('GET', `${units}?source=message&tag=sky`)).body.data).toEqual([message]);
  expect((await api.call('GET', `${units}?source=session&tag=sky`)).body.data).toEqual([]);
});

test('refuses records that do not exist, are empty, or are too long', async () => {
  const refusal = async (body: object) => {
    const answer = await api.call('POST', units, { body });
    return [answer.status, answer.body.error?.details?.[0]?.path ?? answer.body.error?.code];
  };
  const empty = (await api.call('POST', '/sessions', { body: { title: 'Silent' } })).body.id;
  expect(await refusal({ from: { type: 'session', id: empty } })).toEqual([400, 'body.from.id']);
  expect(await refusal({ from: { type: 'session', id: newId('session') } })).toEqual([404, 'not_found']);
  expect(await refusal({ from: { type: 'knowledge', id: newId('knowledge') } })).toEqual([404, 'not_found']);
  expect(await refusal({ from: { type: 'message', id: empty } })).toEqual([404, 'not_found']);
  expect(await refusal({ content: 'x', from: { type: 'session', id: empty } })).toEqual([400, 'body.content']);
  expect(await refusal({})).toEqual([400, 'body.content']);
  expect(await refusal({ content: 'x', more: 1 })).toEqual([400, 'body.more']);
  const long = await talk('x'.repeat(1_000_000), 'y'.repeat(1_000_000));
  await talk('x'.repeat(1_000_000), 'y', long.session_id);
  expect(await refusal({ from: { type: 'session', id: long.session_id } })).toEqual([413, 'payload_too_large']);
});

test('lists in pages, newest first, and exports the whole scope, oldest first', async () => {
  const headers = await emptyScope();
  const ids: string[] = [];
  for (const title of ['a', 'b', 'c']) {
    const made = await api.call('POST', units, {
      body: { title, content: `${title}\n"quoted"`, tags: [title] },
      headers,
    });
    ids.push(made.body.id);
  }
  const first = (await api.call('GET', `${units}?limit=2`, { headers })).body;
  expect(first).toMatchObject({ data: [{ id: ids[2] }, { id: ids[1] }], has_more: true, next_cursor: ids[1] });
  const rest = (await api.call('GET', `${units}?limit=2&after=${first.next_cursor}`, { headers })).body;
  expect(rest).toMatchObject({ data: [{ id: ids[0] }], has_more: false, next_cursor: null });
  expect((await api.call('GET', `${units}?after=arc_x`, { headers })).status).toBe(400);
  const found = (await api.call('GET', `${units}?q=quoted&tag=b`, { headers })).body;
  expect(found).toEqual({ object: 'list', data: [first.data[1]], has_more: false, next_cursor: null });
  expect((await api.call('GET', `${units}?q=quoted&after=${ids[1]}`, { headers })).status).toBe(400);

  const lines = async (query = '') => {
    const answer = await api.call('GET', `/archive/export${query}`, { headers });
    expect(answer.headers.get('content-type')).toContain('application/x-ndjson');
    return answer.body
      .split('\n')
      .filter(Boolean)
      .map((line: string) => JSON.parse(line));
  };
  expect(await lines()).toEqual([rest.data[0], first.data[1], first.data[0]]);
  expect((await lines(`?after=${ids[1]}`)).map(({ id }: { id: string }) => id)).toEqual([ids[2]]);
  expect((await lines('?tag=b')).map(({ id }: { id: string }) => id)).toEqual([ids[1]]);
  expect((await api.call('GET', '/archive/export?after=x', { headers })).status).toBe(400);
});

test('a repeated request with its key creates no second unit, and stores no copy of the text', async () => {
  const content = 'z'.repeat(1_100_000);
  const headers = { 'idempotency-key': crypto.randomUUID() };
  const [one, two] = [
    await api.call('POST', units, { body: { content }, headers }),
    await api.call('POST', units, { body: { content }, headers }),
  ];
  expect(two.body).toEqual(one.body);
  await api.call('DELETE', `${units}/${one.body.id}`);
  expect((await api.call('POST', units, { body: { content }, headers })).status).toBe(404);
});

test('members share an archive; editors change their own units, admins all; others see nothing', async () => {
  const [founder, editor, viewer, stranger] = await Promise.all(Array.from({ length: 4 }, () => freshPerson(api)));
  const members: Parameters<typeof freshWorkspace>[2] = [
    [editor!, 'editor'],
    [viewer!, 'viewer'],
  ];
  const team = await freshWorkspace(api, founder!, members);
  const as = (token: string) => ({
    authorization: `Bearer ${token}`,
    'x-scope-type': 'workspace',
    'x-workspace-id': team,
  });
  const { id } = (await api.call('POST', units, { body: { content: 'Ours' }, headers: as(founder!.token) })).body;
  const change = async (token: string) =>
    (await api.call('PATCH', `${units}/${id}`, { body: { title: 'x' }, headers: as(token) })).status;
  expect((await api.call('GET', `${units}/${id}`, { headers: as(viewer!.token) })).body.content).toBe('Ours');
  expect([await change(editor!.token), await change(viewer!.token), await change(stranger!.token)]).toEqual([
    403, 403, 403,
  ]);
  expect(await change(founder!.token)).toBe(200);
  expect((await api.call('GET', `${units}/${id}`)).status).toBe(404);
  expect((await api.call('GET', '/archive/export')).body).not.toContain(id);
});
