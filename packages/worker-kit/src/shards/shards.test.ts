import type { Owner } from '@chorus/contract';
import { createQueueShards } from '@chorus/executions';
import type { Dispatcher } from '@chorus/queue';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import {
  aborted,
  type ChatContext,
  gate,
  isEnd,
  openPlatform,
  personal,
  readUntil,
  result,
  type TestPlatform,
  typesOf,
  until,
} from '../test-pool.ts';

let platform: TestPlatform;
let dispatchers: Map<number, Dispatcher>;

beforeAll(async () => {
  platform = await openPlatform();
});
afterAll(() => platform.close());
beforeEach(async () => {
  await platform.redis.flushall();
  dispatchers = new Map();
});
afterEach(() => platform.closePools());

/** Returns an owner whose jobs go to a shard. */
function ownerIn(shard: number, of: number): Owner {
  const name = shard === 0 ? 'text' : `text#${shard}`;
  const shards = createQueueShards(platform.redis, of);
  for (;;) {
    const owner = personal();
    if (shards.home('text', 'places', owner.user_id) === name) return owner;
  }
}

function dispatch(owner: Owner, shards: number) {
  const via = dispatchers.get(shards) ?? platform.dispatcherOf(shards);
  dispatchers.set(shards, via);
  return platform.dispatch(owner, { stateless: true, via });
}

type Dispatched = Awaited<ReturnType<typeof dispatch>>;

async function succeeds({ reader }: Dispatched): Promise<void> {
  const events = await readUntil(reader);
  expect(typesOf(events.filter(isEnd))).toEqual(['execution.succeeded']);
  reader.close();
}

/** A handler whose jobs run until the test ends them. */
function held() {
  const begun: { user: string; end: () => void }[] = [];
  const run = async (context: ChatContext) => {
    const end = gate();
    begun.push({ user: context.owner.user_id, end: end.open });
    await Promise.race([end.opened, aborted(context.signal)]);
    return result(context);
  };
  return { begun, run };
}

test('the shards of a queue share the places of a process', async () => {
  const owners = Array.from({ length: 4 }, (_, shard) => [ownerIn(shard, 4), ownerIn(shard, 4)]).flat();
  let running = 0;
  let most = 0;
  const run = async (context: ChatContext) => {
    running += 1;
    most = Math.max(most, running);
    await new Promise(setImmediate);
    running -= 1;
    return result(context);
  };
  await platform.startPool(run, { concurrency: 3, shards: 4 });
  for (let round = 0; round < 5; round += 1) {
    const sent = await Promise.all([...owners, ...owners].map((owner) => dispatch(owner, 4)));
    await Promise.all(sent.map(succeeds));
  }
  expect(most).toBeLessThanOrEqual(3);
});

test('shards take turns, so a busy one does not keep its places', async () => {
  const { begun, run } = held();
  await platform.startPool(run, { concurrency: 2, shards: 3 });
  const busy = Array.from({ length: 8 }, () => ownerIn(0, 3));
  const sent = await Promise.all(busy.map((owner) => dispatch(owner, 3)));
  await until(() => begun.length === 2);
  const others = [ownerIn(1, 3), ownerIn(2, 3), ownerIn(1, 3), ownerIn(2, 3)];
  for (const owner of others) sent.push(await dispatch(owner, 3));
  // The worker has seen all jobs once the markers of both shards are set again.
  for (const shard of ['text#1', 'text#2'])
    await until(async () => (await platform.redis.exists(`{chorus:${shard}}:${shard}:marker`)) === 1);
  for (let ended = 0; ended < 12; ended += 1) {
    await until(() => begun.length > ended);
    begun[ended]?.end();
    await until(() => begun.length === Math.min(12, ended + 3));
  }
  await Promise.all(sent.map(succeeds));
  const isBusy = new Set(busy.map(({ user_id }) => user_id));
  // The busy shard's first two jobs held both places, and its third was already next.
  const order = begun.map(({ user }) => (isBusy.has(user) ? 'busy' : 'other'));
  expect(order.slice(0, 8).filter((each) => each === 'other')).toHaveLength(4);
});

test('a process without free places leaves a job to one that has some', async () => {
  const full = held();
  await platform.startPool(full.run, { concurrency: 1, shards: 2 });
  const long = await dispatch(ownerIn(0, 2), 2);
  await until(() => full.begun.length === 1);
  await platform.startPool(async (context) => result(context), { concurrency: 1, shards: 2 });
  const startedAt = performance.now();
  for (let time = 0; time < 10; time += 1) await succeeds(await dispatch(ownerIn(1, 2), 2));
  // A worker that waits for new jobs looks again after 5 s.
  expect(performance.now() - startedAt).toBeLessThan(4_000);
  expect(full.begun).toHaveLength(1);
  full.begun[0]?.end();
  await succeeds(long);
});

test('long work yields its place to another shard', async () => {
  const heavy = ownerIn(0, 2);
  let served = false;
  const attempts: number[] = [];
  await platform.startPool(
    async (context) => {
      if (context.owner.user_id !== heavy.user_id) served = true;
      else {
        attempts.push(context.attempt);
        while (!served) {
          context.signal.throwIfAborted();
          if (await context.place.isWanted()) context.place.giveBack();
          await new Promise((resolve) => setTimeout(resolve, 20));
        }
      }
      return result(context);
    },
    { concurrency: 1, shards: 2 },
  );
  const long = await dispatch(heavy, 2);
  await until(() => attempts.length === 1);
  await succeeds(await dispatch(ownerIn(1, 2), 2));
  await succeeds(long);
  expect(attempts).toEqual([1, 2]);
});

test('jobs end exactly once when the number of shards changes', async () => {
  const runs = new Map<string, number>();
  const run = async (context: ChatContext) => {
    runs.set(context.executionId, (runs.get(context.executionId) ?? 0) + 1);
    return result(context);
  };
  const owners = Array.from({ length: 4 }, (_, shard) => ownerIn(shard, 4));
  const sent: Dispatched[] = [];
  const send = async (shards: number) => {
    for (const owner of [...owners, ...owners, ...owners]) sent.push(await dispatch(owner, shards));
  };
  await send(4);
  await send(1);
  const before = await platform.startPool(run, { concurrency: 2, shards: 1 });
  await until(() => runs.size >= 4);
  await before.close(10_000);
  await send(2);
  await platform.startPool(run, { concurrency: 2, shards: 2 });
  // This worker started before the others knew of a larger number.
  await send(7);
  await Promise.all(sent.map(succeeds));
  expect(runs.size).toBe(sent.length);
  expect([...runs.values()].every((times) => times === 1)).toBe(true);
  for (const { record } of sent)
    expect(await platform.database.executions.get(record.owner, record.id)).toMatchObject({ attempt: 1 });
});
