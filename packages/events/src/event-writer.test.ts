import type { LogEvent } from '@chorus/contract';
import { startRedis, type TestRedis } from '@chorus/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ANY_ATTEMPT, LOST_EVENTS_GAP } from './event-log.ts';
import type { EventWriter } from './event-writer.ts';
import { logKeys } from './keys.ts';
import { readPage } from './read-log.ts';
import {
  isEnd,
  LIMITS,
  openEvents,
  readUntil,
  type TestEvents,
  textOf,
  turn,
  until,
  writeEvents,
} from './test-events.ts';

let server: TestRedis;
let events: TestEvents;

beforeAll(async () => {
  server = await startRedis();
  events = openEvents(server);
});
afterAll(async () => {
  events.close();
  await server.stop();
});

const delta = (text: string, index = 0) => ({ type: 'text.delta', index, delta: text }) as const;

async function stored(id: string): Promise<LogEvent[]> {
  const { events: found } = await readPage(events.redis, id, 1, 1_000);
  return found.map(({ event }) => event);
}

function shownText(writer: EventWriter, index = 0): string {
  const item = writer.output()[index];
  return item?.type === 'text' ? item.text : '';
}

/** Saves an execution's keys. Returns a function that restores them, as if Redis had lost writes. */
async function remember(id: string): Promise<() => Promise<void>> {
  const keys = Object.values(logKeys(id));
  const dumps = await Promise.all(keys.map((key) => events.redis.dumpBuffer(key)));
  return async () => {
    for (const [i, key] of keys.entries()) {
      await events.redis.del(key);
      const dump = dumps[i];
      if (dump) await events.redis.restore(key, 86_400_000, dump);
    }
  };
}

test('batches what is emitted in one turn, and merges deltas of one item', async () => {
  const { writer, executionId } = writeEvents(events.log);
  writer.emit({ type: 'execution.started', attempt: 1 });
  for (const word of ['The ', 'quick ', 'fox']) writer.emit(delta(word));
  writer.emit(delta('other', 1));
  writer.emit(delta(' jumps'));
  await writer.end({ type: 'execution.succeeded' });
  expect(await stored(executionId)).toEqual([
    { type: 'execution.started', attempt: 1 },
    delta('The quick fox'),
    delta('other', 1),
    delta(' jumps'),
    { type: 'execution.succeeded' },
  ]);
  expect(shownText(writer)).toBe('The quick fox jumps');
  expect(shownText(writer, 1)).toBe('other');
});

test('merging does not change the events of the caller', async () => {
  const { writer } = writeEvents(events.log);
  const first = delta('a');
  writer.emit(first);
  writer.emit(delta('b'));
  await writer.flush();
  expect(first.delta).toBe('a');
});

test('keeps the order of ten thousand deltas that come in bursts, in far fewer events', async () => {
  const { writer, executionId } = writeEvents(events.log);
  let expected = '';
  for (let i = 0; i < 10_000; i += 1) {
    const word = `${i} `;
    expected += word;
    const full = writer.emit(delta(word));
    if (full) await full;
    if (i % 10 === 0) await turn();
  }
  expect(await writer.end({ type: 'execution.succeeded' })).toBe(true);
  const all = await stored(executionId);
  expect(all.map((event) => (event.type === 'text.delta' ? event.delta : '')).join('')).toBe(expected);
  expect(all.length).toBeLessThan(1_000);
  expect(shownText(writer)).toBe(expected);
});

test('sends the first event after a pause at once, without a flush', async () => {
  const { writer, executionId } = writeEvents(events.log);
  writer.emit(delta('first'));
  await until(async () => (await stored(executionId)).length === 1);
  writer.emit(delta('second'));
  await until(async () => (await stored(executionId)).length === 2);
});

test('a reset separates events before it from those after', async () => {
  const { writer, executionId } = writeEvents(events.log);
  writer.emit(delta('gone'));
  writer.reset('provider_failed');
  writer.emit(delta('kept'));
  await writer.end({ type: 'execution.succeeded' });
  expect(await stored(executionId)).toEqual([
    delta('gone'),
    { type: 'text.reset', reason: 'provider_failed' },
    delta('kept'),
    { type: 'execution.succeeded' },
  ]);
  expect(shownText(writer)).toBe('kept');
});

test('asks the caller to wait while a megabyte is buffered, and resumes once it is stored', async () => {
  const { writer, executionId } = writeEvents(events.log);
  const chunk = 'x'.repeat(100_000);
  let waits = 0;
  for (let i = 0; i < 50; i += 1) {
    const full = writer.emit(delta(chunk));
    if (!full) continue;
    waits += 1;
    await full;
  }
  await writer.end({ type: 'execution.succeeded' });
  expect(waits).toBeGreaterThan(2);
  const all = await stored(executionId);
  expect(all.reduce((sum, event) => sum + (event.type === 'text.delta' ? event.delta.length : 0), 0)).toBe(5_000_000);
});

