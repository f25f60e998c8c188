import { dependentId } from '@chorus/contract';
import { TextIndexer } from '@chorus/search/records';
import { say, TINY_PNG } from '@chorus/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startWorkersApi, type TestWorkersApi } from '../test-workers.ts';

const CHAT = 'compatible/words-3@talking';
const TITLES = 'compatible/words-3@titles';

let api: TestWorkersApi;
const asked: string[] = [];
/** The system message of each turn. */
const systems: (string | undefined)[] = [];

beforeAll(async () => {
  const script = ({ body }: { body: Record<string, unknown> }) => {
    const [first, shown] = body.messages as { role: string; content: string }[];
    if (body.model !== 'words-3@titles') {
      systems.push(first?.role === 'system' ? first.content : undefined);
      return undefined;
    }
    asked.push(String(shown?.content));
    return shown?.content.includes('wordless')
      ? { pieces: say('"…"') }
      : { pieces: say('"**Three days in Rome.**"\n') };
  };
  const models = ['words-3@talking', 'words-3@titles'];
  api = await startWorkersApi({ models, script }, { TITLE_MODEL: TITLES });
});
afterAll(() => api.stop());

const chat = async (body: object) =>
  (await api.call('POST', '/chat/completions', { body: { model: CHAT, ...body } })).body;
const session = async (id: string) => (await api.call('GET', `/sessions/${id}`)).body;
const titled = (id: string, title: string) => expect.poll(async () => (await session(id)).title).toBe(title);

test('a model names a session once after its first answer, and its call is counted', async () => {
  const { session_id } = await chat({ message: 'What should I see in Rome in three days?' });
  await titled(session_id, 'Three days in Rome');
  expect(asked).toEqual(['User: What should I see in Rome in three days?\n\nAssistant: w1 w2 w3']);
  await chat({ session_id, message: 'And then?' });

  const other = await chat({ message: 'Another wordless question' });
  const job = dependentId('job', other.message_id);
  const failed = async () => (await api.call('GET', `/jobs/${job}`)).body;
  await expect.poll(async () => (await failed()).status).toBe('failed');
  expect((await session(other.session_id)).title).toBe('Another wordless question');

  const jobs = (await api.call('GET', '/jobs?kind=chat.title')).body.data;
  expect(jobs.map((one: { status: string }) => one.status)).toEqual(['failed', 'succeeded']);
  expect(jobs[1].usage.total_tokens).toBeGreaterThan(0);
});

test('a title of the user stays, and a named session loses its title with its question', async () => {
  const mine = (await api.call('POST', '/sessions', { body: { title: 'Mine' } })).body.id;
  await chat({ session_id: mine, message: 'What should I see in Rome?' });
  const { session_id } = await chat({ message: 'Which parts of Rome?' });
  await titled(session_id, 'Three days in Rome');
  expect((await session(mine)).title).toBe('Mine');
  const jobs = (await api.call('GET', '/jobs?kind=chat.title')).body.data;
  expect(jobs.some((one: { session_id: string }) => one.session_id === mine)).toBe(false);

  const fork = (await api.call('POST', `/sessions/${session_id}/fork`, { body: {} })).body;
  expect(fork.title).toBe('Three days in Rome (fork)');
  for (const id of [fork.id, session_id]) {
    const [question] = (await api.call('GET', `/sessions/${id}/messages`)).body.data;
    await api.call('DELETE', `/messages/${question.id}`);
    expect((await session(id)).title).toBeNull();
  }
});

test('a title on request replaces any, but not one that changes meanwhile', async () => {
  const { id } = (await api.call('POST', '/sessions', { body: { title: 'Old' } })).body;
  const empty = await api.call('POST', '/sessions/title', { body: { session_id: id } });
  expect(empty.body.error).toMatchObject({ code: 'invalid_request', details: [{ path: 'body.session_id' }] });
  await chat({ session_id: id, message: 'Rome?' });
  const job = (await api.call('POST', '/sessions/title', { body: { session_id: id } })).body;
  expect(job.output).toEqual([{ type: 'text', text: 'Three days in Rome' }]);
  expect((await session(id)).title).toBe('Three days in Rome');
  const { user_id } = job;
  const owner = { scope: 'personal', user_id, workspace_id: null } as const;
  const late = { title: 'Late', from: [], replaces: 'Old' };
  expect(await api.services.database.sessions.setModelTitle(owner, id, late)).toBe(false);
  expect((await session(id)).title).toBe('Three days in Rome');
});

