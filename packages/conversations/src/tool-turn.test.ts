import { type AuditContext, NO_ACTOR, newId, type Owner, type ToolCall } from '@chorus/contract';
import { connectDatabase, type Database } from '@chorus/database';
import { createLogger } from '@chorus/runtime/log';
import { sharedStore, type TestDatabases } from '@chorus/testing';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { removeMessage } from './message-changes.ts';
import { abandonTurn, type OpenedTurn } from './opened-turn.ts';
import { beginTurn, regenerateTurn, restartTurn, startTurn } from './turn.ts';
import { turnContext } from './turn-context.ts';

let store: TestDatabases;
let database: Database;

beforeAll(async () => {
  store = await sharedStore();
  database = await connectDatabase({ uri: store.uri, log: createLogger({ name: 'test', level: 'silent' }) });
});
afterAll(async () => {
  await database.close();
  await store.stop();
});

const unaudited: AuditContext = {
  actor: NO_ACTOR,
  audit: { record: async () => {} },
};

const personal = (): Owner => ({ scope: 'personal', user_id: newId('user'), workspace_id: null });
const call = (id: string, args = '{}'): ToolCall => ({
  id,
  type: 'function',
  function: { name: 'look', arguments: args },
});
const output = (tool_call_id: string, text = `result of ${tool_call_id}`) => ({ tool_call_id, output: text });

/** A session whose turns are ended by the test. */
class Talk {
  readonly owner = personal();
  session_id = '';

  async start(message: string): Promise<{ turn: OpenedTurn; executionId: string }> {
    const executionId = newId('job');
    const session_id = this.session_id === '' ? undefined : this.session_id;
    const turn = await startTurn(database, this.owner, { message, session_id, executionId });
    this.session_id = turn.session_id;
    return { turn, executionId };
  }

  async end(
    { turn, executionId }: { turn: Pick<OpenedTurn, 'assistant_message_id'>; executionId: string },
    answer: string | ToolCall[],
  ) {
    const said = typeof answer === 'string' ? { content: answer } : { content: '', tool_calls: answer };
    const reasoning = [{ text: `thought of ${JSON.stringify(answer)}`, signature: 'sig' }];
    const ending = { status: 'succeeded', usage: null, reasoning, execution_id: executionId } as const;
    await database.messages.complete(this.owner, turn.assistant_message_id, { ...said, ...ending });
    await database.sessions.release(this.owner, this.session_id, executionId);
  }

  async say(message: string, answer: string | ToolCall[]) {
    const started = await this.start(message);
    await this.end(started, answer);
    return started.turn;
  }

  async give(outputs: ReturnType<typeof output>[]) {
    const executionId = newId('job');
    const start = { type: 'tool_outputs', session_id: this.session_id, outputs } as const;
    return { ...(await beginTurn(database, this.owner, start, executionId)), executionId };
  }

  async answer(outputs: ReturnType<typeof output>[], answer: string | ToolCall[]) {
    const begun = await this.give(outputs);
    await this.end(begun, answer);
    return begun.turn;
  }

  async messages() {
    const { data } = await database.messages.listBySession(this.owner, this.session_id, { limit: 100 });
    return data;
  }

  async lines() {
    return (await this.messages()).map(({ role, content, tool_call_id }) => [role, tool_call_id ?? content]);
  }

  session() {
    return database.sessions.get(this.owner, this.session_id);
  }

  context(turn: Parameters<typeof turnContext>[2], maxTokens = 10_000, tools = true) {
    return turnContext(database, this.owner, turn, { maxTokens, tools });
  }
}

const rolesOf = ({ messages }: Awaited<ReturnType<typeof turnContext>>) =>
  messages.map((message) =>
    message.role === 'tool'
      ? `result ${message.tool_call_id}`
      : message.role === 'assistant' && message.tool_calls
        ? `calls ${message.tool_calls.map(({ id }) => id)}`
        : message.content,
  );

