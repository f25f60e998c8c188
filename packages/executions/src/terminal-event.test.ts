import { type LogEvent, newId, type OutputItem } from '@chorus/contract';
import type { ExecutionRecord } from '@chorus/database';
import { expect, test } from 'vitest';
import { newExecution } from './new-execution.ts';
import { recordOfEnd, terminalEvent } from './terminal-event.ts';

const queued: ExecutionRecord = {
  ...newExecution({
    id: newId('job'),
    kind: 'chat.completion',
    owner: { scope: 'personal', user_id: newId('user'), workspace_id: null },
    model: 'm/x',
    input: { secret: 'not for the log' },
    metadata: { a: 'b' },
    request_id: 'req',
  }),
  created_at: new Date(1_000),
};

const ended = (over: Partial<ExecutionRecord>): ExecutionRecord => ({
  ...queued,
  status: 'succeeded',
  output: [{ type: 'text', text: 'the answer' }],
  usage: { input_tokens: 1, output_tokens: 2, total_tokens: 3, cost_usd: 0.5 },
  attempt: 2,
  finish_reason: 'stop',
  started_at: new Date(2_000),
  finished_at: new Date(3_456),
  ...over,
});

/** Serializes an event as the log does. */
const throughLog = (event: LogEvent): LogEvent => JSON.parse(JSON.stringify(event));

test.each([
  ['succeeded', {}],
  ['cancelled', { status: 'cancelled', started_at: null, output: [] }],
  [
    'failed',
    {
      status: 'failed',
      finish_reason: null,
      error: { code: 'timeout', message: 'm', status: 504, details: [], request_id: 'req' },
    },
  ],
] satisfies [string, Partial<ExecutionRecord>][])('holds the whole end of an execution that %s', (status, over) => {
  const record = ended(over);
  const event = terminalEvent(record);
  expect(event.type).toBe(`execution.${status}`);
  expect(JSON.stringify(event)).not.toContain('secret');
  expect(recordOfEnd(throughLog(event), queued)).toEqual(record);
});

test('leaves a long text to the database', () => {
  const event = terminalEvent(ended({ output: [{ type: 'text', text: 'x'.repeat(25_000) }] }));
  expect(event).toEqual({ type: 'execution.succeeded' });
  expect(recordOfEnd(throughLog(event), queued)).toBeNull();
});

const picture = (index: number): OutputItem => ({
  type: 'asset',
  asset: {
    id: newId('asset'),
    kind: 'image',
    mime_type: 'image/png',
    size_bytes: 1_000 + index,
    sha256: 'a'.repeat(64),
    filename: null,
    width: 64,
    height: 64,
    duration_ms: null,
    execution_id: queued.id,
    created_at: new Date(3_000).toISOString(),
  },
});

test('includes a few assets, and leaves many to the database', () => {
  const few = ended({ output: [picture(0), picture(1)] });
  expect(recordOfEnd(throughLog(terminalEvent(few)), queued)).toEqual(few);
  const many = ended({ output: Array.from({ length: 100 }, (_, index) => picture(index)) });
  expect(terminalEvent(many)).toEqual({ type: 'execution.succeeded' });
});

test('returns null for other events', () => {
  expect(recordOfEnd({ type: 'text.delta', index: 0, delta: 'x' }, queued)).toBeNull();
});