test('notifies a writer once that another attempt took over, and accepts nothing more', async () => {
  const { writer, executionId, calls } = writeEvents(events.log);
  writer.emit(delta('mine'));
  await writer.flush();
  await events.log.append(executionId, 2, -1, []);
  for (let i = 0; i < 100; i += 1) writer.emit(delta('late'));
  await writer.flush();
  expect(calls.refusals).toEqual(['fenced']);
  expect(writer.refused).toBe('fenced');
  expect(writer.emit(delta('later still'))).toBeUndefined();
  expect(await writer.end({ type: 'execution.succeeded' })).toBe(false);
  expect(calls.refusals).toEqual(['fenced']);
  expect(await stored(executionId)).toEqual([delta('mine')]);
});

test('two attempts at one log: the paused one is refused when it resumes, and leaves no trace', async () => {
  const first = writeEvents(events.log);
  const { executionId } = first;
  first.writer.emit({ type: 'execution.started', attempt: 1 });
  first.writer.emit(delta('from the first'));
  await first.writer.flush();

  const taken = await events.log.append(executionId, 2, -1, []);
  const second = writeEvents(events.log, { executionId, attempt: 2, base: taken.seq });
  second.writer.reset('worker_lost');
  second.writer.emit(delta('from the '));
  const waking = [first.writer.emit(delta('zombie')), first.writer.end({ type: 'execution.failed' })];
  second.writer.emit(delta('second'));
  expect(await second.writer.end({ type: 'execution.succeeded' })).toBe(true);
  expect(await Promise.all(waking)).toEqual([undefined, false]);
  expect(first.calls.refusals).toHaveLength(1);

  const reader = await events.hub.open(executionId, 0);
  const read = await readUntil(reader);
  reader.close();
  expect(textOf(read)).toBe('from the second');
  expect(read.filter(isEnd)).toHaveLength(1);
  expect(read.at(-1)?.event.type).toBe('execution.succeeded');
});

test('a log that was ended from outside refuses its writer', async () => {
  const { writer, executionId, calls } = writeEvents(events.log);
  writer.emit(delta('a'));
  await writer.flush();
  await events.log.append(executionId, ANY_ATTEMPT, -1, [{ type: 'execution.cancelled' }]);
  writer.emit(delta('b'));
  await writer.flush();
  expect(calls.refusals).toEqual(['ended']);
  expect(await stored(executionId)).toHaveLength(2);
});

test('events emitted during or after the end never follow it', async () => {
  const { writer, executionId } = writeEvents(events.log);
  writer.emit(delta('x'.repeat(200_000)));
  const flushing = writer.flush(); // an append is in flight at the end
  const ending = writer.end({ type: 'execution.succeeded' });
  writer.emit(delta('straggler'));
  writer.reset('provider_failed');
  await flushing;
  expect(await ending).toBe(true);
  writer.emit(delta('straggler'));
  await writer.flush();
  const all = await stored(executionId);
  expect(all.at(-1)).toEqual({ type: 'execution.succeeded' });
  expect(all).toHaveLength(2);
  expect(await events.log.append(executionId, 2, -1, [])).toMatchObject({ status: 'ended' });
});

test('an append reports a cancel request', async () => {
  const { writer, executionId, calls } = writeEvents(events.log);
  writer.emit(delta('a'));
  await writer.flush();
  expect(calls.cancels).toBe(0);
  await events.log.requestCancel(executionId);
  writer.emit(delta('b'));
  await writer.flush();
  expect(calls.cancels).toBe(1);
  expect(writer.refused).toBeNull();
});

