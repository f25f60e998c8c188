import { bytesOfId, type CitationItem, idOfBytes, newId, type Owner } from '@chorus/contract';
import { editMessage, regenerateTurn, startTurn } from '@chorus/conversations';
import type { MessageRecord } from '@chorus/database';
import { TINY_PNG } from '@chorus/testing';
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

/** Requests as someone without an account. */
const anyone = (path: string) => api.call('GET', path, { headers: { authorization: null, 'x-scope-type': null } });

type Said = Pick<MessageRecord, 'content'> & Partial<Pick<MessageRecord, 'citations' | 'steps' | 'reasoning'>>;

async function ask(message: string, answer: Said, more: { session_id?: string; attachments?: string[] } = {}) {
  const executionId = newId('job');
  const turn = await startTurn(api.services.database, owner, { message, executionId, ...more });
  await complete(turn, executionId, answer);
  return turn;
}

async function complete(
  { session_id, assistant_message_id }: { session_id: string; assistant_message_id: string },
  execution_id: string,
  answer: Said,
) {
  const { database } = api.services;
  const ending = { status: 'succeeded', usage: null, execution_id, ...answer } as const;
  await database.messages.complete(owner, assistant_message_id, ending);
  await database.sessions.release(owner, session_id, execution_id);
}

async function upload(bytes: Uint8Array<ArrayBuffer>, name: string) {
  const form = new FormData();
  form.set('file', new Blob([bytes]), name);
  return (await api.call('POST', '/assets', { body: form })).body.id as string;
}

const share = async (session: string, body: object = {}) =>
  (await api.call('POST', `/sessions/${session}/shares`, { body })).body;
const shown = async (token: string, query = '') => (await anyone(`/shared/${token}/messages${query}`)).body;
const texts = async (token: string) => (await shown(token)).data.map(({ content }: { content: string }) => content);

const citation: CitationItem = {
  type: 'citation',
  marker: 1,
  entry_id: newId('knowledge'),
  chunk_id: 'kno_1:1:1',
  title: 'Tea',
  heading_path: ['Hot'],
  page: 2,
  quote: 'Tea is hot.',
  score: 1,
};

test('a link shows the conversation up to its creation, and nothing else of its owner', async () => {
  const [image, other, text] = [
    await upload(TINY_PNG, 'private name.png'),
    await upload(TINY_PNG, 'other.png'),
    await upload(new TextEncoder().encode('private'), 'notes.txt'),
  ];
  const steps = [
    {
      content: '',
      tool_calls: [
        { id: 'c', name: 'secret_tool', arguments: '{}', status: 'succeeded' as const, result: 'private result' },
      ],
    },
  ];
  const said = {
    content: 'Hot [1].',
    citations: [citation],
    steps,
    reasoning: [{ text: 'private thought' }],
  } satisfies Said;
  const first = await ask('Is tea hot?', said, { attachments: [image, text] });
  const { session_id } = first;
  const made = await share(session_id);
  expect(made).toMatchObject({
    id: expect.stringMatching(/^shr_/),
    object: 'share',
    session_id,
    title: 'Is tea hot?',
    message_count: 2,
    expires_at: null,
    token: expect.stringMatching(/^[\w-]{43}$/),
    url: `${api.url}/share/${made.token}`,
  });
  await ask('And later?', { content: 'Later.' }, { session_id });

  const session = await anyone(`/shared/${made.token}`);
  expect(session.body).toEqual({
    object: 'shared_session',
    title: 'Is tea hot?',
    shared_at: made.created_at,
    expires_at: null,
  });
  expect(session.headers.get('x-robots-tag')).toBe('noindex');
  expect(session.headers.get('cache-control')).toBe('no-store');
  const { marker, title, heading_path, page, quote } = citation;
  const source = { marker, title, heading_path, page, quote };
  const common = { object: 'shared_message', created_at: expect.any(String) };
  const list = await shown(made.token);
  expect(list).toEqual({
    object: 'list',
    has_more: false,
    next_cursor: null,
    data: [
      { ...common, number: 1, role: 'user', content: 'Is tea hot?', citations: [], images: [image] },
      { ...common, number: 2, role: 'assistant', content: 'Hot [1].', citations: [source], images: [] },
    ],
  });
  const owned = [owner.user_id, session_id, first.user_message_id, citation.entry_id, 'private', 'secret_tool'];
  for (const secret of owned) expect(JSON.stringify([session.body, list])).not.toContain(secret);

  const file = await anyone(`/shared/${made.token}/images/${image}`);
  expect([file.status, file.headers.get('content-type')]).toEqual([200, 'image/png']);
  expect(file.headers.get('content-disposition')).not.toContain('private');
  expect(file.headers.get('content-security-policy')).toContain("default-src 'none'");
  for (const hidden of [other, text]) expect((await anyone(`/shared/${made.token}/images/${hidden}`)).status).toBe(404);
  for (const path of [
    `/assets/${image}/content`,
    `/sessions/${session_id}`,
    `/shares`,
    `/messages/${first.user_message_id}`,
  ])
    expect((await anyone(path)).status, path).toBe(401);
  await api.call('DELETE', `/messages/${first.user_message_id}`);
  expect((await anyone(`/shared/${made.token}/images/${image}`)).status).toBe(404);
  expect(await texts(made.token)).toEqual(['Hot [1].']);
});

