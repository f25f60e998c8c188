import { type CitationItem, NO_ACTOR, newId, type Owner } from '@chorus/contract';
import { connectDatabase, type Database, type MessageRecord } from '@chorus/database';
import { createLogger } from '@chorus/runtime/log';
import { sharedStore, type TestDatabases } from '@chorus/testing';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { forkSession } from './fork-session.ts';
import { editMessage, removeMessage } from './message-changes.ts';
import { regenerateTurn, startTurn } from './turn.ts';

let store: TestDatabases;
let database: Database;

beforeAll(async () => {
  store = await sharedStore();
  database = await connectDatabase({ uri: store.uri, log: createLogger({ name: 'test', level: 'silent' }) });
});
afterAll(async () => {
  await database?.close();
  await store?.stop();
});

const personal = (): Owner => ({ scope: 'personal', user_id: newId('user'), workspace_id: null });
const messagesOf = async (owner: Owner, session: string) =>
  (await database.messages.listBySession(owner, session, { limit: 100 })).data;

async function ask(
  owner: Owner,
  message: string,
  said: Partial<Pick<MessageRecord, 'citations' | 'steps' | 'sources' | 'warnings'>>,
  session_id?: string,
) {
  const executionId = newId('job');
  const turn = await startTurn(database, owner, { message, session_id, executionId, attachments: [newId('asset')] });
  const ending = { content: 'Yes [1].', status: 'succeeded', usage: null, execution_id: executionId, ...said } as const;
  await database.messages.complete(owner, turn.assistant_message_id, ending);
  await database.sessions.release(owner, turn.session_id, executionId);
  return turn;
}

const citation: CitationItem = {
  type: 'citation',
  marker: 1,
  entry_id: 'kno_1',
  chunk_id: 'kno_1:1:1',
  title: 'Tea',
  heading_path: [],
  page: null,
  quote: 'Tea is hot.',
  score: 1,
};
const step = {
  content: '',
  tool_calls: [
    {
      id: 'call_1',
      name: 'knowledge_search',
      arguments: '{}',
      status: 'succeeded',
      result: 'Tea is hot.',
      started_at: null,
      finished_at: null,
    },
  ],
} as unknown as NonNullable<MessageRecord['steps']>[number];

it('copies all messages up to one, without what belongs to the original', async () => {
  const owner = personal();
  const extras = { citations: [citation], steps: [step], sources: ['kno_1'], warnings: ['slow'] };
  const first = await ask(owner, 'Is tea hot?', extras);
  await ask(owner, 'Later', {}, first.session_id);
  await editMessage(database, owner, first.user_message_id, { content: 'Is tea warm?', expected: null });
  const fork = await forkSession(database, owner, first.session_id, { message_id: first.assistant_message_id });
  expect(fork).toMatchObject({ title: 'Is tea warm? (fork)', message_count: 2, active_execution_id: null });
  expect(fork).toEqual(await database.sessions.get(owner, fork.id));

  const [question, answer] = (await messagesOf(owner, first.session_id)) as [MessageRecord, MessageRecord];
  const [copied, reply] = (await messagesOf(owner, fork.id)) as [MessageRecord, MessageRecord];
  const own = { id: expect.any(String), session_id: fork.id, execution_id: null, revision: 1, effective_revision: 1 };
  expect(copied).toEqual({ ...question, ...own, position: 0 });
  // It answers the text before the edit, which was not copied.
  expect(reply).toEqual({ ...answer, ...own, position: 1, question_revision: 0 });
  expect(reply).toMatchObject(extras);
  expect(new Set([question.id, answer.id, copied.id, reply.id]).size).toBe(4);
  expect((await database.messages.listQuoting('kno_1', 100)).map(({ id }) => id)).toContain(reply.id);

  const next = await ask(owner, 'And here?', {}, fork.id);
  expect((await messagesOf(owner, fork.id)).map(({ position }) => position)).toEqual([0, 1, 2, 3]);
  expect(await messagesOf(owner, first.session_id)).toHaveLength(4);
  const again = await forkSession(database, owner, next.session_id, { title: undefined });
  expect(again).toMatchObject({ title: 'Is tea warm? (fork)', message_count: 4 });

  // A derived title is deleted together with its message.
  const actor = NO_ACTOR;
  const auditContext = { actor, audit: { record: async () => undefined } };
  await removeMessage(database, owner, copied.id, { expected: null, ...auditContext });
  expect((await database.sessions.get(owner, fork.id))?.title).toBeNull();
});

it('forks all messages, an empty session, and with another title and agent', async () => {
  const owner = personal();
  const empty = { title: null, pinned: true, starred: true, metadata: { a: 'b' }, agent_id: newId('agent') };
  const session = await database.sessions.create(owner, empty);
  const fork = await forkSession(database, owner, session.id, {});
  expect(fork).toMatchObject({ title: null, pinned: false, metadata: {}, agent_id: empty.agent_id, message_count: 0 });
  await ask(owner, 'One', {}, session.id);
  const agent_id = newId('agent');
  const named = await forkSession(database, owner, session.id, { title: 'Mine', agent_id });
  expect(named).toMatchObject({ title: 'Mine', agent_id, message_count: 2 });
});

it('refuses messages that are unknown, superseded, or being written, and leaves nothing behind', async () => {
  const owner = personal();
  const { session_id, ...first } = await ask(owner, 'One', {});
  const fork = (message_id?: string, by = owner) => forkSession(database, by, session_id, { message_id });
  await expect(fork(undefined, personal())).rejects.toMatchObject({ code: 'not_found' });
  await expect(fork(newId('message'))).rejects.toMatchObject({ code: 'not_found' });
  const elsewhere = await ask(owner, 'Elsewhere', {});
  await expect(fork(elsewhere.user_message_id)).rejects.toMatchObject({ code: 'not_found' });

  const executionId = newId('job');
  const turn = await regenerateTurn(database, owner, { message_id: first.user_message_id, executionId });
  const refused = { code: 'invalid_request', details: [{ path: 'body.message_id' }] };
  await expect(fork(first.assistant_message_id)).rejects.toMatchObject(refused);
  const running = { code: 'session_locked', extra: { active_execution_id: executionId } };
  await expect(fork(turn.assistant_message_id)).rejects.toMatchObject(running);
  const { data } = await database.sessions.list(owner, { limit: 10 });
  expect(data.map(({ id }) => id).sort()).toEqual([session_id, elsewhere.session_id].sort());
  // Finished messages can still be forked.
  expect(await fork(first.user_message_id)).toMatchObject({ message_count: 1 });
});

it('limits the number of messages', async () => {
  const owner = personal();
  const { session_id } = await ask(owner, 'One', {});
  const [, answer] = (await messagesOf(owner, session_id)) as [MessageRecord, MessageRecord];
  const more = Array.from({ length: 2_000 }, (_, n) => ({ ...answer, id: newId('message'), position: n + 2 }));
  await database.messages.insert(owner, more);
  const refused = { code: 'payload_too_large', details: [{ path: 'body.message_id' }] };
  await expect(forkSession(database, owner, session_id, {})).rejects.toMatchObject(refused);
  const most = await forkSession(database, owner, session_id, { message_id: more[1_997]!.id });
  expect(most.message_count).toBe(2_000);
  expect(await database.messages.count(owner, most.id, 10_000)).toBe(2_000);
});
