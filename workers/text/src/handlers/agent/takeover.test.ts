import { callTool, type FakePiece, say } from '@chorus/testing';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import {
  callsIn,
  fakeTool,
  gate,
  resultsIn,
  type Script,
  startAgents,
  type TestAgents,
  type Turn,
  textIn,
} from './test-agents.ts';

let agents: TestAgents;

beforeAll(async () => {
  agents = await startAgents();
});
afterEach(() => agents.stopWorkers());
afterAll(() => agents.close());

/** Returns the text that a client which appends deltas shows: everything since the last reset. */
function shownBy(turn: Turn): string {
  let text = '';
  for (const event of turn.events) {
    if (event.type === 'text.reset') text = '';
    if (event.type === 'text.delta') text += event.delta;
  }
  return text;
}

/** A tool that counts its effects, and waits for `go` in its first call. */
function counter(effect: 'read' | 'idempotent' | 'write') {
  const started = gate();
  const go = gate();
  let effects = 0;
  const fake = fakeTool('count', {
    effect,
    run: async () => {
      effects += 1;
      if (effects === 1) {
        started.open();
        await go.opened;
      }
      return { text: `count ${effects}` };
    },
  });
  return { ...fake, started: started.opened, go: go.open, effects: () => effects };
}

const callOnce: Script = ({ steps }) =>
  steps === 0 ? [...say('Counting.'), ...callTool('count', { n: 1 })] : say('Done.');

describe.each([{ stateless: false }, { stateless: true }])('a worker that is killed ($stateless)', ({ stateless }) => {
  test('during a call that writes: it is not repeated, and the model sees that', async () => {
    const tool = counter('write');
    let results: string[] = [];
    const model = agents.model((request) => {
      results = resultsIn(request.body);
      return callOnce(request);
    });
    const first = await agents.startWorker([tool.tool]);
    const turn = await agents.ask(model, 'Count.', { stateless });
    await tool.started;
    await agents.startWorker([tool.tool]);
    await agents.kill(first);
    const record = await turn.ended();
    tool.go();
    expect(tool.effects()).toBe(1);
    expect(record.attempt).toBe(2);
    expect(callsIn(record)).toMatchObject([{ status: 'unknown', result: null, finished_at: expect.any(String) }]);
    expect(results[0]).toContain('It is unknown whether it had its effect');
    // Nothing of an unfinished step was shown, so nothing is taken back.
    expect(turn.types).not.toContain('text.reset');
    expect(shownBy(turn)).toBe('Counting.\n\nDone.');
    expect(textIn(record)).toBe('Counting.\n\nDone.');
  });

  test.each(['read', 'idempotent'] as const)('during a call that is %s: it is repeated with its id', async (effect) => {
    const tool = counter(effect);
    const first = await agents.startWorker([tool.tool]);
    const turn = await agents.ask(agents.model(callOnce), 'Count.', { stateless });
    await tool.started;
    await agents.startWorker([tool.tool]);
    await agents.kill(first);
    const record = await turn.ended();
    tool.go();
    expect(tool.calls.map(({ args }) => args)).toEqual([{ n: 1 }, { n: 1 }]);
    expect(new Set(tool.calls.map(({ callId }) => callId)).size).toBe(1);
    expect(callsIn(record)).toMatchObject([{ status: 'succeeded', result: 'count 2' }]);
    expect(turn.types).not.toContain('text.reset');
  });
});

test('after a step: the next worker continues with its result', async () => {
  const tool = fakeTool('count', { effect: 'write' });
  const asked = gate();
  let hangs = true;
  const model = agents.model(({ steps }) => {
    if (steps === 0) return [...say('Counting.'), ...callTool('count', { n: 1 })];
    if (!hangs) return say('Done.');
    hangs = false;
    asked.open();
    return 'hang';
  });
  const first = await agents.startWorker([tool.tool]);
  const turn = await agents.ask(model, 'Count.', { stateless: true });
  await asked.opened;
  await agents.startWorker([tool.tool]);
  await agents.kill(first);
  const record = await turn.ended();
  expect(tool.calls).toHaveLength(1);
  expect(callsIn(record)).toMatchObject([{ status: 'succeeded', result: 'count:{"n":1}' }]);
  expect(shownBy(turn)).toBe('Counting.\n\nDone.');
  expect(turn.types).not.toContain('text.reset');
});

