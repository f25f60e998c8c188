import type { ToolEffect } from '@chorus/agent-tools';
import { callTool, say } from '@chorus/testing';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import {
  callsIn,
  fakeTool,
  gate,
  resultsIn,
  type Script,
  startAgents,
  type TestAgents,
  textIn,
} from './test-agents.ts';

let agents: TestAgents;

beforeAll(async () => {
  agents = await startAgents();
});
afterEach(() => agents.stopWorkers());
afterAll(() => agents.close());

const NO_USAGE = { input_tokens: 0, output_tokens: 0, total_tokens: 0 };

/** A model that calls a tool again and again, until it must not. */
const runaway: Script = ({ body }) => (body.tool_choice === 'none' ? say('Enough.') : callTool('again', { n: 1 }));

test('answers without tools after the last step', async () => {
  const add = fakeTool('add');
  const choices: unknown[] = [];
  let results: string[] = [];
  const model = agents.model(({ body }) => {
    choices.push(body.tool_choice);
    results = resultsIn(body);
    return body.tool_choice === 'none' ? say('Enough.') : callTool('add', { n: 1 });
  });
  await agents.startWorker([add.tool]);
  const record = await (await agents.ask(model, 'Go.', { agent: { max_steps: 2 } })).ended();
  expect(add.calls).toHaveLength(2);
  expect(choices).toEqual([undefined, undefined, 'none']);
  expect(textIn(record)).toBe('Enough.');
  expect(record.warnings).toEqual([expect.stringContaining('2 steps')]);
  expect(results.at(-1)).toContain('No more calls are possible');
});

test('answers without tools after two million tokens', async () => {
  const again = fakeTool('again', {
    run: async () => ({ text: 'ok', usage: { ...NO_USAGE, total_tokens: 700_000, cost_usd: null } }),
  });
  await agents.startWorker([again.tool]);
  const record = await (await agents.ask(agents.model(runaway), 'Go.', { agent: { max_steps: 50 } })).ended();
  expect(again.calls).toHaveLength(3);
  expect(textIn(record)).toBe('Enough.');
  expect(record.warnings).toEqual([expect.stringContaining('2000000 tokens')]);
});

test('answers without tools when less than a minute is left', async () => {
  const again = fakeTool('again');
  await agents.startWorker([again.tool], { turnTimeoutMs: 12_001 });
  const record = await (await agents.ask(agents.model(runaway), 'Go.', { agent: { max_steps: 50 } })).ended();
  expect(again.calls).toHaveLength(1);
  expect(textIn(record)).toBe('Enough.');
  expect(record.warnings).toEqual([expect.stringContaining('time limit')]);
});

test.each<[ToolEffect, string]>([
  ['read', 'The tool took too long.'],
  ['write', 'It is unknown whether it had its effect'],
])('aborts a call that takes too long, so that the model can answer: %s', async (effect, reason) => {
  let aborted = false;
  const again = fakeTool('again', {
    effect,
    run: (_, { signal }) =>
      new Promise((_resolve, reject) => {
        signal.addEventListener('abort', () => {
          aborted = true;
          reject(signal.reason);
        });
      }),
  });
  let results: string[] = [];
  const model = agents.model((request) => {
    results = resultsIn(request.body);
    return runaway(request);
  });
  await agents.startWorker([again.tool], { turnTimeoutMs: 6_040 });
  const record = await (await agents.ask(model, 'Go.')).ended();
  expect(aborted).toBe(true);
  expect(results).toEqual([expect.stringContaining(reason)]);
  expect(textIn(record)).toBe('Enough.');
});

test('answers without tools after three hundred calls', async () => {
  const again = fakeTool('again', { run: async () => ({ text: 'ok' }) });
  const model = agents.model(({ body }) =>
    body.tool_choice === 'none'
      ? say('Enough.')
      : Array.from({ length: 160 }, (_, at) => callTool('again', {}, at)).flat(),
  );
  await agents.startWorker([again.tool]);
  const record = await (await agents.ask(model, 'Go.', { agent: { max_steps: 50 } })).ended();
  expect(again.calls).toHaveLength(320);
  expect(record.warnings).toEqual([expect.stringContaining('300 calls')]);
});

test('keeps two megabytes of results, and a little of each later one', async () => {
  const again = fakeTool('again', { run: async () => ({ text: 'x'.repeat(262_000) }) });
  await agents.startWorker([again.tool]);
  const model = agents.model(({ steps }) =>
    steps === 0 ? Array.from({ length: 12 }, (_, at) => callTool('again', {}, at)).flat() : say('Ok.'),
  );
  const record = await (await agents.ask(model, 'Go.')).ended();
  const sizes = callsIn(record).map(({ result }) => result?.length ?? 0);
  expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThan(2_110_000);
  expect(sizes.filter((size) => size < 3_000)).toHaveLength(4);
  expect(record.status).toBe('succeeded');
});

test('ends a turn that has reached its cost', async () => {
  const usage = { ...NO_USAGE, cost_usd: 0.3 };
  const dear = fakeTool('dear', { run: async () => ({ text: 'ok', usage, costElsewhereUsd: 0.1 }) });
  const model = agents.model(() => callTool('dear', {}));
  await agents.startWorker([dear.tool]);
  const turn = await agents.ask(model, 'Go.', { agent: { max_cost_usd: 0.7 } });
  const record = await turn.ended('execution.failed');
  expect(record.error).toMatchObject({ code: 'cost_limit_reached' });
  expect(dear.calls).toHaveLength(2);
  expect(callsIn(record)).toHaveLength(2);
});

test('runs four calls at once, and keeps their order', async () => {
  let running = 0;
  let most = 0;
  const full = gate();
  const slow = fakeTool('slow', {
    run: async ({ n }) => {
      running += 1;
      most = Math.max(most, running);
      if (running === 4) full.open();
      await full.opened;
      running -= 1;
      return { text: `result ${n}` };
    },
  });
  let results: string[] = [];
  const model = agents.model(({ steps, body }) => {
    results = resultsIn(body);
    return steps === 0 ? Array.from({ length: 8 }, (_, n) => callTool('slow', { n }, n)).flat() : say('Ok.');
  });
  await agents.startWorker([slow.tool]);
  const record = await (await agents.ask(model, 'Go.')).ended();
  expect(most).toBe(4);
  expect(callsIn(record).map(({ result }) => result)).toEqual(Array.from({ length: 8 }, (_, n) => `result ${n}`));
  expect(results.map((text) => /result \d/.exec(text)?.[0])).toEqual(callsIn(record).map(({ result }) => result));
});
