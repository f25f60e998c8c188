import { newId, type Owner } from '@chorus/contract';
import { beforeAll, expect, it } from 'vitest';
import type { Database } from '../connect-database.ts';
import { openTestDatabase } from '../test-database.ts';
import type { MessageRecord } from './schema.ts';

let database: Database;

beforeAll(async () => {
  const opened = await openTestDatabase();
  database = opened.database;
  return opened.close;
});

const personal = (): Owner => ({ scope: 'personal', user_id: newId('user'), workspace_id: null });
const usage = { input_tokens: 1, output_tokens: 1, total_tokens: 2, cost_usd: null };

function turn(owner: Owner, session: string, position: number, execution = newId('job')) {
  const make = (role: 'user' | 'assistant', content: string, place: number): MessageRecord => ({
    id: newId('message'),
    owner,
    session_id: session,
    role,
    content,
    revision: 1,
    effective_revision: 1,
    superseded_by: null,
    status: role === 'user' ? 'succeeded' : 'queued',
    execution_id: execution,
    citations: [],
    reasoning: [],
    tool_calls: [],
    tool_call_id: null,
    attachments: [],
    usage: null,
    position: place,
    created_at: new Date(),
    updated_at: new Date(),
  });
  return [make('user', `question ${position}`, position), make('assistant', '', position + 1)] as [
    MessageRecord,
    MessageRecord,
  ];
}

it('stores a turn and completes it, repeatedly', async () => {
  const owner = personal();
  const messages = turn(owner, newId('session'), 0);
  await database.messages.insert(owner, messages);
  const [user, assistant] = messages;
  expect(await database.messages.get(owner, user.id)).toEqual(user);
  const completed = { content: 'answer', status: 'succeeded', usage, execution_id: assistant.execution_id! } as const;
  await database.messages.complete(owner, assistant.id, completed);
  await database.messages.complete(owner, assistant.id, completed);
  expect(await database.messages.get(owner, assistant.id)).toMatchObject(completed);
  expect(await database.messages.get(personal(), assistant.id)).toBeNull();
});

it('gives a position in the session to one message', async () => {
  const owner = personal();
  const session = newId('session');
  await database.messages.insert(owner, turn(owner, session, 0));
  await expect(database.messages.insert(owner, turn(owner, session, 1))).rejects.toMatchObject({
    code: 'conflict',
  });
});

it('lets only the execution that has the message write it', async () => {
  const owner = personal();
  const messages = turn(owner, newId('session'), 0);
  const [user, assistant] = messages;
  await database.messages.insert(owner, messages);
  const first = { content: 'half', status: 'failed', usage: null, execution_id: assistant.execution_id! } as const;
  await database.messages.complete(owner, assistant.id, first);
  const retry = newId('job');
  const anew = { content: '', status: 'queued', execution_id: retry, revision: 2, effective_revision: 2 } as const;
  expect(await database.messages.revise(owner, assistant.id, 1, anew)).toMatchObject(anew);
  expect(await database.messages.revise(owner, assistant.id, 1, anew)).toBeNull();
  expect(await database.messages.revise(personal(), user.id, 1, anew)).toBeNull();
  await database.messages.complete(owner, assistant.id, first);
  expect(await database.messages.get(owner, assistant.id)).toMatchObject({ content: '', status: 'queued' });
  await database.messages.complete(owner, assistant.id, { ...first, content: 'whole', execution_id: retry });
  expect(await database.messages.get(owner, assistant.id)).toMatchObject({ content: 'whole' });
});

it('lists a session by position for its owner only', async () => {
  const owner = personal();
  const session = newId('session');
  for (const position of [4, 0, 2]) await database.messages.insert(owner, turn(owner, session, position));
  await database.messages.insert(owner, turn(owner, newId('session'), 0));
  for (const [order, positions] of [
    ['asc', [0, 1, 2, 3, 4, 5]],
    ['desc', [5, 4, 3, 2, 1, 0]],
  ] as const) {
    const seen: number[] = [];
    let after: string | null = null;
    do {
      const query = { order, limit: 4, ...(after === null ? {} : { after }) };
      const page = await database.messages.listBySession(owner, session, query);
      seen.push(...page.data.map(({ position }) => position));
      after = page.next_cursor;
    } while (after !== null);
    expect(seen).toEqual(positions);
  }
  expect((await database.messages.listBySession(personal(), session, { limit: 4 })).data).toEqual([]);
  for (const bad of ['x', '-1', '1e3', '99999999999999999999'])
    await expect(database.messages.listBySession(owner, session, { limit: 4, after: bad })).rejects.toMatchObject({
      code: 'invalid_request',
    });
});

it('returns the newest messages with content, oldest first, beyond a default batch', async () => {
  const owner = personal();
  const session = newId('session');
  for (let position = 0; position < 300; position += 2)
    await database.messages.insert(owner, turn(owner, session, position));
  const limits = { maxMessages: 120, maxBytes: 1_000_000 };
  const { messages, dropped } = await database.messages.context(owner, session, 298, limits);
  expect(messages.map(({ position }) => position)).toEqual(Array.from({ length: 120 }, (_, index) => 58 + index * 2));
  expect([messages.every(({ role }) => role === 'user'), dropped]).toEqual([true, true]);
  const few = await database.messages.context(owner, session, 298, {
    maxMessages: 120,
    maxBytes: 'question 296'.length * 2,
  });
  expect(few.messages.map(({ position }) => position)).toEqual([294, 296]);
  const first = await database.messages.context(owner, session, 1, { maxMessages: 1, maxBytes: 1 });
  expect([first.messages.length, first.dropped]).toEqual([1, false]);
});

it('removes a turn, or the whole session', async () => {
  const owner = personal();
  const session = newId('session');
  const execution = newId('job');
  await database.messages.insert(owner, turn(owner, session, 0));
  await database.messages.insert(owner, turn(owner, session, 2, execution));
  expect(await database.messages.removeTurn(personal(), session, execution)).toBe(0);
  expect(await database.messages.removeTurn(owner, session, execution)).toBe(2);
  expect((await database.messages.listBySession(owner, session, { limit: 10 })).data).toHaveLength(2);
  expect(await database.messages.removeSome(owner, session, 1)).toHaveLength(1);
  expect(await database.messages.removeSome(owner, session, 10)).toHaveLength(1);
  expect(await database.messages.removeSome(owner, session, 10)).toEqual([]);
  expect((await database.messages.listBySession(owner, session, { limit: 10 })).data).toEqual([]);
});
