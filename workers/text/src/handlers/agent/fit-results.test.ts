import type { ToolCallItem } from '@chorus/contract';
import { expect, test } from 'vitest';
import { fitResults } from './fit-results.ts';

let calls = 0;
const result = (bytes: number): ToolCallItem => {
  calls += 1;
  const at = new Date().toISOString();
  return {
    ...{ type: 'tool_call', id: `c${calls}`, name: 'f', arguments: '{}', status: 'succeeded' },
    ...{ result: 'x'.repeat(bytes), started_at: at, finished_at: at },
  };
};

const shown = (steps: ToolCallItem[][], room: number) => {
  const { limits, ...counts } = fitResults(steps, room);
  return { sizes: steps.flat().map(({ id, result }) => Math.min(limits.get(id) ?? 1e9, result?.length ?? 0)), counts };
};

test('leaves results that fit as they are', () => {
  const steps = [[result(400), result(600)], [result(9_000)]];
  expect(shown(steps, 10_000)).toEqual({
    sizes: [400, 600, 9_000],
    counts: { cut: 0, dropped: 0, leftOutBytes: 0 },
  });
});

test('cuts the oldest, until half of the room is free', () => {
  const steps = [[result(4_000)], [result(4_000)], [result(4_000)]];
  expect(shown(steps, 10_000)).toEqual({
    sizes: [500, 500, 4_000],
    counts: { cut: 2, dropped: 0, leftOutBytes: 7_000 },
  });
  // The next steps change nothing before the room is full again.
  const more = [...steps, [result(2_000)], [result(2_000)]];
  expect(shown(more, 10_000).sizes).toEqual([500, 500, 4_000, 2_000, 2_000]);
});

test('leaves the oldest out if cutting is not enough, and shares the room among the latest', () => {
  const steps = [
    [result(3_000), result(3_000), result(3_000)],
    [result(9_000), result(9_000)],
  ];
  expect(shown(steps, 2_000)).toEqual({
    sizes: [0, 0, 0, 1_000, 1_000],
    counts: { cut: 2, dropped: 3, leftOutBytes: 25_000 },
  });
});
