import { dependentId } from '@chorus/contract';
import { say } from '@chorus/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startWorkersApi, type TestWorkersApi } from '../test-workers.ts';

const CHAT = 'compatible/words-3@talking';
const TITLES = 'compatible/words-3@titles';

let api: TestWorkersApi;
const asked: string[] = [];

beforeAll(async () => {
  const script = ({ body }: { body: Record<string, unknown> }) => {
    if (body.model !== 'words-3@titles') return undefined;
    const [, shown] = body.messages as { content: string }[];
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
