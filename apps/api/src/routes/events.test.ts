import { setTimeout as pause } from 'node:timers/promises';
import { NO_ACTOR, newId, type Owner } from '@chorus/contract';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { startTestApi, type TestApi } from '../test-api.ts';
import { publishChatModels } from '../test-chat.ts';
import { freshPerson, freshWorkspace, type Person, recordMakers } from '../test-people.ts';

let api: TestApi;

beforeAll(async () => {
  api = await startTestApi({ DEFAULT_MODEL: 'embedded/assistant' });
  await publishChatModels(api, ['embedded/assistant']);
});
afterAll(() => api.stop());

interface Frame {
  id: string;
  // biome-ignore lint/suspicious/noExplicitAny: frames of any type
  data: any;
}

const scopeOf = (person: Person, workspace?: string) => ({
  authorization: `Bearer ${person.token}`,
  'x-scope-type': workspace === undefined ? 'personal' : 'workspace',
  ...(workspace === undefined ? {} : { 'x-workspace-id': workspace }),
});

/** Follows the feed of a scope. `take` waits for a number of frames. Null: the stream has ended. */
async function follow(headers: Record<string, string>, after?: string) {
  const leave = new AbortController();
  onTestFinished(() => leave.abort());
  const response = await fetch(`${api.url}/api/v1/events`, {
    headers: { ...headers, ...(after === undefined ? {} : { 'last-event-id': after }) },
    signal: leave.signal,
  });
  expect([response.status, response.headers.get('content-type')]).toEqual([200, 'text/event-stream; charset=utf-8']);
  const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader();
  let text = '';
  const next = async (): Promise<Frame | null> => {
    for (;;) {
      const end = text.indexOf('\n\n');
      const frame = /^id: (\S+)\ndata: (.*)$/.exec(text.slice(0, Math.max(end, 0)));
      if (end >= 0) text = text.slice(end + 2);
      if (frame) return { id: frame[1] as string, data: JSON.parse(frame[2] as string) };
      if (end >= 0) continue;
      const { value, done } = await reader.read();
      if (done) return null;
      text += value;
    }
  };
  const take = async (count: number) => {
    const frames: Frame[] = [];
    while (frames.length < count) {
      const frame = await next();
      if (frame === null) throw new Error('the stream has ended');
      frames.push(frame);
    }
    return frames;
  };
  const [opened] = await take(1);
  expect(opened?.data).toEqual({ type: 'events.opened' });
  return { take, next, opened: opened as Frame, leave: () => leave.abort() };
}

const begin = async (headers: Record<string, string>, body: object) => {
  const answer = await api.call('POST', '/chat/completions', {
    headers: { prefer: 'respond-async', ...headers },
    body,
  });
  expect(answer.status).toBe(200);
  return answer.body;
};

const alone = { messages: [{ role: 'user', content: 'Hi' }] };

test('reports what happens to an execution, and resumes at a reader’s position', async () => {
  const person = await freshPerson(api);
  const feed = await follow(scopeOf(person));
  const { id } = await begin(scopeOf(person), alone);
  await api.call('POST', `/jobs/${id}/cancel`, { headers: scopeOf(person) });
  const frames = await feed.take(3);
  const common = {
    execution_id: id,
    kind: 'chat.completion',
    surface: 'chat',
    session_id: null,
    batch_id: null,
    user_id: person.id,
  };
  const time = expect.stringMatching(/^\d{4}-.*Z$/);
  const model = 'embedded/assistant';
  expect(frames.map(({ data }) => data)).toEqual([
    { type: 'execution.queued', ...common, time, status: 'queued', model },
    { type: 'execution.cancelling', ...common, time, status: 'cancelling' },
    {
      type: 'execution.cancelled',
      ...common,
      time,
      status: 'cancelled',
      model,
      attempt: 1,
      duration_ms: null,
      usage: expect.objectContaining({ total_tokens: 0 }),
      output: [],
      asset_ids: [],
      error: null,
    },
  ]);
  feed.leave();
  const again = await follow(scopeOf(person), frames[0]?.id);
  expect((await again.take(2)).map(({ id }) => id)).toEqual(frames.slice(1).map(({ id }) => id));
  const fromTheBeginning = await follow(scopeOf(person), feed.opened.id);
  expect(await fromTheBeginning.take(3)).toEqual(frames);
});

test("shows members of a workspace what they share, not each other's sessions, and nothing to others", async () => {
  const [one, two] = (await Promise.all([freshPerson(api), freshPerson(api)])) as [Person, Person];
  const workspace = await freshWorkspace(api, one, [[two, 'editor']]);
  const [first, second, elsewhere] = await Promise.all([
    follow(scopeOf(one, workspace)),
    follow(scopeOf(two, workspace)),
    follow(scopeOf(one)),
  ]);
  const own = await begin(scopeOf(one, workspace), { message: 'Mine alone' });
  const shared = await begin(scopeOf(one, workspace), alone);
  const idsOf = (frames: Frame[]) => frames.map(({ data }) => data.execution_id);
  expect(idsOf(await first.take(2))).toEqual([own.id, shared.id]);
  expect(idsOf(await second.take(1))).toEqual([shared.id]);
  const personal = await begin(scopeOf(one), alone);
  expect(idsOf(await elsewhere.take(1))).toEqual([personal.id]);
});

