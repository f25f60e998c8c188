import { type AuditContext, type CitationItem, NO_ACTOR, newId, type Owner } from '@chorus/contract';
import { connectDatabase, type Database } from '@chorus/database';
import { newExecution } from '@chorus/executions';
import { NO_USAGE } from '@chorus/providers/usage';
import { createLogger } from '@chorus/runtime/log';
import { sharedStore, type TestDatabases } from '@chorus/testing';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { editMessage, messageHistory, removeMessage, undoEdit } from './message-changes.ts';
import { removeSession } from './remove-session.ts';
import { restartTurn, startTurn } from './turn.ts';
import { turnContext } from './turn-context.ts';

/** Changes made by tests are not audited. */
const auditContext: AuditContext = {
  actor: NO_ACTOR,
  audit: { record: async () => {} },
};

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

const any = { expected: null };

/** Creates a turn, answered or not, with its two messages. */
async function makeTurn(status: 'succeeded' | 'failed' | null = 'succeeded') {
  const owner: Owner = { scope: 'personal', user_id: newId('user'), workspace_id: null };
  const executionId = newId('job');
  const turn = await startTurn(database, owner, { message: 'A', executionId });
  const said = { content: 'answer', usage: null, execution_id: executionId };
  if (status !== null) {
    await database.messages.complete(owner, turn.assistant_message_id, { ...said, status });
    await database.sessions.release(owner, turn.session_id, executionId);
  }
  return { owner, turn, executionId, user: turn.user_message_id, assistant: turn.assistant_message_id };
}

async function history(owner: Owner, id: string) {
  const page = await messageHistory(database, owner, id, { limit: 100 });
  return page.data.map(({ revision, action, content, restores }) => [revision, action, content, restores]);
}

it('stores every revision and undoes them one by one', async () => {
  const { owner, user } = await makeTurn();
  const edit = (content: string) => editMessage(database, owner, user, { content, ...any });
  const undo = () => undoEdit(database, owner, user, any);
  expect(await history(owner, user)).toEqual([[1, 'created', 'A', null]]);
  await expect(undo()).rejects.toMatchObject({ code: 'invalid_request' });

  expect(await edit('B')).toMatchObject({ id: user, content: 'B', revision: 2 });
  await edit('C');
  expect(await undo()).toMatchObject({ content: 'B', revision: 4 });
  expect(await edit('D')).toMatchObject({ content: 'D', revision: 5 });
  expect((await undo()).content).toBe('B');
  expect((await undo()).content).toBe('A');
  await expect(undo()).rejects.toMatchObject({ code: 'invalid_request' });
  expect(await database.messages.get(owner, user)).toMatchObject({ content: 'A', revision: 7 });

  expect(await history(owner, user)).toEqual([
    [1, 'created', 'A', null],
    [2, 'edited', 'B', null],
    [3, 'edited', 'C', null],
    [4, 'undone', 'B', 2],
    [5, 'edited', 'D', null],
    [6, 'undone', 'B', 2],
    [7, 'undone', 'A', 1],
  ]);
  const first = await messageHistory(database, owner, user, { limit: 3 });
  const second = await messageHistory(database, owner, user, { limit: 5, after: first.next_cursor! });
  expect([...first.data, ...second.data].map(({ revision }) => revision)).toEqual([1, 2, 3, 4, 5, 6, 7]);
});

it('records who wrote each revision', async () => {
  const { owner, user, assistant, executionId } = await makeTurn();
  await editMessage(database, owner, assistant, { content: 'better', ...any });
  const [made, edited] = (await messageHistory(database, owner, assistant, { limit: 10 })).data;
  expect(made).toMatchObject({ content: 'answer', user_id: null, execution_id: executionId });
  expect(edited).toMatchObject({ content: 'better', user_id: owner.user_id, execution_id: null });
  const [question] = (await messageHistory(database, owner, user, { limit: 10 })).data;
  expect(question).toMatchObject({ content: 'A', user_id: owner.user_id, execution_id: null });
});

