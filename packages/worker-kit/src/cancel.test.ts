import { once } from 'node:events';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { newId } from '@chorus/contract';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import {
  aborted,
  type ChatContext,
  delta,
  gate,
  isEnd,
  openPlatform,
  outputOf,
  personal,
  readUntil,
  result,
  type TestPlatform,
  textOf,
  typesOf,
  USAGE,
  until,
} from './test-pool.ts';

let platform: TestPlatform;

beforeAll(async () => {
  platform = await openPlatform();
});
afterAll(() => platform.close());
beforeEach(() => platform.redis.flushall());
afterEach(() => platform.closePools());

test('a silent execution stops at once and keeps shown text', async () => {
  const reason = gate<unknown>();
  const running = gate();
  await platform.startPool(async ({ emit, note, signal }) => {
    note({ usage: USAGE });
    await emit(delta('so far'));
    running.open();
    return aborted(signal).catch((thrown) => {
      reason.open(thrown);
      throw thrown;
    });
  });
  const owner = personal();
  const { reader, id, record } = await platform.dispatch(owner);
  await running.opened;
  await readUntil(reader, (events) => textOf(events) === 'so far');
  expect(await platform.dispatcher.cancel(owner, id)).toMatchObject({ status: 'cancelling' });
  expect(await reason.opened).toMatchObject({ kind: 'cancelled' });
  expect(typesOf(await readUntil(reader))).toEqual(['execution.cancelled']);
  reader.close();
  const ended = await platform.database.executions.get(owner, id);
  expect(ended).toMatchObject({ status: 'cancelled', error: null, usage: USAGE });
  expect(outputOf(ended)).toBe('so far');
  expect(await platform.database.messages.get(owner, record.message_id ?? '')).toMatchObject({
    status: 'cancelled',
    content: 'so far',
  });
  expect((await platform.database.sessions.get(owner, record.session_id ?? ''))?.active_execution_id).toBeNull();
  expect(await platform.dispatcher.cancel(owner, id)).toEqual(ended);
  await until(async () => (await platform.queue.getJob(id)) === undefined); // and is not run again
});

test('a cancel before the start is found at the first append', async () => {
  const owner = personal();
  const { reader, id, record } = await platform.dispatch(owner);
  await platform.eventLog.requestCancel(id);
  let aborts = 0;
  await platform.startPool(async ({ signal }) =>
    aborted(signal).catch((thrown) => {
      aborts += 1;
      throw thrown;
    }),
  );
  const events = await readUntil(reader);
  reader.close();
  expect(typesOf(events).at(-1)).toBe('execution.cancelled');
  expect(aborts).toBe(1);
  expect((await platform.database.executions.get(record.owner, id))?.status).toBe('cancelled');
});

test('a handler that ignores its signal does not delay the end, and its later events are dropped', async () => {
  const released = gate();
  const talking = gate();
  let late: ChatContext | undefined;
  await platform.startPool(async (context) => {
    late = context;
    await context.emit(delta('before'));
    talking.open();
    await released.opened;
    context.emit(delta('after the end'));
    return result(context);
  });
  const owner = personal();
  const { reader, id } = await platform.dispatch(owner);
  await talking.opened;
  await readUntil(reader, (events) => textOf(events) === 'before');
  await platform.dispatcher.cancel(owner, id);
  const events = await readUntil(reader);
  expect(typesOf(events)).toEqual(['execution.cancelled']);
  late?.emit(delta('far too late'));
  released.open();
  await until(async () => (await platform.queue.getJobCounts()).active === 0);
  const all = await platform.hub.open(id, 0);
  expect(typesOf(await readUntil(all))).toEqual(['execution.started', 'text.delta', 'execution.cancelled']);
  expect(outputOf(await platform.database.executions.get(owner, id))).toBe('before');
  all.close();
  reader.close();
});

test('a handler of a busy process can still note what it has used', async () => {
  const running = gate();
  const usage = { input_tokens: 3, output_tokens: 4, total_tokens: 7, cost_usd: null, estimated: true } as const;
  await platform.startPool(async ({ signal, note }) => {
    running.open();
    await once(signal, 'abort');
    await nextTurn();
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1_100);
    await nextTurn();
    note({ usage });
    throw signal.reason;
  });
  const owner = personal();
  const { reader, id } = await platform.dispatch(owner);
  await running.opened;
  await platform.dispatcher.cancel(owner, id);
  await readUntil(reader);
  reader.close();
  expect(await platform.database.executions.get(owner, id)).toMatchObject({ status: 'cancelled', usage });
});

