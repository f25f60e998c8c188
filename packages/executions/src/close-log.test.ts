import { type LogEvent, newId, type OutputItem } from '@chorus/contract';
import type { ExecutionRecord } from '@chorus/database';
import {
  connectRedis,
  createEventLog,
  type EventLog,
  LOST_EVENTS_GAP,
  type RedisConnection,
  readPage,
} from '@chorus/events';
import { startRedis, type TestRedis } from '@chorus/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { cancelledOutcome } from './outcome.ts';
import { closeLog } from './terminal-event.ts';

let server: TestRedis;
let redis: RedisConnection;
let eventLog: EventLog;

beforeAll(async () => {
  server = await startRedis();
  redis = connectRedis({ url: server.url, cluster: false }, 'worker');
  eventLog = createEventLog(redis, { maxLength: 10_000, keepMs: 3_600_000 });
});
afterAll(async () => {
  redis.disconnect();
  await server.stop();
});

const delta = (text: string): LogEvent => ({ type: 'text.delta', index: 0, delta: text });

/** Returns the events expected for a finished record with this text. */
const finished = (text: string) =>
  ({
    ...cancelledOutcome({ output: [{ type: 'text', text }] }),
    id: newId('job'),
    status: 'succeeded',
    attempt: 1,
  }) as ExecutionRecord;

async function entries(id: string): Promise<[seq: number, event: LogEvent][]> {
  const { events } = await readPage(redis, id, 1, 1_000);
  return events.map(({ seq, event }) => [seq, event]);
}

test('ends a complete log once', async () => {
  const record = finished('whole');
  await eventLog.append(record.id, 1, 1, [delta('who'), delta('le')]);
  await Promise.all([closeLog(eventLog, record), closeLog(eventLog, record, 3)]);
  await closeLog(eventLog, record);
  expect((await entries(record.id)).map(([seq, { type }]) => [seq, type])).toEqual([
    [2, 'text.delta'],
    [3, 'text.delta'],
    [4, 'execution.succeeded'],
  ]);
});

test('writes the answer again to a log that lost part of it, beyond the numbers its readers have seen', async () => {
  const record = finished('whole');
  await eventLog.append(record.id, 1, 1, [delta('who')]);
  await closeLog(eventLog, record, 9);
  expect(await entries(record.id)).toMatchObject([
    [2, delta('who')],
    [10 + LOST_EVENTS_GAP, { type: 'text.reset', reason: 'log_lost' }],
    [11 + LOST_EVENTS_GAP, delta('whole')],
    [12 + LOST_EVENTS_GAP, { type: 'execution.succeeded' }],
  ]);
});

test('writes only the end to a log that is gone', async () => {
  const record = finished('whole');
  await closeLog(eventLog, record);
  expect(await entries(record.id)).toMatchObject([[2, { type: 'execution.succeeded' }]]);
});

const call = { type: 'tool_call', id: 'c', name: 'f', arguments: '{}', status: 'requested', result: null } as const;
const times = { started_at: null, finished_at: null };
const token = { token: 'a', logprob: -1, bytes: null, top_logprobs: [] };
const OUTPUT: OutputItem[] = [
  { type: 'reasoning', text: 'Hm', signature: 'sig' },
  { type: 'reasoning', text: 'So' },
  { type: 'text', text: 'a', logprobs: [token] },
  { type: 'refusal', refusal: 'No' },
  { ...call, ...times },
  { ...call, ...times, id: 'd', signature: 'sig' },
];

test('a rewritten log shows reasoning, refusals and tool calls', async () => {
  const record = { ...finished(''), output: OUTPUT };
  await eventLog.append(record.id, 1, 1, [delta('lost')]);
  await closeLog(eventLog, record);
  expect(await eventLog.shown(record.id)).toEqual(OUTPUT);
  const calls = (await entries(record.id)).map(([, event]) => event).filter(({ type }) => type === 'tool_call.delta');
  expect(calls).toMatchObject([
    { call: 0, id: 'c', first: true },
    { call: 1, id: 'd', first: true },
  ]);
  const length = (await entries(record.id)).length;
  const complete = { ...finished(''), output: OUTPUT };
  const written = (await entries(record.id)).map(([, event]) => event).slice(2, -1);
  await eventLog.append(complete.id, 1, 1, written);
  await closeLog(eventLog, complete);
  expect(await entries(complete.id)).toHaveLength(length - 2);
});