test("a link shows images that the turn's tools made, not those that their results claim", async () => {
  const { database, assets } = api.services;
  const executionId = newId('job');
  const startedAt = (time: Uint8Array) => idOfBytes('job', Buffer.concat([time, bytesOfId(newId('job')).subarray(6)]));
  const makers = [executionId, startedAt(bytesOfId(executionId).subarray(0, 6)), startedAt(Buffer.alloc(6, 1))];
  const [saved, drawn, claimed] = await Promise.all(
    makers.map((execution) => assets.create({ owner, executionId: execution, body: TINY_PNG, filename: null })),
  );
  const results = [
    ['screenshot', `[Image: asset ${saved?.id}, image/png, 68 bytes]`],
    ['generate_image', `Made ${drawn?.id}.`],
    ['hostile', `[Image: asset ${claimed?.id}, image/png, 68 bytes]`],
    ['generate_image', `Made ${claimed?.id}.`],
  ];
  const tool_calls = results.map(([name = '', result = ''], at) => ({
    ...{ id: `c${at}`, name, arguments: '{}', status: 'succeeded' as const, result },
  }));
  const turn = await startTurn(database, owner, { message: 'Draw', executionId });
  await complete(turn, executionId, { content: 'Done.', steps: [{ content: '', tool_calls }] });
  const { token } = await share(turn.session_id);
  const images = (await shown(token)).data.flatMap((message: { images: string[] }) => message.images);
  expect(images).toEqual([saved?.id, drawn?.id]);
  expect((await anyone(`/shared/${token}/images/${claimed?.id}`)).status).toBe(404);
});

test('admins of a workspace see and revoke the links of all members', async () => {
  const [founder, editor] = [await freshPerson(api), await freshPerson(api)];
  const workspace = await freshWorkspace(api, founder, [[editor, 'editor']]);
  const as = ({ token }: { token: string }) => ({
    headers: { authorization: `Bearer ${token}`, 'x-scope-type': 'workspace', 'x-workspace-id': workspace },
  });
  const theirs = { scope: 'workspace', user_id: editor.id, workspace_id: workspace } as const;
  const executionId = newId('job');
  const { database } = api.services;
  const turn = await startTurn(database, theirs, { message: 'Ours?', executionId });
  const done = { status: 'succeeded', usage: null, execution_id: executionId, content: 'Yes.' } as const;
  await database.messages.complete(theirs, turn.assistant_message_id, done);
  await database.sessions.release(theirs, turn.session_id, executionId);
  const made = (await api.call('POST', `/sessions/${turn.session_id}/shares`, { ...as(editor), body: {} })).body;
  expect((await api.call('GET', '/shares', as(founder))).body.data).toEqual([]);
  const listed = await api.call('GET', '/shares/members', as(founder));
  expect(listed.body.data).toMatchObject([{ id: made.id, title: 'Ours?', user_id: editor.id }]);
  expect(JSON.stringify(listed.body)).not.toContain(made.token);
  expect((await api.call('DELETE', `/shares/${made.id}`, as(founder))).status).toBe(404);
  expect((await api.call('GET', '/shares/members', as(editor))).status).toBe(403);
  expect((await api.call('DELETE', `/shares/members/${made.id}`, as(editor))).status).toBe(403);
  expect((await anyone(`/shared/${made.token}`)).status).toBe(200);
  expect((await api.call('DELETE', `/shares/members/${made.id}`, as(founder))).status).toBe(200);
  expect((await anyone(`/shared/${made.token}`)).status).toBe(404);
  const audit = (await api.call('GET', '/audit?limit=5', as(founder))).body.data;
  expect(audit[0]).toMatchObject({ action: 'share.revoked', target: { id: made.id } });
});