it('keeps citations that an edit still refers to, and restores the others on undo', async () => {
  const { owner, turn, executionId, assistant } = await makeTurn(null);
  const cited = (marker: number): CitationItem => ({
    type: 'citation',
    marker,
    entry_id: 'kno_1',
    chunk_id: `kno_1:1:${marker}`,
    title: 'Tea',
    heading_path: [],
    page: null,
    quote: `Quote ${marker}.`,
    score: 1,
  });
  const citations = [cited(1), cited(2)];
  const said = { content: 'One [1]. Two [2].', usage: null, execution_id: executionId, citations };
  await database.messages.complete(owner, assistant, { ...said, status: 'succeeded' });
  await database.sessions.release(owner, turn.session_id, executionId);

  const edited = await editMessage(database, owner, assistant, { content: 'Just two [2].', ...any });
  expect(edited.citations).toEqual([cited(2)]);
  expect((await undoEdit(database, owner, assistant, any)).citations).toEqual(citations);
  const rows = (await messageHistory(database, owner, assistant, { limit: 10 })).data;
  expect(rows.map((row) => row.citations)).toEqual([citations, [cited(2)], citations]);

  const next = { message: 'And three?', model: 'm/x', executionId: newId('job'), session_id: turn.session_id };
  const { user_message_id } = await startTurn(database, owner, next);
  const shown = await turnContext(database, owner, { ...turn, user_message_id }, { maxTokens: 1_000 });
  expect(shown.messages.map(({ content }) => content)).toEqual(['A', 'One. Two.', 'And three?']);
});

it('rejects an edit based on an old revision', async () => {
  const { owner, user } = await makeTurn();
  await editMessage(database, owner, user, { content: 'B', expected: [1] });
  const stale = { code: 'conflict', extra: { revision: 2 } };
  await expect(editMessage(database, owner, user, { content: 'C', expected: [1] })).rejects.toMatchObject(stale);
  await expect(undoEdit(database, owner, user, { expected: [1] })).rejects.toMatchObject(stale);
  await expect(removeMessage(database, owner, user, { expected: [1], ...auditContext })).rejects.toMatchObject(stale);
  expect(await undoEdit(database, owner, user, { expected: [2] })).toMatchObject({ content: 'A', revision: 3 });
});

