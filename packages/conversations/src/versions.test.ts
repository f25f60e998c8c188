import { NO_ACTOR, newId, type Owner } from '@chorus/contract';
import { connectDatabase, type Database } from '@chorus/database';
import { createLogger } from '@chorus/runtime/log';
import { sharedStore, type TestDatabases } from '@chorus/testing';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { editMessage, messageHistory, removeMessage, undoEdit } from './message-changes.ts';
import type { OpenedTurn } from './opened-turn.ts';
import { continueTurn } from './tool-turn.ts';
import { regenerateTurn, restartTurn, startTurn } from './turn.ts';
import { restoreVersion, versionsOf } from './versions.ts';

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
const personal = (): Owner => ({ scope: 'personal', user_id: newId('user'), workspace_id: null });

/** A conversation of one owner, whose turns end at once. */
function conversation() {
  const owner = personal();
  let session: string | undefined;
  const end = async (turn: OpenedTurn, execution_id: string, content: string, calls: string[] = []) => {
    session = turn.session_id;
    const tool_calls = calls.map((id) => ({
      id,
      type: 'function' as const,
      function: { name: 'f', arguments: '{}' },
    }));
    const ending = { content, tool_calls, status: 'succeeded', usage: null, execution_id } as const;
    await database.messages.complete(owner, turn.assistant_message_id, ending);
    await database.sessions.release(owner, turn.session_id, execution_id);
    return turn;
  };
  return {
    owner,
    session: () => session as string,
    ask: async (message: string, reply: string, calls: string[] = []) => {
      const executionId = newId('job');
      const turn = await startTurn(database, owner, { message, session_id: session, executionId });
      return end(turn, executionId, reply, calls);
    },
    again: async (message_id: string, reply: string) => {
      const executionId = newId('job');
      return end(await regenerateTurn(database, owner, { message_id, executionId }), executionId, reply);
    },
    give: async (call: string, output: string, reply: string) => {
      const executionId = newId('job');
      const outputs = [{ tool_call_id: call, output }];
      return end(
        await continueTurn(database, owner, { session_id: session as string, outputs, executionId }),
        executionId,
        reply,
      );
    },
    retry: async (turn: OpenedTurn, reply: string) => {
      const executionId = newId('job');
      await restartTurn(database, owner, turn, executionId);
      return end(turn, executionId, reply);
    },
    restore: (id: string) => restoreVersion(database, owner, id),
    said: async () => {
      const page = await database.messages.listBySession(owner, session as string, { limit: 100 });
      const count = (await database.sessions.get(owner, session as string))?.message_count;
      expect(count).toBe(page.data.length);
      return page.data.map(({ content }) => content);
    },
    versions: async () => {
      const query = { limit: 100, include_superseded: true };
      const { data } = await database.messages.listBySession(owner, session as string, query);
      const versions = await versionsOf(database, owner, data);
      const numbers = data.flatMap(({ id, content }) => {
        const version = versions.get(id);
        return version === undefined ? [] : [[content, `${version.number}/${version.count}`]];
      });
      return Object.fromEntries(numbers);
    },
  };
}

it('numbers the answers to a question, and restores each with what followed it', async () => {
  const { owner, ask, again, restore, said, versions } = conversation();
  const first = await ask('q', 'A');
  expect(await versions()).toEqual({});
  await ask('q2', 'after A');
  const second = await again(first.user_message_id, 'B');
  await ask('q3', 'after B');
  const third = await again(second.assistant_message_id, 'C');
  expect(await versions()).toEqual({ A: '1/3', B: '2/3', C: '3/3' });
  expect(await said()).toEqual(['q', 'C']);

  const [a, b, c] = [first, second, third].map((turn) => turn.assistant_message_id) as [string, string, string];
  expect(await restore(b)).toMatchObject({ id: b, content: 'B', superseded_by: null });
  expect(await said()).toEqual(['q', 'B', 'q3', 'after B']);
  expect(await database.messages.get(owner, c)).toMatchObject({ superseded_by: b });
  await restore(c);
  await restore(b);
  // A and C have now both been replaced by B.
  await restore(a);
  expect(await said()).toEqual(['q', 'A', 'q2', 'after A']);
  await ask('q4', 'later');
  await restore(c);
  expect(await said()).toEqual(['q', 'C']);
  await restore(a);
  await restore(a);
  expect(await said()).toEqual(['q', 'A', 'q2', 'after A', 'q4', 'later']);
  const places = await versionsOf(database, owner, [(await database.messages.get(owner, b))!]);
  expect(places.get(b)).toEqual({
    question_id: first.user_message_id,
    number: 2,
    count: 3,
    previous_id: a,
    next_id: c,
  });
});

it('keeps the versions of later answers apart', async () => {
  const { owner, ask, again, restore, said, versions } = conversation();
  const first = await ask('q', 'A');
  const later = await ask('q2', 'one');
  await again(later.user_message_id, 'two');
  const second = await again(first.user_message_id, 'B');
  await expect(restore(later.assistant_message_id)).rejects.toMatchObject({ code: 'invalid_request' });
  await restore(first.assistant_message_id);
  expect(await said()).toEqual(['q', 'A', 'q2', 'two']);
  await restore(later.assistant_message_id);
  expect(await said()).toEqual(['q', 'A', 'q2', 'one']);
  expect(await versions()).toEqual({ A: '1/2', B: '2/2', one: '1/2', two: '2/2' });
  await restore(second.assistant_message_id);
  await restore(first.assistant_message_id);
  expect(await said()).toEqual(['q', 'A', 'q2', 'one']);

  const actor = NO_ACTOR;
  const auditContext = { actor, audit: { record: async () => undefined } };
  await removeMessage(database, owner, second.assistant_message_id, { ...any, ...auditContext });
  expect(await versions()).toEqual({ one: '1/2', two: '2/2' });
});