describe('results of tools', () => {
  test('continue a turn, in the order of the calls', async () => {
    const talk = new Talk();
    await talk.say('What is the weather?', [call('a'), call('b')]);
    const begun = await talk.give([output('b'), output('a')]);
    expect(begun.turn.user_message_id).toBe(begun.turn.tool_message_ids?.[1]);
    expect(await talk.session()).toMatchObject({ active_execution_id: begun.executionId, message_count: 5 });
    expect(await talk.messages()).toMatchObject([
      { role: 'user', position: 0 },
      { role: 'assistant', content: '', tool_calls: [call('a'), call('b')], position: 1 },
      { role: 'tool', tool_call_id: 'a', content: 'result of a', status: 'succeeded', position: 2 },
      { role: 'tool', tool_call_id: 'b', content: 'result of b', position: 3 },
      { role: 'assistant', content: '', status: 'queued', execution_id: begun.executionId, position: 4 },
    ]);
    await talk.end(begun, 'Sunny.');
    const next = await talk.start('And tomorrow?');
    const shown = await talk.context(next.turn);
    expect(rolesOf(shown)).toEqual([
      'What is the weather?',
      'calls a,b',
      'result a',
      'result b',
      'Sunny.',
      'And tomorrow?',
    ]);
    expect(shown.context).toMatchObject({ messages: 6, dropped: false });
  });

  test.each<[string, ReturnType<typeof output>[], string, RegExp]>([
    ['an unknown call', [output('a'), output('x')], 'body.tool_outputs.1.tool_call_id', /one of the open calls: a, b/],
    ['only some calls', [output('a')], 'body.tool_outputs', /missing: b/],
  ])('for %s are refused, and change nothing', async (_name, outputs, path, message) => {
    const talk = new Talk();
    await talk.say('Hi', [call('a'), call('b')]);
    await expect(talk.give(outputs)).rejects.toMatchObject({
      code: 'invalid_request',
      details: [{ path, message: expect.stringMatching(message) }],
    });
    expect(await talk.session()).toMatchObject({ active_execution_id: null, message_count: 2 });
    expect(await talk.messages()).toHaveLength(2);
  });

  test('are refused if nothing waits for them', async () => {
    const talk = new Talk();
    await talk.say('Hi', 'Hello.');
    const details = [{ path: 'body.tool_outputs', message: expect.stringContaining('waits for no results') }];
    await expect(talk.give([output('a')])).rejects.toMatchObject({ details });
    await talk.say('Look.', [call('a')]);
    await talk.answer([output('a')], 'Seen.');
    await expect(talk.give([output('a')])).rejects.toMatchObject({ details });
  });

  test('must come before another message', async () => {
    const talk = new Talk();
    await talk.say('Hi', [call('a'), call('b')]);
    await expect(talk.start('Hurry!')).rejects.toMatchObject({
      code: 'invalid_request',
      details: [{ path: 'body.message', message: expect.stringMatching(/`tool_outputs` for a, b first/) }],
    });
    expect(await talk.session()).toMatchObject({ active_execution_id: null, message_count: 2 });
    await talk.answer([output('a'), output('b')], 'Done.');
    await talk.say('Thanks!', 'You are welcome.');
  });

  test('of an abandoned turn are removed', async () => {
    const talk = new Talk();
    await talk.say('Hi', [call('a'), call('b')]);
    const { undo, executionId } = await talk.give([output('a'), output('b')]);
    await undo();
    expect(await talk.session()).toMatchObject({ active_execution_id: null, message_count: 2 });
    expect(await talk.lines()).toEqual([
      ['user', 'Hi'],
      ['assistant', ''],
    ]);
    const again = await talk.give([output('a'), output('b')]);
    await abandonTurn(database, talk.owner, { ...again.turn, opened: again.opened }, executionId);
    expect(await talk.messages()).toHaveLength(5);
  });
});

describe('a turn with results of tools', () => {
  const answered = async () => {
    const talk = new Talk();
    await talk.say('Hi', [call('a'), call('b')]);
    const turn = await talk.answer([output('a'), output('b')], 'Done.');
    return { talk, turn };
  };

  test('runs again with the same results', async () => {
    const { talk, turn } = await answered();
    const executionId = newId('job');
    const retry = await restartTurn(database, talk.owner, turn, executionId);
    expect(retry).toMatchObject({ ...turn, opened: 'retry' });
    const shown = await talk.context(retry);
    expect(rolesOf(shown)).toEqual(['Hi', 'calls a,b', 'result a', 'result b']);
  });

  test('forgets calls and reasoning of an answer that is restarted', async () => {
    const talk = new Talk();
    const turn = await talk.say('Hi', [call('a')]);
    const executionId = newId('job');
    await restartTurn(database, talk.owner, turn, executionId);
    expect((await talk.messages())[1]).toMatchObject({ tool_calls: [], reasoning: [], content: '' });
    await talk.end({ turn, executionId }, 'Hello.');
    expect((await talk.messages())[1]).toMatchObject({ tool_calls: [], content: 'Hello.' });
  });

  test.each([
    ['its answer', 4],
    ['its first result', 2],
    ['its last result', 3],
  ])('is answered again, given %s', async (_name, at) => {
    const { talk, turn } = await answered();
    await talk.say('Next', 'Yes.');
    const message_id = (await talk.messages())[at]?.id ?? '';
    const executionId = newId('job');
    const again = await regenerateTurn(database, talk.owner, { message_id, executionId });
    expect(again).toMatchObject({
      user_message_id: turn.user_message_id,
      tool_message_ids: turn.tool_message_ids,
      opened: 'regeneration',
    });
    expect(rolesOf(await talk.context(again))).toEqual(['Hi', 'calls a,b', 'result a', 'result b']);
    await talk.end({ turn: again, executionId }, 'Better.');
    expect(await talk.lines()).toEqual([
      ['user', 'Hi'],
      ['assistant', ''],
      ['tool', 'a'],
      ['tool', 'b'],
      ['assistant', 'Better.'],
    ]);
    expect(await talk.session()).toMatchObject({ message_count: 5, active_execution_id: null });
  });

  test('is answered from the question, given the answer that called tools', async () => {
    const { talk } = await answered();
    const message_id = (await talk.messages())[1]?.id ?? '';
    const again = await regenerateTurn(database, talk.owner, { message_id, executionId: newId('job') });
    expect(again).not.toHaveProperty('tool_message_ids');
    expect(rolesOf(await talk.context(again))).toEqual(['Hi']);
    expect(await talk.messages()).toHaveLength(2);
  });
});

