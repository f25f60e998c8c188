import { type AuditContext, type ChorusError, NO_ACTOR, newId, type Owner } from '@chorus/contract';
import { connectDatabase, type Database } from '@chorus/database';
import { newExecution } from '@chorus/executions';
import { estimateTokens, NO_USAGE } from '@chorus/providers/usage';
import { createLogger } from '@chorus/runtime/log';
import { sharedStore, type TestDatabases } from '@chorus/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { checkUnlocked } from './lock-session.ts';
import { editMessage, removeMessage } from './message-changes.ts';
import { abandonTurn, type OpenedTurn } from './opened-turn.ts';
import { removeSession } from './remove-session.ts';
import { regenerateTurn, restartTurn, startTurn } from './turn.ts';
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

const personal = (): Owner => ({ scope: 'personal', user_id: newId('user'), workspace_id: null });
const model = 'embedded/assistant';
const messagesOf = async (owner: Owner, session: string) =>
  (await database.messages.listBySession(owner, session, { limit: 100 })).data;

function start(owner: Owner, message: string, session_id?: string, executionId = newId('job')) {
  return startTurn(database, owner, { message, session_id, executionId });
}

/** Ends a turn as a worker does. */
async function answer(owner: Owner, turn: OpenedTurn, executionId: string, content: string, status = 'succeeded') {
  await database.messages.complete(owner, turn.assistant_message_id, {
    content,
    status: status as 'succeeded',
    usage: null,
    execution_id: executionId,
  });
  await database.sessions.release(owner, turn.session_id, executionId);
}

async function talk(owner: Owner, turns: [question: string, answer: string, status?: string][]) {
  let session: string | undefined;
  const made: OpenedTurn[] = [];
  for (const [question, reply, status] of turns) {
    const execution = newId('job');
    const turn = await start(owner, question, session, execution);
    await answer(owner, turn, execution, reply, status);
    session = turn.session_id;
    made.push(turn);
  }
  return { session: session!, turns: made };
}