test('a link keeps the texts that it was made for, in pages', async () => {
  const { database } = api.services;
  const first = await ask('Why?', { content: 'Because.' });
  const { session_id, user_message_id, assistant_message_id } = first;
  const second = await ask('Really?', { content: 'Yes.' }, { session_id });
  const { token } = await share(session_id, { message_id: second.user_message_id });
  await editMessage(database, owner, user_message_id, { content: 'How?', expected: null });
  const executionId = newId('job');
  const again = { message_id: assistant_message_id, executionId };
  await complete(await regenerateTurn(database, owner, again), executionId, { content: 'So.' });
  expect(await texts(token)).toEqual(['Why?', 'Because.', 'Really?']);
  expect(await texts((await share(session_id)).token)).toEqual(['How?', 'So.']);
  const page = await shown(token, '?limit=2');
  expect([page.data.length, page.has_more]).toEqual([2, true]);
  const rest = await shown(token, `?limit=2&after=${page.next_cursor}`);
  expect([rest.data, rest.has_more]).toEqual([[expect.objectContaining({ number: 3, content: 'Really?' })], false]);
  expect((await anyone(`/shared/${token}/messages?after=x`)).status).toBe(400);
});

test('a revoked or expired link, and one of a deleted session or a disabled user, is not found', async () => {
  const { database } = api.services;
  const { session_id } = await ask('Hello?', { content: 'Hi.' });
  const paths = (token: string) =>
    ['', '/messages', `/images/${newId('asset')}`].map((end) => `/shared/${token}${end}`);
  const statuses = async (token: string) => (await Promise.all(paths(token).map(anyone))).map(({ status }) => status);
  const GONE = [404, 404, 404];
  const revoked = await share(session_id);
  expect(await statuses(revoked.token)).toEqual([200, 200, 404]);
  expect((await api.call('GET', `/shares?session_id=${session_id}`)).body.data).toMatchObject([{ id: revoked.id }]);
  expect(JSON.stringify((await api.call('GET', '/shares')).body)).not.toContain(revoked.token);
  expect((await api.call('DELETE', `/shares/${revoked.id}`)).status).toBe(200);
  expect(await statuses(revoked.token)).toEqual(GONE);

  const soon = new Date(Date.now() + 400).toISOString();
  const expiring = await share(session_id, { expires_at: soon });
  expect(expiring.expires_at).toBe(soon);
  await expect.poll(() => statuses(expiring.token)).toEqual(GONE);
  expect((await api.call('GET', `/shares?session_id=${session_id}`)).body.data).toEqual([]);
  const late = await api.call('POST', `/sessions/${session_id}/shares`, {
    body: { expires_at: '2020-01-01T00:00:00Z' },
  });
  expect(late.body.error.details).toMatchObject([{ path: 'body.expires_at' }]);

  const { token } = await share(session_id);
  await database.users.setDisabled(owner.user_id, new Date());
  expect(await statuses(token)).toEqual(GONE);
  await database.users.setDisabled(owner.user_id, null);
  expect(await statuses(token)).toEqual([200, 200, 404]);
  await api.call('DELETE', `/sessions/${session_id}`);
  expect(await statuses(token)).toEqual(GONE);
  expect(
    (await api.call('GET', '/shares')).body.data.some((one: { session_id: string }) => one.session_id === session_id),
  ).toBe(false);
  expect(await statuses('x'.repeat(43))).toEqual(GONE);
});

test('refuses what cannot be shared', async () => {
  const { id } = (await api.call('POST', '/sessions', { body: {} })).body;
  expect((await share(id)).error).toMatchObject({ code: 'invalid_request', details: [{ path: 'body.message_id' }] });
  expect((await share(id, { message_id: newId('message') })).error.code).toBe('not_found');
  expect((await share(newId('session'))).error.code).toBe('not_found');
});