describe('the context', () => {
  test.each<[string, number, string[]]>([
    ['a result', 2, ['Hi', 'Done.', 'Next']],
    ['the answer with the calls', 1, ['Hi', 'Done.', 'Next']],
  ])('never has a call or a result alone: without %s', async (_name, at, expected) => {
    const talk = new Talk();
    await talk.say('Hi', [call('a'), call('b')]);
    await talk.answer([output('a'), output('b')], 'Done.');
    const id = (await talk.messages())[at]?.id ?? '';
    await removeMessage(database, talk.owner, id, { expected: null, ...unaudited });
    const { turn } = await talk.start('Next');
    expect(rolesOf(await talk.context(turn))).toEqual(expected);
  });

  test('drops a call with its results when it is too old', async () => {
    const talk = new Talk();
    await talk.say('Hi', [call('a', `"${'x'.repeat(300)}"`)]);
    await talk.answer([output('a', 'y'.repeat(300))], 'Done.');
    const { turn } = await talk.start('Next');
    for (const [maxTokens, expected] of [
      [1_000, ['Hi', 'calls a', 'result a', 'Done.', 'Next']],
      [200, ['Next']],
      [20, ['Next']],
    ] as const)
      expect(rolesOf(await talk.context(turn, maxTokens))).toEqual(expected);
  });

  test("keeps the user's message and the newest results of a long chain", async () => {
    const talk = new Talk();
    await talk.say('The question', [call('c0')]);
    for (let step = 1; step < 6; step += 1)
      await talk.answer([output(`c${step - 1}`, 'z'.repeat(600))], [call(`c${step}`)]);
    const { turn } = await talk.give([output('c5', 'z'.repeat(600))]);
    const shown = await talk.context(turn, 500);
    expect(rolesOf(shown)).toEqual(['The question', 'calls c4', 'result c4', 'calls c5', 'result c5']);
    expect(shown.context.dropped).toBe(true);
    expect(rolesOf(await talk.context(turn, 10))).toEqual(['The question', 'calls c5', 'result c5']);
    expect(rolesOf(await talk.context(turn, 100_000))).toHaveLength(13);
  });

  test('loads all results of the turn, however long', async () => {
    const talk = new Talk();
    await talk.say('Hi', [call('a'), call('b'), call('c')]);
    const { turn } = await talk.give(['a', 'b', 'c'].map((id) => output(id, 'w'.repeat(5_000))));
    expect(rolesOf(await talk.context(turn, 100))).toEqual(['Hi', 'calls a,b,c', 'result a', 'result b', 'result c']);
  });

  test('has reasoning of the running turn only', async () => {
    const talk = new Talk();
    await talk.say('Earlier', 'Yes.');
    await talk.say('Hi', [call('a')]);
    const { turn } = await talk.give([output('a')]);
    const { messages } = await talk.context(turn);
    const reasoning = messages.map((message) => message.role === 'assistant' && message.reasoning?.[0]?.signature);
    expect(reasoning).toEqual([false, undefined, false, 'sig', false]);
  });

  test('leaves out earlier calls if the model gets no tools, and keeps those of the turn', async () => {
    const talk = new Talk();
    await talk.say('Hi', [call('a')]);
    await talk.answer([output('a')], 'Done.');
    await talk.say('Again', [call('b')]);
    const { turn } = await talk.give([output('b')]);
    expect(rolesOf(await talk.context(turn, 10_000, false))).toEqual(['Hi', 'Done.', 'Again', 'calls b', 'result b']);
  });
});