describe('a turn', () => {
  it('creates a session with a title and locks it', async () => {
    const owner = personal();
    const execution = newId('job');
    const turn = await start(owner, 'How are\nyou?', undefined, execution);
    expect(await database.sessions.get(owner, turn.session_id)).toMatchObject({
      title: 'How are you?',
      active_execution_id: execution,
      message_count: 2,
      pinned: false,
    });
    expect(await messagesOf(owner, turn.session_id)).toMatchObject([
      { id: turn.user_message_id, role: 'user', content: 'How are\nyou?', status: 'succeeded', position: 0 },
      { id: turn.assistant_message_id, role: 'assistant', content: '', status: 'queued', execution_id: execution },
    ]);
  });

  it("starts once the previous turn's end is stored, before it unlocks the session", async () => {
    const owner = personal();
    const id = newId('job');
    const { session_id, assistant_message_id: message_id } = await start(owner, 'one', undefined, id);
    const begun = { id, kind: 'chat.completion', owner, model, input: {}, session_id, message_id } as const;
    await database.executions.insert(newExecution(begun));
    await expect(checkUnlocked(database, owner, session_id)).rejects.toMatchObject({ code: 'session_locked' });
    const output = [{ type: 'text' as const, text: 'ONE' }];
    await database.executions.finish(owner, id, 1, {
      status: 'succeeded',
      output,
      usage: NO_USAGE,
      error: null,
      model,
      provider: 'embedded',
      finish_reason: 'stop',
      finished_at: new Date(),
    });
    await start(owner, 'two', session_id);
    const said = (await messagesOf(owner, session_id)).map(({ content, status }) => [content, status]);
    expect(said.slice(1, 3)).toEqual([
      ['ONE', 'succeeded'],
      ['two', 'succeeded'],
    ]);
  });

  it('is added to a free session, and rejected by a locked one', async () => {
    const owner = personal();
    const execution = newId('job');
    const first = await start(owner, 'one', undefined, execution);
    const refused = await start(owner, 'two', first.session_id).catch((error: ChorusError) => error);
    expect(refused).toMatchObject({
      code: 'session_locked',
      status: 409,
      retryAfterS: 1,
      extra: { active_execution_id: execution },
    });
    expect(await messagesOf(owner, first.session_id)).toHaveLength(2);
    await answer(owner, first, execution, 'ONE');
    const second = await start(owner, 'two', first.session_id);
    expect(second.session_id).toBe(first.session_id);
    expect((await messagesOf(owner, first.session_id)).map(({ content }) => content)).toEqual([
      'one',
      'ONE',
      'two',
      '',
    ]);
    expect(await database.sessions.get(owner, first.session_id)).toMatchObject({ title: 'one', message_count: 4 });
  });

  it('rejects unknown sessions and those of other users', async () => {
    const { session_id } = await start(personal(), 'mine');
    for (const id of [session_id, newId('session')])
      await expect(start(personal(), 'x', id)).rejects.toMatchObject({ code: 'not_found' });
  });

  it('succeeds for one of several concurrent requests', async () => {
    const owner = personal();
    const { session } = await talk(owner, [['a', 'b']]);
    const turns = await Promise.allSettled(Array.from({ length: 10 }, (_, n) => start(owner, `try ${n}`, session)));
    expect(turns.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    expect(await messagesOf(owner, session)).toHaveLength(4);
  });
});

describe('an abandoned turn', () => {
  it('is deleted with the session that it created', async () => {
    const owner = personal();
    const execution = newId('job');
    const turn = await start(owner, 'one', undefined, execution);
    await abandonTurn(database, owner, turn, execution);
    await abandonTurn(database, owner, turn, execution);
    expect(await database.sessions.get(owner, turn.session_id)).toBeNull();
    expect(await messagesOf(owner, turn.session_id)).toEqual([]);
  });

  it('leaves an existing session unchanged', async () => {
    const owner = personal();
    const { session } = await talk(owner, [['a', 'b']]);
    const execution = newId('job');
    const turn = await start(owner, 'two', session, execution);
    await abandonTurn(database, owner, turn, newId('job'));
    expect(await messagesOf(owner, session)).toHaveLength(4);
    await abandonTurn(database, owner, turn, execution);
    expect((await messagesOf(owner, session)).map(({ content }) => content)).toEqual(['a', 'b']);
    expect(await database.sessions.get(owner, session)).toMatchObject({ active_execution_id: null, message_count: 2 });
    await start(owner, 'three', session);
    expect((await messagesOf(owner, session)).map(({ content }) => content)).toEqual(['a', 'b', 'three', '']);
  });
});

describe('a repeated turn', () => {
  it('rewrites its message, which an abandoned turn marks as failed', async () => {
    const owner = personal();
    const { session, turns } = await talk(owner, [['a', 'half', 'failed']]);
    const turn = turns[0]!;
    const execution = newId('job');
    const retry = await restartTurn(database, owner, turn, execution);
    expect(retry).toEqual({ ...turn, opened: 'retry' });
    expect(await messagesOf(owner, session)).toMatchObject([
      { content: 'a' },
      { content: '', status: 'queued', execution_id: execution },
    ]);
    await expect(restartTurn(database, owner, turn, newId('job'))).rejects.toMatchObject({ code: 'session_locked' });
    await abandonTurn(database, owner, retry, execution);
    expect(await messagesOf(owner, session)).toMatchObject([{ content: 'a' }, { content: '', status: 'failed' }]);
    expect(await database.sessions.get(owner, session)).toMatchObject({ active_execution_id: null, message_count: 2 });
  });

  it('is rejected if its message was deleted, and leaves the session unlocked', async () => {
    const owner = personal();
    const { session, turns } = await talk(owner, [['a', 'b']]);
    const gone = { ...turns[0]!, assistant_message_id: newId('message') };
    await expect(restartTurn(database, owner, gone, newId('job'))).rejects.toMatchObject({ code: 'not_found' });
    expect(await database.sessions.get(owner, session)).toMatchObject({ active_execution_id: null });
  });
});

describe('the context', () => {
  const context = async (owner: Owner, turn: OpenedTurn, maxTokens = 10_000) =>
    (await turnContext(database, owner, turn, { maxTokens })).messages;

  it("contains the messages up to the user's", async () => {
    const owner = personal();
    const { session, turns } = await talk(owner, [
      ['a', 'A'],
      ['b', 'B'],
    ]);
    const turn = await start(owner, 'c', session);
    const expected = ['a', 'A', 'b', 'B', 'c'];
    expect((await context(owner, turn)).map(({ content }) => content)).toEqual(expected);
    expect((await context(owner, turn)).map(({ role }) => role)).toEqual([
      'user',
      'assistant',
      'user',
      'assistant',
      'user',
    ]);
    // Repeating the first turn excludes later messages.
    expect(await context(owner, turns[0]!)).toEqual([{ role: 'user', content: 'a' }]);
  });

  it('excludes answers without text, and includes partial ones', async () => {
    const owner = personal();
    const { session } = await talk(owner, [
      ['a', '', 'failed'],
      ['b', 'half', 'cancelled'],
      ['c', '', 'cancelled'],
    ]);
    const turn = await start(owner, 'd', session);
    expect(await context(owner, turn)).toEqual([
      { role: 'user', content: 'a\n\nb' },
      { role: 'assistant', content: 'half' },
      { role: 'user', content: 'c\n\nd' },
    ]);
  });

  it('drops the oldest messages and starts with the user', async () => {
    const owner = personal();
    const { session, turns } = await talk(owner, [
      ['a', 'A'],
      ['b', 'B'],
      ['c', 'C'],
    ]);
    const turn = await start(owner, 'd', session);
    const short = estimateTokens('d');
    const shown = async (one: OpenedTurn, maxTokens: number) => {
      const { messages, context } = await turnContext(database, owner, one, { maxTokens });
      return [messages.map(({ content }) => content), context];
    };
    const contextOf = (messages: number, dropped: boolean) => ({
      messages,
      estimated_tokens: messages * short,
      dropped,
    });
    expect(await shown(turn, 7 * short)).toEqual([['a', 'A', 'b', 'B', 'c', 'C', 'd'], contextOf(7, false)]);
    expect(await shown(turn, 4 * short)).toEqual([['c', 'C', 'd'], contextOf(3, true)]);
    expect(await shown(turn, 1)).toEqual([['d'], contextOf(1, true)]);
    expect(await shown(turns[1]!, 3 * short)).toEqual([['a', 'A', 'b'], contextOf(3, false)]);
  });

  it('ends at its turn when newer messages follow', async () => {
    const owner = personal();
    const long = 'x'.repeat(3_000);
    const { turns } = await talk(owner, [
      ['a', 'A'],
      ['b', long],
      ['c', long],
    ]);
    expect((await context(owner, turns[1]!, 100)).map(({ content }) => content)).toEqual(['a', 'A', 'b']);
  });

  it('costs the same in sessions of any length', async () => {
    const owner = personal();
    const { session } = await talk(owner, [['a', 'A']]);
    const [, made] = await messagesOf(owner, session);
    const many = Array.from({ length: 3_000 }, (_, n) => ({
      ...made!,
      id: newId('message'),
      role: n % 2 === 0 ? ('user' as const) : ('assistant' as const),
      content: `message ${n}`,
      position: 10 + n,
    }));
    await database.messages.insert(owner, many);
    const turn = { session_id: session, user_message_id: many.at(-2)!.id };
    const { messages, context } = await turnContext(database, owner, turn, { maxTokens: 200 });
    expect(messages.at(-1)).toEqual({ role: 'user', content: 'message 2998' });
    expect(context.dropped).toBe(true);
    expect(context.messages).toBeLessThan(30);
    expect(context.estimated_tokens).toBeLessThanOrEqual(200);
  });

  it('is only available to its owner, for an existing message', async () => {
    const owner = personal();
    const turn = await start(owner, 'a');
    await expect(context(personal(), turn)).rejects.toMatchObject({ code: 'not_found' });
    await database.messages.removeSome(owner, turn.session_id, 100);
    await expect(context(owner, turn)).rejects.toMatchObject({ code: 'not_found' });
  });
});

it('deletes a session unless a turn runs', async () => {
  const owner = personal();
  const execution = newId('job');
  const turn = await start(owner, 'a', undefined, execution);
  await expect(
    removeSession(database, owner, turn.session_id, { ...auditContext, publishToFeed: () => undefined }),
  ).rejects.toMatchObject({
    code: 'session_locked',
    extra: { active_execution_id: execution },
  });
  await answer(owner, turn, execution, 'A');
  await expect(
    removeSession(database, personal(), turn.session_id, { ...auditContext, publishToFeed: () => undefined }),
  ).rejects.toMatchObject({ code: 'not_found' });
  await removeSession(database, owner, turn.session_id, { ...auditContext, publishToFeed: () => undefined });
  expect(await database.sessions.get(owner, turn.session_id)).toBeNull();
});

it('deletes a title together with its message', async () => {
  const owner = personal();
  const execution = newId('job');
  const turn = await start(owner, 'The first words', undefined, execution);
  await answer(owner, turn, execution, 'A');
  const titleOf = async () => (await database.sessions.get(owner, turn.session_id))?.title;
  await editMessage(database, owner, turn.user_message_id, { content: 'Other words', expected: null });
  expect(await titleOf()).toBe('The first words');
  await removeMessage(database, owner, turn.user_message_id, { expected: null, ...auditContext });
  expect(await titleOf()).toBeNull();

  const named = await start(owner, 'More words', undefined, execution);
  await answer(owner, named, execution, 'A');
  await database.sessions.patch(owner, named.session_id, { title: 'A name of mine' });
  await removeMessage(database, owner, named.user_message_id, { expected: null, ...auditContext });
  expect((await database.sessions.get(owner, named.session_id))?.title).toBe('A name of mine');
});

describe('a regeneration', () => {
  const questions: [string, string][] = [
    ['one', 'ONE'],
    ['two', 'TWO'],
    ['three', 'THREE'],
  ];
  const contents = async (owner: Owner, session: string, include_superseded = false) =>
    (await database.messages.listBySession(owner, session, { limit: 100, include_superseded })).data.map(
      ({ content }) => content,
    );

  it.each(['user_message_id', 'assistant_message_id'] as const)('answers again from a %s', async (which) => {
    const owner = personal();
    const { session, turns } = await talk(owner, questions);
    const executionId = newId('job');
    const turn = await regenerateTurn(database, owner, { message_id: turns[1]![which], executionId });
    expect(turn).toMatchObject({ session_id: session, user_message_id: turns[1]!.user_message_id });
    expect((await turnContext(database, owner, turn, { maxTokens: 1_000 })).messages).toEqual([
      { role: 'user', content: 'one' },
      { role: 'assistant', content: 'ONE' },
      { role: 'user', content: 'two' },
    ]);
    await answer(owner, turn, executionId, 'anew');
    expect(await contents(owner, session)).toEqual(['one', 'ONE', 'two', 'anew']);
    expect(await contents(owner, session, true)).toEqual(['one', 'ONE', 'two', 'TWO', 'three', 'THREE', 'anew']);
    expect(await database.sessions.get(owner, session)).toMatchObject({ message_count: 4, active_execution_id: null });
    expect(await database.messages.get(owner, turns[1]!.assistant_message_id)).toMatchObject({
      content: 'TWO',
      superseded_by: executionId,
    });
    const replaced = { message_id: turns[2]!.user_message_id, executionId: newId('job') };
    await expect(regenerateTurn(database, owner, replaced)).rejects.toMatchObject({ code: 'invalid_request' });
  });

  it('cannot be undone by repeating the replaced answer', async () => {
    const owner = personal();
    const { session, turns } = await talk(owner, questions);
    const executionId = newId('job');
    const turn = await regenerateTurn(database, owner, { message_id: turns[2]!.user_message_id, executionId });
    await answer(owner, turn, executionId, 'anew');
    const replaced = restartTurn(database, owner, turns[2]!, newId('job'));
    await expect(replaced).rejects.toMatchObject({ code: 'job_not_retryable' });
    expect(await database.sessions.get(owner, session)).toMatchObject({ active_execution_id: null });
    expect(await database.messages.get(owner, turns[2]!.assistant_message_id)).toMatchObject({ content: 'THREE' });
  });

  it('leaves the conversation unchanged when abandoned', async () => {
    const owner = personal();
    const { session, turns } = await talk(owner, questions);
    const executionId = newId('job');
    const turn = await regenerateTurn(database, owner, { message_id: turns[0]!.user_message_id, executionId });
    await abandonTurn(database, owner, turn, executionId);
    expect(await contents(owner, session)).toEqual(questions.flat());
    expect(await database.sessions.get(owner, session)).toMatchObject({ message_count: 6, active_execution_id: null });
  });

  it('requires a free session and a message of it', async () => {
    const owner = personal();
    const { turns } = await talk(owner, questions);
    const ask = (message_id: string, of: Owner, session_id?: string) =>
      regenerateTurn(database, of, { message_id, session_id, executionId: newId('job') });
    const message = turns[0]!.user_message_id;
    await expect(ask(message, personal())).rejects.toMatchObject({ code: 'not_found' });
    await expect(ask(message, owner, newId('session'))).rejects.toMatchObject({ code: 'not_found' });
    await ask(message, owner);
    await expect(ask(message, owner)).rejects.toMatchObject({ code: 'session_locked' });
  });
});
