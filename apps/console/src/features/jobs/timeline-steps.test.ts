import '../../i18n/use-english.ts';
import type { StreamFrame, ToolCallItem } from '@chorus/client';
import { expect, test } from 'vitest';
import { addFrame, type Step } from './timeline-steps.ts';

const ids = { execution_id: 'job_1' };
const stepsOf = (frames: StreamFrame[]) => frames.reduce<readonly Step[]>(addFrame, []);

test('joins text deltas into one step until another event arrives', () => {
  const steps = stepsOf([
    { type: 'execution.queued', seq: 1, ...ids },
    { type: 'text.delta', seq: 2, index: 0, delta: 'Hello', ...ids },
    { type: 'text.delta', seq: 3, index: 0, delta: ' you', ...ids },
    { type: 'text.reset', seq: 4, reason: 'worker_lost', ...ids },
    { type: 'text.delta', seq: 5, index: 0, delta: 'Hi', ...ids },
  ]);
  expect(steps.map(({ title, detail, count, first }) => [title, detail, count, first])).toEqual([
    ['Queued', '', 1, 1],
    ['Writing', '9 characters', 2, 2],
    ['Restarted', 'A worker crashed, and another one took over', 1, 4],
    ['Writing', '2 characters', 1, 5],
  ]);
});

test('says what it waits for', () => {
  const waiting = { type: 'execution.waiting', seq: 2, provider: 'openai', ...ids } as const;
  const until = new Date(Date.now() + 3_600_000).toISOString();
  const steps = stepsOf([
    { ...waiting, reason: 'slow_down', until },
    { ...waiting, reason: 'key', until: null },
  ]);
  expect(steps.map(({ title }) => title)).toEqual([
    expect.stringMatching(/^Waiting for OpenAI until \d+:\d\d.* \(rate limit\)$/),
    'Waiting for OpenAI (key refused)',
  ]);
});

test('shows the latest progress', () => {
  const progress = (seq: number, completed: number): StreamFrame => ({
    type: 'progress',
    seq,
    progress: { completed, total: 3, stage: 'rendering' },
    ...ids,
  });
  expect(stepsOf([progress(2, 1), progress(3, 2)])).toMatchObject([
    { detail: 'Rendering: 2 of 3', count: 2, first: 2 },
  ]);
});

test('shows each state of a call once', () => {
  const call = { type: 'tool_call' as const, id: 'c', name: 'read', arguments: '{}', result: null, finished_at: null };
  const item = (seq: number, status: ToolCallItem['status'], started_at: string | null): StreamFrame => ({
    ...{ type: 'output.item', seq, index: 0, ...ids },
    item: { ...call, status, started_at },
  });
  const steps = stepsOf([
    item(2, 'running', null),
    { type: 'tool_call.started', seq: 3, index: 0, id: 'c', name: 'read', ...ids },
    item(4, 'running', '2026-01-01T00:00:00Z'),
    { type: 'tool_call.finished', seq: 5, index: 0, id: 'c', status: 'succeeded', result: '', ...ids },
    item(6, 'succeeded', '2026-01-01T00:00:00Z'),
  ]);
  expect(steps.map(({ title, detail }) => [title, detail])).toEqual([
    ['Tool read', 'Running'],
    ['Tool read', 'Succeeded'],
  ]);
});