it('an undo restores the answer to the text, and a version restores the text that it answers', async () => {
  const { owner, ask, again, restore, said } = conversation();
  const first = await ask('question A', 'answer A');
  const id = first.user_message_id;
  await ask('more', 'after A');
  await editMessage(database, owner, id, { content: 'question B', ...any });
  expect((await database.messages.get(owner, first.assistant_message_id))?.question_revision).toBe(1);
  const second = await again(id, 'answer B');
  expect((await database.messages.get(owner, second.assistant_message_id))?.question_revision).toBe(2);

  await undoEdit(database, owner, id, any);
  expect(await said()).toEqual(['question A', 'answer A', 'more', 'after A']);
  await restore(second.assistant_message_id);
  expect(await said()).toEqual(['question B', 'answer B']);
  const history = (await messageHistory(database, owner, id, { limit: 10 })).data;
  expect(history.map(({ action, content, restores }) => [action, content, restores])).toEqual([
    ['created', 'question A', null],
    ['edited', 'question B', null],
    ['undone', 'question A', 1],
    ['restored', 'question B', 2],
  ]);
  // The restored edit can be undone again.
  await undoEdit(database, owner, id, any);
  expect(await said()).toEqual(['question A', 'answer A', 'more', 'after A']);
});

it('an undo alone leaves an answer whose text is unknown or was never answered', async () => {
  const { owner, ask, again, retry, said } = conversation();
  const turn = await ask('A', 'answer A');
  const id = turn.user_message_id;
  await editMessage(database, owner, id, { content: 'B', ...any });
  await editMessage(database, owner, id, { content: 'C', ...any });
  const third = await again(id, 'answer C');
  await undoEdit(database, owner, id, any);
  expect(await said()).toEqual(['B', 'answer C']);
  // A retry answers the current text.
  await retry(third, 'answer B');
  expect((await database.messages.get(owner, third.assistant_message_id))?.question_revision).toBe(2);
});

it('restores nothing while a turn runs, and the undo remains', async () => {
  const { owner, session, ask, again, restore } = conversation();
  const first = await ask('A', 'answer A');
  const id = first.user_message_id;
  await editMessage(database, owner, id, { content: 'B', ...any });
  const second = await again(id, 'answer B');
  const executionId = newId('job');
  await startTurn(database, owner, { message: 'next', session_id: session(), executionId });
  const refusal = { code: 'session_locked', extra: { active_execution_id: executionId } };
  await expect(restore(first.assistant_message_id)).rejects.toMatchObject(refusal);
  expect((await undoEdit(database, owner, id, any)).content).toBe('A');
  expect(await database.messages.get(owner, second.assistant_message_id)).toMatchObject({
    superseded_by: null,
    question_revision: 2,
  });
});

it('completes a change that a process left unfinished', async () => {
  const { owner, ask, again, restore, said, versions } = conversation();
  const first = await ask('q', 'A');
  const second = await again(first.user_message_id, 'B');
  const messages = { ...database.messages, restoreBranch: () => Promise.reject(new Error('killed')) };
  const killed = restoreVersion({ ...database, messages }, owner, first.assistant_message_id);
  await expect(killed).rejects.toThrow('killed');
  expect(await said()).toEqual(['q']);
  await restore(first.assistant_message_id);
  expect(await said()).toEqual(['q', 'A']);
  await restore(second.assistant_message_id);
  expect(await said()).toEqual(['q', 'B']);
  expect(await versions()).toEqual({ A: '1/2', B: '2/2' });
});

it('has versions of answers to results of tools', async () => {
  const { ask, give, again, restore, said } = conversation();
  const call = await ask('q', '', ['call_1']);
  const first = await give('call_1', 'rain', 'Wet.');
  await again(first.assistant_message_id, 'Rainy.');
  await restore(first.assistant_message_id);
  expect(await said()).toEqual(['q', '', 'rain', 'Wet.']);
  await again(call.user_message_id, 'No idea.');
  await restore(call.assistant_message_id);
  expect(await said()).toEqual(['q', '', 'rain', 'Wet.']);
});

it('refuses questions, other owners, and answers whose question was deleted', async () => {
  const { owner, session, ask, again, restore, said } = conversation();
  const first = await ask('q', 'A');
  await again(first.user_message_id, 'B');
  await expect(restoreVersion(database, personal(), first.assistant_message_id)).rejects.toMatchObject({
    code: 'not_found',
  });
  await expect(restore(first.user_message_id)).rejects.toMatchObject({ code: 'invalid_request' });
  const actor = NO_ACTOR;
  const auditContext = { actor, audit: { record: async () => undefined } };
  await removeMessage(database, owner, first.user_message_id, { ...any, ...auditContext });
  await expect(restore(first.assistant_message_id)).rejects.toMatchObject({ code: 'invalid_request' });
  expect(await said()).toEqual(['B']);
  expect((await database.sessions.get(owner, session()))?.active_execution_id).toBeNull();
});
