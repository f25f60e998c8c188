import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import {
  aborted,
  type ChatContext,
  codeOf,
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
  until,
} from './test-pool.ts';

let platform: TestPlatform;

beforeAll(async () => {
  platform = await openPlatform();
});
afterAll(() => platform.close());
beforeEach(() => platform.redis.flushall());
afterEach(() => platform.closePools());

/** Emits `text`, then waits for its signal. */
function holding(text: string) {
  const held = gate<ChatContext>();
  const run = async (context: ChatContext) => {
    if (text) await context.emit(delta(text));
    held.open(context);
    return aborted(context.signal);
  };
  return { run, held: held.opened };
}

const say = async (context: ChatContext) => {
  await context.emit(delta(`said by attempt ${context.attempt}`));
  return result(context);
};

describe('a pool that is closed', () => {
  test('lets a running execution finish within its time', async () => {
    const go = gate();
    const running = gate();
    const pool = await platform.startPool(async (context) => {
      running.open();
      await go.opened;
      return say(context);
    });
    const { reader, record } = await platform.dispatch(personal());
    await running.opened;
    const closing = pool.close(60_000);
    go.open();
    await closing;
    expect(textOf(await readUntil(reader))).toBe('said by attempt 1');
    reader.close();
    expect(await platform.database.executions.get(record.owner, record.id)).toMatchObject({
      status: 'succeeded',
      attempt: 1,
    });
  });

  test('hands back unfinished work: another continues, after a reset of shown text', async () => {
    const first = holding('half of it');
    const pool = await platform.startPool(first.run, { concurrency: 1 });
    const { reader, record, id } = await platform.dispatch(personal());
    const events = await readUntil(reader, (seen) => textOf(seen) === 'half of it');
    await platform.startPool(say);
    await pool.close(20);
    expect((await first.held).signal.reason).toMatchObject({ kind: 'handback' });
    events.push(...(await readUntil(reader)));
    reader.close();
    expect(events.map(({ event }) => event)).toMatchObject([
      { type: 'execution.started', attempt: 1 },
      delta('half of it'),
      { type: 'text.reset', reason: 'handed_back' },
      delta('said by attempt 2'),
      { type: 'execution.succeeded' },
    ]);
    const ended = await platform.database.executions.get(record.owner, id);
    expect(ended).toMatchObject({ status: 'succeeded', attempt: 2 });
    expect(outputOf(ended)).toBe('said by attempt 2');
  });

  test('hands back without a reset if nothing was shown', async () => {
    const first = holding('');
    const pool = await platform.startPool(first.run);
    const { reader } = await platform.dispatch(personal());
    await first.held;
    await platform.startPool(say);
    await pool.close(0);
    expect(typesOf(await readUntil(reader))).toEqual(['execution.started', 'text.delta', 'execution.succeeded']);
    reader.close();
  });

  test('handing back does not count as a stall', async () => {
    let handler = holding('attempt 1');
    let pool = await platform.startPool(handler.run);
    const { reader, record, id } = await platform.dispatch(personal());
    const events = await readUntil(reader, (seen) => textOf(seen) === 'attempt 1');
    for (let attempt = 2; attempt <= 5; attempt += 1) {
      handler = holding(`attempt ${attempt}`);
      const next = await platform.startPool(handler.run);
      await pool.close(0);
      pool = next;
      await handler.held;
      events.push(...(await readUntil(reader, (seen) => textOf(seen) === `attempt ${attempt}`)));
    }
    await platform.startPool(say);
    await pool.close(0);
    events.push(...(await readUntil(reader)));
    reader.close();
    expect(textOf(events)).toBe('said by attempt 6');
    expect(events.filter(isEnd)).toHaveLength(1);
    expect(await platform.database.executions.get(record.owner, id)).toMatchObject({ status: 'succeeded', attempt: 6 });
    expect(await platform.queue.getFailedCount()).toBe(0);
  });

  test('fails work whose shown text cannot be reset', async () => {
    const first = holding('for good');
    const pool = await platform.startPool({ run: first.run, mayReset: () => false });
    const { reader, record, id } = await platform.dispatch(personal(), { stateless: true });
    await readUntil(reader, (seen) => textOf(seen) === 'for good');
    await pool.close(0);
    expect(typesOf(await readUntil(reader))).toEqual(['execution.failed']);
    reader.close();
    const ended = await platform.database.executions.get(record.owner, id);
    expect(codeOf(ended)).toBe('worker_lost');
    expect(outputOf(ended)).toBe('for good');
  });

  test('hands back work that cannot be reset if nothing was shown', async () => {
    const first = holding('');
    const pool = await platform.startPool({ run: first.run, mayReset: () => false });
    const { reader } = await platform.dispatch(personal(), { stateless: true });
    await first.held;
    await pool.close(0);
    await platform.startPool({ run: say, mayReset: () => false });
    expect(textOf(await readUntil(reader))).toBe('said by attempt 2');
    reader.close();
  });

  test('does not wait for a handler that ignores its signal, and drops its later events', async () => {
    const running = gate();
    const timers: NodeJS.Timeout[] = [];
    const pool = await platform.startPool(async ({ emit }) => {
      emit(delta('stubborn '));
      running.open();
      timers.push(setInterval(() => emit(delta('still here ')), 1));
      return new Promise<never>(() => undefined);
    });
    const { reader, record, id } = await platform.dispatch(personal());
    await running.opened;
    await pool.close(0);
    await platform.startPool(say);
    const events = await readUntil(reader);
    reader.close();
    for (const timer of timers) clearInterval(timer);
    expect(textOf(events)).toBe('said by attempt 2');
    expect(outputOf(await platform.database.executions.get(record.owner, id))).toBe('said by attempt 2');
  });

  test('takes no more jobs', async () => {
    const first = holding('x');
    const pool = await platform.startPool(first.run);
    const { reader: running } = await platform.dispatch(personal());
    await first.held;
    const closing = pool.close(100);
    const { reader, record } = await platform.dispatch(personal());
    await closing;
    expect(await platform.dispatcher.jobState(record)).toBe('prioritized');
    await platform.startPool(say);
    expect(textOf(await readUntil(reader))).toBe('said by attempt 1');
    expect(textOf(await readUntil(running))).toBe('said by attempt 2');
    for (const each of [reader, running]) each.close();
  });

  test('a cancelled execution that was handed back does not run again', async () => {
    const first = holding('half');
    const pool = await platform.startPool(first.run);
    const { reader, record, id } = await platform.dispatch(personal());
    const events = await readUntil(reader, (seen) => textOf(seen) === 'half');
    await pool.close(0);
    expect(await platform.dispatcher.cancel(record.owner, id)).toMatchObject({ status: 'cancelling' });
    let runs = 0;
    await platform.startPool(async (context) => {
      runs += 1;
      return say(context);
    });
    events.push(...(await readUntil(reader)));
    reader.close();
    expect(typesOf(events)).toEqual(['execution.started', 'text.delta', 'execution.cancelled']);
    expect(runs).toBe(0);
    expect(outputOf(await platform.database.executions.get(record.owner, id))).toBe('half');
  });

  test('ends even while Redis is down', async () => {
    const first = holding('half');
    const pool = await platform.startPool(first.run);
    const { reader, record } = await platform.dispatch(personal());
    await readUntil(reader, (seen) => textOf(seen) === 'half');
    reader.close();
    await platform.server.kill();
    await pool.close(0);
    expect((await first.held).signal.aborted).toBe(true);
    await platform.server.restart();
    // Its job still counts as running, and is found when its lock expires.
    expect(await platform.dispatcher.jobState(record)).toBe('active');
    expect((await platform.database.executions.get(record.owner, record.id))?.finished_at).toBeNull();
  });
});

