import { createQueueShards, placeKeys } from '@chorus/executions';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { createFairLine } from './fair-line.ts';
import { createQueues } from './queues.ts';
import { sweep } from './sweep.ts';
import { type OpenQueue, openQueue, personal, recordOf, silent, statelessRequest } from './test-queue.ts';

let open: OpenQueue;

beforeAll(async () => {
  open = await openQueue();
});
afterAll(() => open.close());
beforeEach(() => open.redis.flushall());

const SHARDS = 4;

const dispatcherOf = (shards: number, maxDepth = 1_000) => open.dispatcher({ maxDepth }, {}, shards);

/** Returns an owner whose jobs go to the last of four shards. */
function ownerInLast() {
  const shards = createQueueShards(open.redis, SHARDS);
  for (;;) {
    const owner = personal();
    if (shards.home('text', 'places', owner.user_id) === 'text#3') return owner;
  }
}

test('the jobs of a user share one queue, and those of many users spread over all', async () => {
  const dispatcher = dispatcherOf(SHARDS);
  const owner = ownerInLast();
  for (let count = 0; count < 3; count += 1) await dispatcher.dispatch(statelessRequest(owner));
  expect(await open.redis.zcard(placeKeys('text#3').line)).toBe(3);
  const users = Array.from({ length: 400 }, () =>
    createQueueShards(open.redis, SHARDS).home('text', 'places', personal().user_id),
  );
  for (const share of Object.values(Object.groupBy(users, (name) => name))) expect(share?.length).toBeGreaterThan(60);
});

test('the load of a pool is the sum of its shards', async () => {
  const dispatcher = dispatcherOf(SHARDS, 8);
  const sent = Array.from({ length: 8 }, () => dispatcher.dispatch(statelessRequest(personal())));
  await Promise.all(sent);
  expect(await dispatcher.pressure('text')).toMatchObject({ depth: 8 });
  expect(await dispatcher.counts('text')).toMatchObject({ waiting: 8, delayed: 0, running: 0 });
  await expect(dispatcher.dispatch(statelessRequest(personal()))).rejects.toMatchObject({ code: 'overloaded' });
});

test('jobs that were queued with another number of shards are found', async () => {
  const owner = ownerInLast();
  const { record } = await dispatcherOf(SHARDS).dispatch(statelessRequest(owner));
  for (const shards of [1, 2, 3]) {
    const dispatcher = dispatcherOf(shards);
    expect(await dispatcher.jobState(record)).toBe('prioritized');
    expect(await dispatcher.pressure('text')).toMatchObject({ depth: 1 });
    expect(await dispatcher.counts('text')).toMatchObject({ waiting: 1 });
  }
  expect(await dispatcherOf(1).cancel(owner, record.id)).toMatchObject({ status: 'cancelled' });
  expect(await dispatcherOf(SHARDS).jobState(record)).toBe('unknown');
  expect(await open.redis.exists(placeKeys('text#3').open(owner.user_id))).toBe(0);
});

test('the sweep leaves a job in another shard alone', async () => {
  const record = recordOf(ownerInLast());
  await open.database.executions.insert(record);
  const line = createFairLine(open.redis, createQueues(open.redis), createQueueShards(open.redis, SHARDS));
  await line.join([record]);
  const dispatcher = dispatcherOf(1);
  const parts = { database: open.database, eventLog: open.eventLog, dispatcher, log: silent };
  expect(await sweep(parts)).toMatchObject({ redispatched: 0, ended: 0 });
  await dispatcher.forget(record);
  expect(await sweep(parts)).toMatchObject({ redispatched: 1 });
  expect(await open.redis.zcard(placeKeys('text').line)).toBe(1);
});

test('forgets a number of shards that has not been used for a week', async () => {
  const shards = createQueueShards(open.redis, SHARDS);
  await shards.note();
  expect(await createQueueShards(open.redis, 1).all('text')).toHaveLength(2 * SHARDS);
  expect(await shards.forgetUnused()).toBe(0);
  await open.redis.hset('chorus:{workers}:shards', SHARDS, Date.now() - 8 * 86_400_000);
  expect(await shards.forgetUnused()).toBe(1);
  expect(await createQueueShards(open.redis, 1).all('text')).toEqual(['text', 'text.calls']);
});
