import type { Owner } from '@chorus/contract';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import {
  aborted,
  type ChatContext,
  codeOf,
  gate,
  openPlatform,
  personal,
  readUntil,
  result,
  type TestPlatform,
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

const dispatch = (owner: Owner) => platform.dispatch(owner, { stateless: true });

/** Works until it is stopped or its place is wanted. */
async function work({ signal, place }: ChatContext): Promise<never> {
  for (;;) {
    signal.throwIfAborted();
    if (await place.isWanted()) place.giveBack();
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

test('a user who floods two workers leaves a place free for others', async () => {
  const heavy = personal();
  const end = gate();
  const running = new Map<string, number>();
  let most = 0;
  const handler = async (context: ChatContext) => {
    const user = context.owner.user_id;
    running.set(user, (running.get(user) ?? 0) + 1);
    most = Math.max(most, running.get(heavy.user_id) ?? 0);
    if (user === heavy.user_id) await Promise.race([end.opened, aborted(context.signal)]);
    running.set(user, (running.get(user) ?? 1) - 1);
    return result(context);
  };
  await platform.startPool(handler, { concurrency: 2 });
  await platform.startPool(handler, { concurrency: 2 });
  const flood = await Promise.all(Array.from({ length: 10 }, () => dispatch(heavy)));
  await until(() => running.get(heavy.user_id) === 3);
  // The heavy user holds its full share, and others are served immediately, one after another.
  for (let time = 0; time < 5; time += 1) {
    const { reader } = await dispatch(personal());
    expect(typesOf(await readUntil(reader)).at(-1)).toBe('execution.succeeded');
    reader.close();
  }
  expect(most).toBe(3);
  end.open();
  for (const { reader } of flood) {
    expect(typesOf(await readUntil(reader)).at(-1)).toBe('execution.succeeded');
    reader.close();
  }
});

test('long work yields its only place, continues at its next turn, and ends once', async () => {
  const heavy = personal();
  const attempts: number[] = [];
  const others = 3;
  let served = 0;
  await platform.startPool(
    async (context) => {
      if (context.owner.user_id !== heavy.user_id) {
        served += 1;
        return result(context);
      }
      attempts.push(context.attempt);
      if (served < others) return work(context);
      return result(context);
    },
    { concurrency: 1 },
  );
  const { reader, id } = await dispatch(heavy);
  await until(() => attempts.length === 1);
  const waiting = await Promise.all(Array.from({ length: others }, () => dispatch(personal())));
  for (const one of waiting) {
    await readUntil(one.reader);
    one.reader.close();
  }
  const types = typesOf(await readUntil(reader));
  reader.close();
  expect(types.filter((type) => type === 'execution.succeeded')).toHaveLength(1);
  // It gave the place back only once for everyone waiting, and its attempt numbers continued.
  expect(attempts).toEqual([1, 2]);
  expect(await platform.database.executions.get(heavy, id)).toMatchObject({ status: 'succeeded', attempt: 2 });
});

test('work that waits after yielding can be cancelled at once', async () => {
  const heavy = personal();
  const hold = gate();
  await platform.startPool(
    (context) => (context.owner.user_id === heavy.user_id ? work(context) : hold.opened.then(() => result(context))),
    { concurrency: 1 },
  );
  const { reader, id } = await dispatch(heavy);
  await until(async () => (await platform.queue.getActiveCount()) === 1);
  const other = await dispatch(personal());
  await until(async () => (await platform.queue.getJobState(id)) !== 'active');
  expect(await platform.dispatcher.cancel(heavy, id)).toMatchObject({ status: 'cancelled' });
  expect(typesOf(await readUntil(reader)).at(-1)).toBe('execution.cancelled');
  hold.open();
  await readUntil(other.reader);
  for (const one of [reader, other.reader]) one.close();
  const left = async () => Object.values(await platform.queue.getJobCounts()).reduce((sum, count) => sum + count, 0);
  await until(async () => (await left()) === 0);
});

test('the time limit counts running time over all turns, not the waits', async () => {
  const heavy = personal();
  let turns = 0;
  await platform.startPool(
    async (context) => {
      if (context.owner.user_id !== heavy.user_id) {
        // Longer than the rest of the limit.
        await new Promise((resolve) => setTimeout(resolve, 4_000));
        return result(context);
      }
      turns += 1;
      return work(context);
    },
    { concurrency: 1, timeoutMs: 6_500 },
  );
  const { reader, id } = await dispatch(heavy);
  await until(() => turns === 1);
  const other = await dispatch(personal());
  await readUntil(reader);
  for (const one of [reader, other.reader]) one.close();
  const record = await platform.database.executions.get(heavy, id);
  expect(codeOf(record)).toBe('timeout');
  expect(turns).toBe(2);
  const lastedMs = Number(record?.finished_at) - Number(record?.started_at);
  expect(lastedMs).toBeGreaterThan(6_500 + 2_000);
});
