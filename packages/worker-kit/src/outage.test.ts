import { ChorusError } from '@chorus/contract';
import { startStore, type TestStore } from '@chorus/testing';
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
  until,
} from './test-pool.ts';

let platform: TestPlatform;
let store: TestStore;

beforeAll(async () => {
  store = await startStore();
  platform = await openPlatform(store);
});
afterAll(() => platform.close());
beforeEach(() => platform.redis.flushall());
afterEach(() => platform.closePools());

const say = async (context: ChatContext) => {
  await context.emit(delta(`said by attempt ${context.attempt}`));
  return result(context);
};

describe('while the store is down', () => {
  test('a handler that has shown nothing restarts', async () => {
    const away = new ChorusError('store_unavailable', 'away');
    let begun = 0;
    await platform.startPool(async (context) => {
      begun += 1;
      if (begun < 3) throw away;
      return say(context);
    });
    const { reader } = await platform.dispatch(personal());
    const events = await readUntil(reader);
    reader.close();
    expect(begun).toBe(3);
    expect(typesOf(events)).toEqual(['execution.started', 'text.delta', 'execution.succeeded']);
  });

  test('a handler that has shown text does not', async () => {
    let begun = 0;
    await platform.startPool(async (context) => {
      begun += 1;
      await say(context);
      throw new ChorusError('store_unavailable', 'away');
    });
    const { reader } = await platform.dispatch(personal());
    const events = await readUntil(reader);
    reader.close();
    expect(begun).toBe(1);
    expect(typesOf(events).at(-1)).toBe('execution.failed');
  });

  test('finished results wait for it: nothing is lost, and each ends once', async () => {
    const go = gate();
    const running: string[] = [];
    await platform.startPool(async (context) => {
      running.push(context.executionId);
      await go.opened;
      return say(context);
    });
    const owner = personal();
    const all = await Promise.all(Array.from({ length: 10 }, () => platform.dispatch(owner)));
    await until(() => running.length === 10);
    await store.kill();
    go.open();
    const reading = all.map(async ({ reader }) => {
      const events = await readUntil(reader, (seen) => textOf(seen) !== '');
      return { events, reader };
    });
    const shown = await Promise.all(reading); // all are at the point where they store
    await store.restart();
    for (const [i, { events, reader }] of shown.entries()) {
      if (!events.some(isEnd)) events.push(...(await readUntil(reader)));
      reader.close();
      expect(typesOf(events)).toEqual(['execution.started', 'text.delta', 'execution.succeeded']);
      const record = await platform.database.executions.get(owner, all[i]?.id ?? '');
      expect(record).toMatchObject({ status: 'succeeded', attempt: 1 });
      expect(outputOf(record)).toBe('said by attempt 1');
      const session = await platform.database.sessions.get(owner, record?.session_id ?? '');
      expect(session?.active_execution_id).toBeNull();
      expect(await platform.database.messages.get(owner, record?.message_id ?? '')).toMatchObject({
        status: 'succeeded',
        content: 'said by attempt 1',
      });
    }
    expect(running).toHaveLength(10);
    expect(await platform.queue.getFailedCount()).toBe(0);
  });

  test('repeated kills of the store while executions end lose none of them', async () => {
    await platform.startPool(say, { concurrency: 5 });
    const owner = personal();
    const all = await Promise.all(Array.from({ length: 40 }, () => platform.dispatch(owner)));
    const reading = Promise.all(all.map(({ reader }) => readUntil(reader)));
    for (let round = 0; round < 3; round += 1) await store.restart();
    const streams = await reading;
    for (const [i, events] of streams.entries()) {
      expect(events.filter(isEnd)).toHaveLength(1);
      expect(typesOf(events).at(-1)).toBe('execution.succeeded');
      const record = await platform.database.executions.get(owner, all[i]?.id ?? '');
      expect(record?.status).toBe('succeeded');
      expect(outputOf(record)).toBe(textOf(events));
      const session = await platform.database.sessions.get(owner, record?.session_id ?? '');
      expect(session?.active_execution_id).toBeNull();
    }
    for (const { reader } of all) reader.close();
  });

  test('an attempt that takes over waits for it', async () => {
    const { record, reader } = await platform.dispatch(personal());
    await store.kill();
    const running = platform.attempt(record, 2, { run: say }).run();
    await store.restart();
    expect(await running).toBe('settled');
    expect(textOf(await readUntil(reader))).toBe('said by attempt 2');
    reader.close();
  });
});

