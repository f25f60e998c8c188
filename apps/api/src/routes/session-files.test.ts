import { createClient } from '@chorus/client';
import { newId, type Owner } from '@chorus/contract';
import { importConversation, readConversation, startTurn } from '@chorus/conversations';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestApi, type TestApi } from '../test-api.ts';
import { freshPerson } from '../test-people.ts';

let api: TestApi;
let owner: Owner;
beforeAll(async () => {
  api = await startTestApi();
  owner = { scope: 'personal', user_id: (await api.call('GET', '/me')).body.id, workspace_id: null };
});
afterAll(() => api.stop());

const webUi = (id: string, title: string) => {
  const messages = {
    q: { parentId: null, role: 'user', content: `About ${title}?`, timestamp: 1_700_000_000, files: [{}] },
    a: { parentId: 'q', role: 'assistant', content: 'Yes.', timestamp: 1_700_000_010 },
  };
  const chat = { history: { currentId: 'a', messages } };
  return { id, title, chat, created_at: 1_700_000_000, updated_at: 1_700_000_010, archived: false };
};

const send = async (body: unknown) => (await api.call('POST', '/sessions/import', { body })).body;

test('imports readable conversations once, and reports problems with the rest', async () => {
  const broken = { title: 'Broken', create_time: 1, conversation_id: 'x' };
  const first = await send([webUi('w1', 'Tides'), broken, 7, webUi('w2', 'Moons')]);
  expect(first).toMatchObject({ imported: 2, skipped: 0, failed: 2 });
  const [tides, ...others] = first.data;
  expect(tides).toEqual({
    ...{ index: 0, status: 'imported', format: 'open-webui', title: 'Tides', message_count: 2, missing_files: 1 },
    ...{ session_id: expect.stringMatching(/^ses_/), error: null },
  });
  expect(others).toMatchObject([
    {
      index: 1,
      status: 'failed',
      format: 'chatgpt',
      title: 'Broken',
      error: { path: 'mapping', message: 'is required' },
    },
    { index: 2, status: 'failed', format: null, error: { path: '' } },
    { index: 3, status: 'imported', title: 'Moons' },
  ]);
  const session = (await api.call('GET', `/sessions/${tides.session_id}`)).body;
  const times = { created_at: '2023-11-14T22:13:20.000Z', updated_at: '2023-11-14T22:13:30.000Z' };
  expect(session).toMatchObject({ title: 'Tides', message_count: 2, active_execution_id: null, ...times });
  const messages = (await api.call('GET', `/sessions/${tides.session_id}/messages`)).body.data;
  expect(messages).toMatchObject([
    { role: 'user', content: 'About Tides?', created_at: times.created_at },
    { role: 'assistant', content: 'Yes.', status: 'succeeded', execution_id: null },
  ]);
  // It continues like any other.
  await startTurn(api.services.database, owner, {
    message: 'More',
    session_id: tides.session_id,
    executionId: newId('job'),
  });

  const again = await Promise.all([
    send(webUi('w2', 'Moons')),
    send([webUi('w3', 'Stars')]),
    send([webUi('w3', 'Stars')]),
  ]);
  expect(again[0].data).toMatchObject([{ status: 'skipped', session_id: first.data[3].session_id }]);
  expect(
    again
      .slice(1)
      .map(({ imported }) => imported)
      .sort(),
  ).toEqual([0, 1]);
  await api.call('DELETE', `/sessions/${first.data[3].session_id}`);
  expect((await send(webUi('w2', 'Moons'))).imported).toBe(1);
  const { token } = await freshPerson(api);
  const headers = { authorization: `Bearer ${token}` };
  expect((await api.call('POST', '/sessions/import', { body: webUi('w2', 'Moons'), headers })).body.imported).toBe(1);
});

/** A conversation of ChatGPT. More than half a megabyte is read in a thread. */
function chatGpt(id: string, messages: number, chars = 200) {
  const nodes = Array.from({ length: messages }, (_, at) => {
    const author = { role: at % 2 === 0 ? 'user' : 'assistant' };
    const content = { content_type: 'text', parts: [`${at} ${'x'.repeat(chars)}`] };
    return [`n${at}`, { parent: at === 0 ? null : `n${at - 1}`, message: { author, content, recipient: 'all' } }];
  });
  return { id, title: 'Long', create_time: 1_756_000_000, mapping: Object.fromEntries(nodes) };
}