test('reports changes of a session to the member who started it, wherever they look', async () => {
  const [one, two] = (await Promise.all([freshPerson(api), freshPerson(api)])) as [Person, Person];
  const workspace = await freshWorkspace(api, one, [[two, 'editor']]);
  const [own, other] = await Promise.all([follow(scopeOf(one, workspace)), follow(scopeOf(two, workspace))]);
  const headers = scopeOf(one, workspace);
  const { id } = (await api.call('POST', '/sessions', { headers, body: { title: 'Before' } })).body;
  const missing = await api.call('PATCH', `/sessions/${newId('session')}`, { headers, body: { pinned: true } });
  expect(missing.status).toBe(404);
  await api.call('PATCH', `/sessions/${id}`, { headers, body: { title: 'After' } });
  const fork = (await api.call('POST', `/sessions/${id}/fork`, { headers, body: {} })).body;
  await api.call('DELETE', `/sessions/${id}`, { headers });
  const about = { user_id: one.id, time: expect.any(String) };
  expect((await own.take(3)).map(({ data }) => data)).toEqual([
    { type: 'session.updated', session_id: id, ...about },
    { type: 'session.updated', session_id: fork.id, ...about },
    { type: 'session.deleted', session_id: id, ...about },
  ]);
  const shared = await begin(scopeOf(one, workspace), alone);
  expect((await other.take(1))[0]?.data.execution_id).toBe(shared.id);
});

test('reports an edited, rated, and deleted message as a change of its session', async () => {
  const person = await freshPerson(api);
  const owner: Owner = { scope: 'personal', user_id: person.id, workspace_id: null };
  const [message, answer] = [await recordMakers(api).message(owner), await recordMakers(api).answer(owner)];
  const own = await follow(scopeOf(person));
  const headers = scopeOf(person);
  const { session_id } = (await api.call('PATCH', `/messages/${message}`, { headers, body: { content: 'New' } })).body;
  expect((await api.call('DELETE', `/messages/${message}`, { headers })).status).toBe(200);
  const rate = { headers, body: { rating: 'down' } };
  const rated = (await api.call('POST', `/messages/${answer}/rate`, rate)).body;
  const updated = { type: 'session.updated', session_id };
  const expected = [updated, updated, { ...updated, session_id: rated.session_id }];
  expect((await own.take(3)).map(({ data }) => data)).toMatchObject(expected);
});

test('disconnects followers who lose access within seconds', async () => {
  const [founder, member, keyed] = (await Promise.all([1, 2, 3].map(() => freshPerson(api)))) as Person[] as [
    Person,
    Person,
    Person,
  ];
  const workspace = await freshWorkspace(api, founder, [[member, 'viewer']]);
  const [asMember, byKey, asFounder] = await Promise.all([
    follow(scopeOf(member, workspace)),
    follow({ 'x-api-key': keyed.readKey, 'x-scope-type': 'personal' }),
    follow(scopeOf(founder, workspace)),
  ]);
  const removed = await api.call('DELETE', `/workspaces/${workspace}/members/${member.id}`, {
    headers: scopeOf(founder, workspace),
  });
  expect(removed.status).toBe(200);
  await api.services.accounts.users.setDisabled(NO_ACTOR, keyed.id, true);
  expect(await Promise.all([asMember.next(), byKey.next()])).toEqual([null, null]);
  const { id } = await begin(scopeOf(founder, workspace), alone);
  expect((await asFounder.take(1))[0]?.data.execution_id).toBe(id);
});

test('refuses invalid positions', async () => {
  const bad = (path: string, headers: Record<string, string> = {}) => api.call('GET', path, { headers });
  for (const place of ['x', '7', '-1-0', '1-', '9999999999999999-0'])
    for (const answer of [await bad(`/events?after=${place}`), await bad('/events', { 'last-event-id': place })])
      expect([answer.status, answer.body.error.code]).toEqual([400, 'invalid_request']);
});

test('a client that does not read holds up no one, and is informed of missed events', async () => {
  const person = await freshPerson(api);
  const owner: Owner = { scope: 'personal', user_id: person.id, workspace_id: null };
  const slow = await follow(scopeOf(person));
  const filler = 'x'.repeat(8_000);
  const about = { kind: 'image', mime_type: filler, size_bytes: 1, execution_id: null } as const;
  const publish = () =>
    api.services.eventLog.publishToFeed(owner, { type: 'asset.created', asset_id: newId('asset'), ...about });
  for (let round = 0; round < 20; round += 1) {
    for (let number = 0; number < 200; number += 1) publish();
    await pause(20);
  }
  publish();
  const types: string[] = [];
  while (!types.includes('events.lost')) types.push(...(await slow.take(1)).map(({ data }) => data.type));
  expect(types.length).toBeLessThan(3_500);
});
