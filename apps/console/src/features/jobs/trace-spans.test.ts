import '../../i18n/use-english.ts';
import type { Execution, ToolCallItem } from '@chorus/client';
import { expect, test } from 'vitest';
import { spansOf } from './trace-spans.ts';

const at = (seconds: number) => new Date(Date.UTC(2026, 0, 1) + seconds * 1_000).toISOString();
const call = (id: string, step: number, from: number | null, to: number | null): ToolCallItem => ({
  ...{ type: 'tool_call', id, name: id, arguments: '{}', status: 'succeeded', result: '', step },
  ...{ started_at: from === null ? null : at(from), finished_at: to === null ? null : at(to) },
});
const times = { created_at: at(0), started_at: at(1), finished_at: at(10), attempt: 1 };
const spans = (output: Execution['output'], more: Partial<Execution> = {}, now = 0) =>
  spansOf({ ...times, output, ...more }, now).map(({ label, start, end }) => [label, start / 1_000, end / 1_000]);

test('splits the time into queue, model, and calls, which may overlap', () => {
  expect(spans([call('read', 0, 3, 5), call('look', 0, 3.5, 4), call('mail', 1, 7, 8)])).toEqual([
    ['Queue', 0, 1],
    ['Model', 1, 3],
    ['read', 3, 5],
    ['look', 3.5, 4],
    ['Model', 5, 7],
    ['mail', 7, 8],
    ['Model', 8, 10],
  ]);
});

test('leaves out calls that never ran, and ends what runs now', () => {
  const running = [call('denied', 0, null, 2), call('read', 1, 3, null)];
  expect(spans(running, { finished_at: null, attempt: 2 }, Date.parse(at(6)))).toEqual([
    ['Queue', 0, 1],
    ['Model and waiting', 1, 3],
    ['read', 3, 6],
  ]);
  expect(spans([], { started_at: null, finished_at: null }, Date.parse(at(2)))).toEqual([['Queue', 0, 2]]);
});