test('reads large conversations in a thread, with the same outcome', async () => {
  const headers = { authorization: `Bearer ${(await freshPerson(api)).token}` };
  const send = async (body: unknown) => (await api.call('POST', '/sessions/import', { body, headers })).body;
  const large = chatGpt('long', 5_000);
  const { data } = await send([large, chatGpt('short', 2), chatGpt('huge', 20_001), { mapping: 'x'.repeat(600_000) }]);
  expect(data).toMatchObject([
    { status: 'imported', format: 'chatgpt', title: 'Long', message_count: 5_000 },
    { status: 'imported', message_count: 2 },
    { status: 'failed', format: 'chatgpt', title: 'Long', error: { message: 'has 20,001 messages; at most 20,000' } },
    { status: 'failed', error: { path: 'mapping', message: 'must be an object' } },
  ]);
  const stored = await api.call('GET', `/sessions/${data[0].session_id}/messages?limit=2`, { headers });
  expect(stored.body.data.map(({ content }: { content: string }) => content.slice(0, 3))).toEqual(['0 x', '1 x']);
  expect((await send(large)).data).toMatchObject([{ status: 'skipped', session_id: data[0].session_id }]);
  const broken = await send(`[${JSON.stringify(large).replace('"title":', '"title" ')}]`);
  expect(broken.data).toMatchObject([{ status: 'failed', format: null, error: { message: /is not valid JSON/ } }]);
}, 60_000);

test('writes large messages in several steps', async () => {
  const { database } = api.services;
  const someone = { ...owner, user_id: newId('user') };
  const sizes: number[] = [];
  const messages = { ...database.messages };
  messages.insert = (...[owner, records]: Parameters<typeof messages.insert>) => {
    sizes.push(records.reduce((sum, { content }) => sum + content.length, 0));
    return database.messages.insert(owner, records);
  };
  const read = readConversation(chatGpt('wide', 30, 300_000));
  expect(await importConversation({ ...database, messages }, someone, read)).toMatchObject({ message_count: 30 });
  expect(sizes.length).toBe(30);
  sizes.length = 0;
  await importConversation({ ...database, messages }, someone, readConversation(chatGpt('many', 250)));
  expect(sizes.length).toBe(3);
});

test('refuses a body that is not a list, or not JSON', async () => {
  const errorOf = async (body: unknown) => (await api.call('POST', '/sessions/import', { body })).body.error;
  expect(await errorOf('[]')).toMatchObject({ code: 'invalid_request', details: [{ path: 'body' }] });
  expect(await errorOf('[{"a":')).toMatchObject({ code: 'invalid_json' });
  expect(await errorOf('PK\u0003\u0004')).toMatchObject({ code: 'invalid_json' });
  expect((await send('[{"chat":{"history":"\\ud800"}}, nul]')).data).toMatchObject([
    { status: 'failed' },
    { status: 'failed' },
  ]);
});

test('exports sessions as Markdown and JSON, which can be imported elsewhere', async () => {
  const { token } = await freshPerson(api);
  const { database } = api.services;
  const executionId = newId('job');
  const turn = await startTurn(database, owner, { message: 'Is tea **hot**?', executionId });
  const quote = {
    type: 'citation' as const,
    marker: 1,
    entry_id: 'kno_1',
    chunk_id: 'c',
    heading_path: [] as string[],
    score: 1,
  };
  const citations = [{ ...quote, title: 'Tea', page: 2, quote: 'Tea is\nhot.' }];
  const done = { content: 'Yes [1].', status: 'succeeded' as const, usage: null, execution_id: executionId, citations };
  await database.messages.complete(owner, turn.assistant_message_id, done);
  await database.sessions.release(owner, turn.session_id, executionId);

  const mine = createClient({ baseUrl: api.url, token: api.accessToken });
  const day = new Date().toISOString().slice(0, 10);
  expect(await mine.sessions.export(turn.session_id, 'markdown')).toBe(
    `# Is tea **hot**?\n\n_${day}_\n\n## Question\n\nIs tea **hot**?\n\n## Answer\n\nYes [1].\n\n- [1] Tea, p. 2: “Tea is hot.”\n`,
  );
  const json = await mine.sessions.export(turn.session_id);
  const { headers } = await api.call('GET', `/sessions/${turn.session_id}/export`);
  expect(headers.get('content-disposition')).toBe(
    `attachment; filename="Is tea __hot___.json"; filename*=UTF-8''Is%20tea%20%2A%2Ahot%2A%2A%3F.json`,
  );
  expect(await mine.sessions.import(json)).toMatchObject({ imported: 0, skipped: 1 });

  const theirs = createClient({ baseUrl: api.url, token });
  const lines = await Array.fromAsync(mine.sessions.exportAll());
  expect(lines.some(({ id }) => id === turn.session_id)).toBe(true);
  const steps: number[] = [];
  const text = lines.map((line) => JSON.stringify(line)).join('\n');
  const summary = await theirs.sessions.import(new Blob([text]), { onProgress: (done) => steps.push(done) });
  expect([summary.imported, steps]).toEqual([lines.length, [lines.length]]);
  const copy = summary.data.find(({ title }) => title === 'Is tea **hot**?')?.session_id ?? '';
  expect(JSON.parse(await theirs.sessions.export(copy))).toEqual({ ...JSON.parse(json), id: copy });
  expect((await theirs.sessions.import(text)).skipped).toBe(lines.length);
  await expect(theirs.sessions.import('PK')).rejects.toMatchObject({ code: 'invalid_json' });
});