test('events between cancel and stop are both shown and stored, or neither', async () => {
  let chatter = 0;
  await platform.startPool(async ({ emit, signal }) => {
    // Keeps emitting after the signal, and never ends.
    const timer = setInterval(() => emit(delta(`${chatter++} `)), 1);
    timer.unref();
    signal.addEventListener('abort', () => setTimeout(() => clearInterval(timer), 2_000).unref());
    return new Promise<never>(() => undefined);
  });
  const owner = personal();
  const { reader, id } = await platform.dispatch(owner);
  const events = await readUntil(reader, (seen) => textOf(seen).length > 20);
  await platform.dispatcher.cancel(owner, id);
  events.push(...(await readUntil(reader)));
  reader.close();
  expect(typesOf(events).at(-1)).toBe('execution.cancelled');
  expect(outputOf(await platform.database.executions.get(owner, id))).toBe(textOf(events));
});

test('a handler that finishes before the cancel succeeds', async () => {
  await platform.startPool(async (context) => {
    await context.emit(delta('done'));
    await platform.dispatcher.cancel(context.owner, context.executionId);
    return result(context);
  });
  const owner = personal();
  const { reader, id } = await platform.dispatch(owner);
  const events = await readUntil(reader);
  reader.close();
  const ended = await platform.database.executions.get(owner, id);
  expect(typesOf(events).at(-1)).toBe(`execution.${ended?.status}`);
  expect(outputOf(ended)).toBe('done');
});

describe('cancelled at any moment', () => {
  test('a silent execution ends as soon as its record exists, even while it is being queued', async () => {
    await platform.startPool(({ signal }) => aborted(signal), { concurrency: 5 });
    const owner = personal();
    const statuses = await Promise.all(
      Array.from({ length: 60 }, async (_, i) => {
        const id = newId('job');
        const dispatching = platform.dispatch(owner, { id, stateless: i % 2 === 0 });
        await until(async () => (await platform.dispatcher.cancel(owner, id)) !== null);
        const { reader } = await dispatching;
        const events = await readUntil(reader);
        reader.close();
        expect(events.filter(isEnd)).toHaveLength(1);
        return (await platform.database.executions.get(owner, id))?.status;
      }),
    );
    expect(new Set(statuses)).toEqual(new Set(['cancelled']));
  });

  test('each one ends once: record, message, terminal event, and text agree, and the session is free', async () => {
    await platform.startPool(
      async (context) => {
        for (let i = 0; i < 20; i += 1) {
          context.signal.throwIfAborted();
          const full = context.emit(delta(`${i} `));
          if (full) await full;
          await new Promise((resolve) => setTimeout(resolve, Math.random() * 4));
        }
        return result(context);
      },
      { concurrency: 15 },
    );
    const owner = personal();
    const outcomes = await Promise.all(
      Array.from({ length: 80 }, async (_, i) => {
        const { reader, id, record } = await platform.dispatch(owner);
        const reading = readUntil(reader);
        await new Promise((resolve) => setTimeout(resolve, (i % 20) * 10));
        const answer = await platform.dispatcher.cancel(owner, id);
        expect(answer).not.toBeNull();
        const events = await reading;
        reader.close();
        const ended = await platform.database.executions.get(owner, id);
        const message = await platform.database.messages.get(owner, record.message_id ?? '');
        expect(typesOf(events).at(-1)).toBe(`execution.${ended?.status}`);
        expect(events.filter(isEnd)).toHaveLength(1);
        expect(outputOf(ended)).toBe(textOf(events));
        expect(message).toMatchObject({ status: ended?.status, content: textOf(events) });
        const session = await platform.database.sessions.get(owner, record.session_id ?? '');
        expect(session?.active_execution_id).toBeNull();
        return ended?.status;
      }),
    );
    expect(new Set(outcomes)).toContain('cancelled');
    expect(outcomes.every((status) => status === 'cancelled' || status === 'succeeded')).toBe(true);
    await until(async () => {
      const counts = await platform.queue.getJobCounts();
      return Object.values(counts).every((count) => count === 0);
    });
  });
});