test('a temporary session is not listed, found, or named, until it is kept', async () => {
  const temporary = { message: 'My zebra has hiccups', temporary: true };
  const { session_id } = await chat(temporary);
  await chat({ session_id, message: 'Which doctor helps my zebra?' });
  expect(await session(session_id)).toMatchObject({ title: null, temporary: true, message_count: 4 });
  const listed = async (query: string) => {
    const { data } = (await api.call('GET', `/sessions${query}`)).body;
    return data.some(({ id }: { id: string }) => id === session_id);
  };
  await new TextIndexer({ ...api.services, lease: { acquire: async () => true } }).round();
  for (const query of ['', '?archived=true', '?q=zebra', '?q=hiccups']) expect(await listed(query)).toBe(false);
  const jobs = (await api.call('GET', '/jobs?kind=chat.title')).body.data;
  expect(jobs.some((one: { session_id: string }) => one.session_id === session_id)).toBe(false);

  const refused = await api.call('PATCH', `/sessions/${session_id}`, { body: { archived: true } });
  expect(refused.body.error.details).toEqual([
    { path: 'body.archived', message: expect.stringContaining('temporary') },
  ]);
  const again = await api.call('POST', '/chat/completions', { body: { model: CHAT, session_id, ...temporary } });
  expect(again.body.error.details).toEqual([{ path: 'body.temporary', message: expect.any(String) }]);

  const turns = async () => {
    const { data } = (await api.call('GET', '/jobs?limit=100')).body;
    return data.filter((one: { session_id: string }) => one.session_id === session_id).length;
  };
  expect(await turns()).toBe(0);
  const idsOf = ({ data }: { data: { id: string }[] }) => data.map(({ id }) => id);
  const all = idsOf((await api.call('GET', '/jobs?kind=chat.completion&limit=100')).body);
  const first = (await api.call('GET', '/jobs?kind=chat.completion&limit=1')).body;
  expect(idsOf(first)).toEqual(all.slice(0, 1));
  const next = (await api.call('GET', `/jobs?kind=chat.completion&limit=2&after=${first.next_cursor}`)).body;
  expect(idsOf(next)).toEqual(all.slice(1, 3));
  const kept = await api.call('PATCH', `/sessions/${session_id}`, { body: { temporary: false } });
  expect(kept.body).toMatchObject({ temporary: false, title: 'My zebra has hiccups' });
  expect(await listed('')).toBe(true);
  expect(await listed('?q=zebra')).toBe(true);
  expect(await turns()).toBe(2);
});

test('files that were made in a temporary session are deleted with it', async () => {
  const make = async (temporary: boolean) => {
    const { session_id, id: executionId, user_id } = await chat({ message: 'Draw', temporary });
    const owner = { scope: 'personal', user_id, workspace_id: null } as const;
    const { id } = await api.services.assets.create({ owner, body: TINY_PNG, filename: 'a.png', executionId });
    expect((await api.call('DELETE', `/sessions/${session_id}`)).status).toBe(200);
    return (await api.call('GET', `/assets/${id}`)).status;
  };
  expect(await make(true)).toBe(404);
  expect(await make(false)).toBe(200);
});

test('custom instructions precede those of the agent, in turns that ask for them', async () => {
  const agent = await api.call('POST', '/agents', { body: { name: 'Vet', instructions: 'You are a vet.' } });
  const own = { about_me: 'I keep zebras.', answer_style: 'Briefly.' };
  expect((await api.call('GET', '/me/instructions')).body).toMatchObject({ about_me: '', answer_style: '' });
  const set = await api.call('PATCH', '/me/instructions', { body: own });
  expect(set.body).toEqual({ object: 'custom_instructions', ...own, enabled: true });
  systems.length = 0;
  const headers = { 'X-Agent-ID': agent.body.id };
  const ask = (body: object, more = {}) =>
    api.call('POST', '/chat/completions', { body: { model: CHAT, message: 'Hi', ...body }, ...more });
  const { session_id } = (await ask({ custom_instructions: true }, { headers })).body;
  await ask({ session_id });
  await ask({ custom_instructions: true });
  await ask({});
  const text = 'About the user:\nI keep zebras.\n\nHow the user wants you to answer:\nBriefly.';
  expect(systems).toEqual([`${text}\n\nYou are a vet.`, 'You are a vet.', text, undefined]);
  const refused = await ask({
    message: undefined,
    messages: [{ role: 'user', content: 'Hi' }],
    custom_instructions: true,
  });
  expect(refused.body.error.details).toEqual([{ path: 'body.custom_instructions', message: expect.any(String) }]);
});