it('creates one revision for each concurrent edit', async () => {
  const { owner, user } = await makeTurn();
  const texts = Array.from({ length: 4 }, (_, n) => `edit ${n}`);
  const edits = await Promise.all(
    texts.map((content) => editMessage(database, owner, user, { content, ...any }).then(({ revision }) => revision)),
  );
  expect(new Set(edits).size).toBe(4);
  const rows = await history(owner, user);
  expect(rows.map(([revision]) => revision)).toEqual([1, 2, 3, 4, 5]);
  expect(rows.map(([, , content]) => content).sort()).toEqual(['A', ...texts].sort());
  const expected = await Promise.allSettled(
    texts.map((content) => editMessage(database, owner, user, { content, expected: [5] })),
  );
  expect(expected.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
});

it('completes the change of a process that died halfway', async () => {
  const { owner, user } = await makeTurn();
  const message = (await database.messages.get(owner, user))!;
  const [row] = (await messageHistory(database, owner, user, { limit: 1 })).data;
  await database.messageRevisions.keep(owner, row!);
  const left = { ...row!, revision: 2, action: 'edited', content: 'B', undo_to: 1 } as const;
  await database.messageRevisions.claim(owner, left);
  expect(await history(owner, user)).toEqual([[1, 'created', message.content, null]]);
  expect(await editMessage(database, owner, user, { content: 'C', ...any })).toMatchObject({ revision: 3 });
  expect((await undoEdit(database, owner, user, any)).content).toBe('B');
});

it('rejects changes while the turn runs', async () => {
  const { owner, user, assistant, executionId } = await makeTurn(null);
  const locked = { code: 'session_locked', extra: { active_execution_id: executionId } };
  for (const id of [user, assistant]) {
    await expect(editMessage(database, owner, id, { content: 'x', ...any })).rejects.toMatchObject(locked);
    await expect(undoEdit(database, owner, id, any)).rejects.toMatchObject(locked);
    await expect(removeMessage(database, owner, id, { ...any, ...auditContext })).rejects.toMatchObject(locked);
  }
});

it("allows changes once the turn's end is stored, before it unlocks the session", async () => {
  const { owner, turn, assistant, executionId } = await makeTurn(null);
  const { session_id } = turn;
  const begun = { id: executionId, kind: 'chat.completion', owner, model: 'm/x', input: {}, session_id } as const;
  await database.executions.insert(newExecution({ ...begun, message_id: assistant }));
  const output = [{ type: 'text' as const, text: 'answer' }];
  const model = { model: 'm/x', provider: 'embedded' as const, finish_reason: 'stop' as const };
  const finished_at = new Date();
  const end = { status: 'succeeded' as const, output, usage: NO_USAGE, error: null, ...model, finished_at };
  await database.executions.finish(owner, executionId, 1, end);
  expect(await editMessage(database, owner, assistant, { content: 'better', ...any })).toMatchObject({
    content: 'better',
    status: 'succeeded',
  });
  expect(await history(owner, assistant)).toMatchObject([
    [1, 'created', 'answer', null],
    [2, 'edited', 'better', null],
  ]);

  const next = newId('job');
  await startTurn(database, owner, { message: 'B', session_id, executionId: next });
  await database.executions.insert(newExecution({ ...begun, id: next, message_id: null }));
  await expect(
    removeSession(database, owner, session_id, { ...auditContext, publishToFeed: () => undefined }),
  ).rejects.toMatchObject({
    code: 'session_locked',
  });
  await database.executions.finish(owner, next, 1, end);
  await removeSession(database, owner, session_id, { ...auditContext, publishToFeed: () => undefined });
});

it('locks a question that is being answered again, but not earlier messages', async () => {
  const { owner, turn, user, assistant } = await makeTurn('failed');
  const retry = newId('job');
  await restartTurn(database, owner, turn, retry);
  const locked = { code: 'session_locked', extra: { active_execution_id: retry } };
  await expect(editMessage(database, owner, user, { content: 'x', ...any })).rejects.toMatchObject(locked);
  const done = { content: 'whole', status: 'succeeded', usage: null, execution_id: retry } as const;
  await database.messages.complete(owner, assistant, done);
  await database.sessions.release(owner, turn.session_id, retry);

  const next = { message: 'next', session_id: turn.session_id, model: 'embedded/assistant', executionId: newId('job') };
  await startTurn(database, owner, next);
  expect(await editMessage(database, owner, user, { content: 'x', ...any })).toMatchObject({ content: 'x' });
});

it('keeps the previous answer when a turn runs again', async () => {
  const { owner, turn, assistant } = await makeTurn('failed');
  const retry = newId('job');
  await restartTurn(database, owner, turn, retry);
  expect(await database.messages.get(owner, assistant)).toMatchObject({ content: '', status: 'queued', revision: 2 });
  const done = { content: 'whole', status: 'succeeded', usage: null, execution_id: retry } as const;
  await database.messages.complete(owner, assistant, done);
  await database.sessions.release(owner, turn.session_id, retry);
  expect(await history(owner, assistant)).toEqual([
    [1, 'created', 'answer', null],
    [2, 'restarted', 'whole', null],
  ]);
  await editMessage(database, owner, assistant, { content: 'edited', ...any });
  expect((await undoEdit(database, owner, assistant, any)).content).toBe('whole');
  await expect(undoEdit(database, owner, assistant, any)).rejects.toMatchObject({ code: 'invalid_request' });
});

it('deletes a message with its history', async () => {
  const { owner, turn, user, assistant } = await makeTurn();
  for (const id of [user, assistant]) await editMessage(database, owner, id, { content: 'B', ...any });
  await removeMessage(database, owner, user, { ...any, ...auditContext });
  await expect(removeMessage(database, owner, user, { ...any, ...auditContext })).rejects.toMatchObject({
    code: 'not_found',
  });
  await expect(messageHistory(database, owner, user, { limit: 5 })).rejects.toMatchObject({ code: 'not_found' });
  expect((await database.messageRevisions.list(owner, user, { limit: 5 })).data).toEqual([]);
  expect(await database.sessions.get(owner, turn.session_id)).toMatchObject({ message_count: 1 });
});

it("does not find other users' messages", async () => {
  const { user } = await makeTurn();
  const other: Owner = { scope: 'personal', user_id: newId('user'), workspace_id: null };
  const unknown = { code: 'not_found' };
  await expect(editMessage(database, other, user, { content: 'x', ...any })).rejects.toMatchObject(unknown);
  await expect(messageHistory(database, other, user, { limit: 5 })).rejects.toMatchObject(unknown);
  await expect(removeMessage(database, other, user, { ...any, ...auditContext })).rejects.toMatchObject(unknown);
});