describe('in the middle of an answer', () => {
  const halfSaid = (after: FakePiece[]) => {
    let hangs = true;
    const script: Script = ({ steps }) => {
      if (steps === 0) return [...say('Counting.'), ...callTool('count', { n: 1 })];
      if (!hangs) return say('All done.');
      hangs = false;
      return { hangAfter: after };
    };
    return script;
  };

  const isHalfSaid = async (turn: Turn) => {
    while (!shownBy(turn).endsWith('Half')) await turn.until('text.delta');
  };

  test('takes the answer back, and shows the finished steps again', async () => {
    const tool = fakeTool('count', { effect: 'write' });
    const first = await agents.startWorker([tool.tool]);
    const turn = await agents.ask(agents.model(halfSaid(say('Half'))), 'Count.');
    await isHalfSaid(turn);
    await agents.startWorker([tool.tool]);
    await agents.kill(first);
    const record = await turn.ended();
    expect(tool.calls).toHaveLength(1);
    expect(turn.events).toContainEqual({ type: 'text.reset', reason: 'worker_lost' });
    expect(shownBy(turn)).toBe('Counting.\n\nAll done.');
    const reset = turn.types.lastIndexOf('text.reset');
    const again = turn.events.slice(reset).flatMap((event) => (event.type === 'output.item' ? [event.item] : []));
    expect(again).toMatchObject([{ type: 'tool_call', status: 'succeeded', result: 'count:{"n":1}' }]);
    expect(record.output.map(({ type }) => type)).toEqual(['text', 'tool_call', 'text']);
  });

  test('ends a turn whose client cannot take it back', async () => {
    const tool = fakeTool('count', { effect: 'write' });
    const first = await agents.startWorker([tool.tool]);
    const turn = await agents.ask(agents.model(halfSaid(say('Half'))), 'Count.', { stateless: true });
    await isHalfSaid(turn);
    await agents.startWorker([tool.tool]);
    await agents.kill(first);
    const record = await turn.ended('execution.failed');
    expect(record.error).toMatchObject({ code: 'worker_lost' });
    expect(record.output.map(({ type }) => type)).toEqual(['text', 'tool_call', 'text']);
  });
});

describe('a turn that loses several workers', () => {
  /** Calls in three steps. Kills the worker once each of these calls, counted from 1, runs. */
  async function loseWorkersIn(lost: number[]): Promise<Turn> {
    const begun = new Map(lost.map((call) => [call, gate()]));
    let calls = 0;
    const { tool } = fakeTool('count', {
      run: async (_, { signal }) => {
        calls += 1;
        const lose = begun.get(calls);
        lose?.open();
        if (lose) await new Promise((resolve) => signal.addEventListener('abort', resolve));
        return { text: 'counted' };
      },
    });
    await agents.startWorker([tool]);
    const model = agents.model(({ steps }) => (steps < 3 ? callTool('count', {}) : say('Done.')));
    const turn = await agents.ask(model, 'Count.', { stateless: true });
    for (const { opened } of begun.values()) {
      await opened;
      await agents.loseWorkerOf(turn.id);
    }
    return turn;
  }

  test('continues while it makes progress', async () => {
    const turn = await loseWorkersIn([1, 3, 5]);
    const record = await turn.ended();
    expect(record.attempt).toBe(4);
    expect(callsIn(record).map(({ status }) => status)).toEqual(['succeeded', 'succeeded', 'succeeded']);
  });

  test('continues when one call loses several that may live', async () => {
    const turn = await loseWorkersIn([2, 3, 4, 5]);
    const record = await turn.ended();
    expect(record.attempt).toBe(5);
    expect(callsIn(record).map(({ status }) => status)).toEqual(['succeeded', 'succeeded', 'succeeded']);
  });
});

test('before the first step has ended, the turn starts over', async () => {
  const tool = fakeTool('count', { effect: 'write' });
  let hangs = true;
  const asked = gate();
  const model = agents.model((request) => {
    if (!hangs) return callOnce(request);
    hangs = false;
    asked.open();
    return { hangAfter: say('Count') };
  });
  const first = await agents.startWorker([tool.tool]);
  const turn = await agents.ask(model, 'Count.');
  await turn.until('text.delta');
  await agents.startWorker([tool.tool]);
  await agents.kill(first);
  const record = await turn.ended();
  expect(tool.calls).toHaveLength(1);
  expect(textIn(record)).toBe('Counting.\n\nDone.');
  expect(shownBy(turn)).toBe('Counting.\n\nDone.');
});

test('a worker that shuts down hands a turn back between steps', async () => {
  const tool = counter('read');
  await agents.startWorker([tool.tool]);
  const turn = await agents.ask(agents.model(callOnce), 'Count.', { stateless: true });
  await tool.started;
  await agents.stopWorkers();
  await agents.startWorker([tool.tool]);
  const record = await turn.ended();
  tool.go();
  expect(callsIn(record)).toMatchObject([{ status: 'succeeded', result: 'count 2' }]);
  expect(turn.types).not.toContain('text.reset');
});