describe('Redis that restarts', () => {
  test('while executions run: each continues where it left off', async () => {
    const go = gate();
    const running: string[] = [];
    await platform.startPool(async (context) => {
      await context.emit(delta('before '));
      running.push(context.executionId);
      await go.opened;
      await context.emit(delta('after'));
      return result(context);
    });
    const owner = personal();
    const all = await Promise.all(Array.from({ length: 10 }, () => platform.dispatch(owner)));
    await until(() => running.length === 10);
    await platform.server.restart();
    go.open();
    for (const { reader, id } of all) {
      const events = await readUntil(reader);
      reader.close();
      expect(textOf(events)).toBe('before after');
      expect(events.filter(isEnd)).toHaveLength(1);
      expect(await platform.database.executions.get(owner, id)).toMatchObject({ status: 'succeeded', attempt: 1 });
    }
    await until(async () => Object.values(await platform.queue.getJobCounts()).every((count) => count === 0));
  });

  test('is subscribed to again: a cancel still stops a silent handler', async () => {
    const running = gate();
    await platform.startPool(async ({ signal }) => {
      running.open();
      return aborted(signal);
    });
    const { reader, record, id } = await platform.dispatch(personal());
    await running.opened;
    await platform.server.restart();
    await until(async () => {
      const counted = (await platform.redis.call('PUBSUB', 'NUMSUB', 'chorus:cancel')) as unknown[];
      return Number(counted[1]) > 0;
    });
    await platform.dispatcher.cancel(record.owner, id);
    expect(typesOf(await readUntil(reader)).at(-1)).toBe('execution.cancelled');
    reader.close();
  });

  test('a lost cancel message stops a silent handler after the reconnect', async () => {
    const running = gate();
    await platform.startPool(async ({ signal }) => {
      running.open();
      return aborted(signal);
    });
    const { reader, id } = await platform.dispatch(personal());
    await running.opened;
    await platform.redis
      .pipeline()
      .call('CLIENT', 'KILL', 'TYPE', 'pubsub')
      .hset(`chorus:{${id}}:state`, 'cancel', 1)
      .exec();
    expect(typesOf(await readUntil(reader)).at(-1)).toBe('execution.cancelled');
    reader.close();
  });

  test('a lost cancel message is found with the next event of a handler', async () => {
    const running = gate();
    const go = gate();
    await platform.startPool(async (context) => {
      await context.emit(delta('before'));
      running.open();
      await go.opened;
      await context.emit(delta(' after'));
      return aborted(context.signal);
    });
    const { reader, id } = await platform.dispatch(personal());
    await running.opened;
    await platform.redis.call('CLIENT', 'KILL', 'TYPE', 'pubsub');
    await platform.eventLog.requestCancel(id);
    go.open();
    expect(typesOf(await readUntil(reader)).at(-1)).toBe('execution.cancelled');
    reader.close();
  });
});

test('a job with a lost lock is stopped and runs again elsewhere', async () => {
  const reason = gate<unknown>();
  await platform.startPool(async (context) => {
    if (context.attempt > 1) return say(context);
    await context.emit(delta('first'));
    return aborted(context.signal).catch((thrown) => {
      reason.open(thrown);
      throw thrown;
    });
  });
  const { reader, record, id } = await platform.dispatch(personal());
  const events = await readUntil(reader, (seen) => textOf(seen) === 'first');
  await platform.redis.del(`{chorus:text}:text:${id}:lock`);
  expect(await reason.opened).toMatchObject({ kind: 'refused' });
  events.push(...(await readUntil(reader)));
  reader.close();
  expect(textOf(events)).toBe('said by attempt 2');
  expect(events.filter(isEnd)).toHaveLength(1);
  expect(await platform.database.executions.get(record.owner, id)).toMatchObject({ status: 'succeeded', attempt: 2 });
});