test('sends the whole text after a reset, with higher numbers, when Redis has lost writes', async () => {
  const { writer, executionId, calls } = writeEvents(events.log);
  const reader = await events.hub.open(executionId, 0);
  writer.emit({ type: 'execution.started', attempt: 1 });
  writer.emit(delta('one '));
  await writer.flush();
  const fallBack = await remember(executionId);
  for (const word of ['two ', 'three ']) {
    writer.emit(delta(word));
    await writer.flush();
  }
  writer.emit(delta('aside', 1));
  await writer.flush();
  const before = await readUntil(reader, (all) => all.length === 5);
  await fallBack();

  writer.emit(delta('four '));
  await writer.flush();
  writer.emit(delta('five'));
  expect(await writer.end({ type: 'execution.succeeded' })).toBe(true);
  expect(calls.refusals).toEqual([]);

  const after = await readUntil(reader);
  reader.close();
  const seen = [...before, ...after];
  expect(seen.map(({ seq }) => seq)).toEqual([...seen].map(({ seq }) => seq).sort((a, b) => a - b));
  expect(new Set(seen.map(({ seq }) => seq)).size).toBe(seen.length);
  expect(after[0]).toEqual({ seq: 7 + LOST_EVENTS_GAP, event: { type: 'text.reset', reason: 'log_lost' } });
  expect(textOf(seen)).toBe('one two three four five');

  // A reader that arrives now, or returns after any number, ends up with the same text.
  for (const from of [0, 1, 2, 3, 4, 5, 6, 7, 8, 7 + LOST_EVENTS_GAP, 8 + LOST_EVENTS_GAP]) {
    const late = await events.hub.open(executionId, from);
    const rest = await readUntil(late);
    late.close();
    const known = seen.filter(({ seq }) => seq <= from);
    expect(textOf([...known, ...rest])).toBe('one two three four five');
    expect(rest.every(({ seq }) => seq > from)).toBe(true);
  }
});

test('restarts the log after Redis lost everything, and keeps what was not stored', async () => {
  const { writer, executionId } = writeEvents(events.log);
  writer.emit(delta('a'));
  await writer.flush();
  await events.redis.del(...Object.values(logKeys(executionId)));
  writer.emit({ type: 'progress', progress: { completed: 1, total: 2, stage: 'half' } });
  writer.emit(delta('b'));
  await writer.end({ type: 'execution.succeeded' });
  expect(await stored(executionId)).toEqual([
    { type: 'text.reset', reason: 'log_lost' },
    delta('ab'),
    { type: 'progress', progress: { completed: 1, total: 2, stage: 'half' } },
    { type: 'execution.succeeded' },
  ]);
});

test('shows items again when Redis has lost writes', async () => {
  const { writer, executionId } = writeEvents(events.log);
  const item = (index: number, text: string) => ({ type: 'output.item', index, item: { type: 'text', text } }) as const;
  writer.emit(item(1, 'old'));
  await writer.flush();
  const fallBack = await remember(executionId);
  writer.emit(item(1, 'new'));
  writer.emit(item(2, 'second'));
  await writer.flush();
  await fallBack();
  await writer.end({ type: 'execution.succeeded' });
  expect((await stored(executionId)).slice(1)).toEqual([
    { type: 'text.reset', reason: 'log_lost' },
    item(1, 'new'),
    item(2, 'second'),
    { type: 'execution.succeeded' },
  ]);
});

test('a writer that may not discard text is refused when Redis has lost writes', async () => {
  const { writer, executionId, calls } = writeEvents(events.log, { mayReset: false });
  writer.emit(delta('a'));
  await writer.flush();
  const fallBack = await remember(executionId);
  writer.emit(delta('b'));
  await writer.flush();
  await fallBack();
  writer.emit(delta('c'));
  await writer.flush();
  expect(calls.refusals).toEqual(['lost']);
  writer.emit(delta('d'));
  expect(shownText(writer)).toBe('abcd'); // not shown, but the attempt may need it at its end
});

test('of two writers of one attempt, the one behind the log is refused and writes nothing', async () => {
  const first = writeEvents(events.log);
  first.writer.emit(delta('a'));
  await first.writer.flush();
  const second = writeEvents(events.log, { executionId: first.executionId });
  second.writer.emit(delta('other'));
  await second.writer.flush();
  expect(second.calls.refusals).toEqual(['contested']);
  await first.writer.end({ type: 'execution.succeeded' });
  expect(await stored(first.executionId)).toEqual([delta('a'), { type: 'execution.succeeded' }]);
});

test('refuses the writer instead of hanging once its connection is closed for good', async () => {
  const own = openEvents(server, LIMITS);
  const { writer, calls } = writeEvents(own.log);
  writer.emit(delta('a'));
  await writer.flush();
  own.close();
  writer.emit(delta('b'));
  await writer.flush();
  expect(calls.refusals).toEqual(['lost']);
});

test('retries an append while Redis is out of memory', async () => {
  const { writer, executionId, calls } = writeEvents(events.log);
  writer.emit(delta('before '));
  await writer.flush();
  await events.redis.config('SET', 'maxmemory', '1mb');
  writer.emit(delta('after'));
  const flushing = writer.flush();
  await until(
    async () => Number(/errorstat_OOM:count=(\d+)/.exec(await events.redis.info('errorstats'))?.[1] ?? 0) > 0,
  );
  await events.redis.config('SET', 'maxmemory', '0');
  await flushing;
  expect(calls.refusals).toEqual([]);
  expect(await stored(executionId)).toEqual([delta('before '), delta('after')]);
});