test('many pools that start and stop under load lose nothing and end each execution once', async () => {
  const slow = async (context: ChatContext) => {
    for (let i = 0; i < 10; i += 1) {
      context.signal.throwIfAborted();
      await context.emit(delta(`${i} `));
      await new Promise((resolve) => setTimeout(resolve, 3));
    }
    return result(context);
  };
  let pool = await platform.startPool(slow, { concurrency: 10 });
  const owner = personal();
  const all = await Promise.all(Array.from({ length: 60 }, () => platform.dispatch(owner)));
  const reading = Promise.all(all.map(({ reader }) => readUntil(reader)));
  for (let round = 0; round < 6; round += 1) {
    const next = await platform.startPool(slow, { concurrency: 10 });
    await pool.close(5);
    pool = next;
  }
  const streams = await reading;
  for (const [i, events] of streams.entries()) {
    const record = await platform.database.executions.get(owner, all[i]?.id ?? '');
    expect(record?.status).toBe('succeeded');
    expect(events.filter(isEnd)).toHaveLength(1);
    expect(textOf(events)).toBe('0 1 2 3 4 5 6 7 8 9 ');
    expect(outputOf(record)).toBe(textOf(events));
  }
  for (const { reader } of all) reader.close();
  await until(async () => Object.values(await platform.queue.getJobCounts()).every((count) => count === 0));
});
