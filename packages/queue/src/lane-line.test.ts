import { newId, type Owner } from '@chorus/contract';
import {
  createQueuePlaces,
  createQueueShards,
  placeKeys,
  type QueuePlaces,
  queueName,
  sharerOf,
  type TakenJob,
} from '@chorus/executions';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { createFairLine, type FairLine } from './fair-line.ts';
import { createQueues } from './queues.ts';
import { type OpenQueue, openQueue, personal, recordOf } from './test-queue.ts';

const QUEUE = queueName('media', 'lanes');
const LOCK_MS = 30_000;

let open: OpenQueue;
let line: FairLine;
let places: QueuePlaces;

beforeAll(async () => {
  open = await openQueue();
  line = createFairLine(open.redis, createQueues(open.redis), createQueueShards(open.redis, 1));
  places = createQueuePlaces(open.redis);
});
afterAll(() => open.close());
beforeEach(async () => {
  await open.redis.flushall();
  await places.register(QUEUE, 'worker', 100);
});

const A = 'openai/a';
const B = 'openai/b';
let at = 0;

/** Queues images of an owner. Returns their ids. */
async function join(owner: Owner, count: number, { model = A, batch = false, wait = 60_000 } = {}): Promise<string[]> {
  const records = Array.from({ length: count }, () =>
    recordOf(owner, {
      kind: 'iris.image',
      model,
      input: { prompts: ['x'], n: 1 },
      batch_id: batch ? `bat_${owner.user_id}` : null,
    }),
  );
  await line.join(records, { limit: batch ? null : { ms: wait, after: 'end' } });
  return records.map(({ id }) => id);
}

/** Tells the queue how many jobs of a lane may run, or that it is closed. */
const set = (lane: string, size: number, closedMs = 0, batchSize = size) => {
  at += 1;
  return places.setLane(QUEUE, lane, { size, batchSize, closedMs, at });
};

interface Taken extends TakenJob {
  token: string;
  lane: string;
  sharer: string;
}

/** Takes all jobs that may run. */
async function takeAll(): Promise<Taken[]> {
  const taken: Taken[] = [];
  for (;;) {
    const token = `worker:${newId('job')}`;
    const [job] = await places.take(QUEUE, LOCK_MS, [token]);
    if (!job) return taken;
    const { owner, batch_id = null, lane } = JSON.parse(job.fields.data ?? '');
    taken.push({ ...job, token, lane, sharer: sharerOf(owner, batch_id, lane) });
  }
}

const finish = ({ sharer, id, token }: Taken) =>
  places.finish(QUEUE, sharer, id, { token, durationMs: LOCK_MS }, { takesNext: false });

describe('a lane', () => {
  test('lets ten jobs run before anything is known, and others as they end', async () => {
    const ids = await join(personal(), 25);
    const first = await takeAll();
    expect(first.map(({ id }) => id)).toEqual(ids.slice(0, 10));
    for (const job of first.slice(0, 4)) await finish(job);
    expect((await takeAll()).map(({ id }) => id)).toEqual(ids.slice(10, 14));
  });

  test('lets as many run as its size says, at once after a change', async () => {
    await set(A, 3);
    await join(personal(), 20);
    expect(await takeAll()).toHaveLength(3);
    await set(A, 8);
    expect(await takeAll()).toHaveLength(5);
    await set(A, 2);
    expect(await takeAll()).toEqual([]);
  });

  test('ignores news that is older than what it knows', async () => {
    await set(A, 2);
    await places.setLane(QUEUE, A, { size: 50, closedMs: 0, at: 0 });
    await join(personal(), 9);
    expect(await takeAll()).toHaveLength(2);
  });

  test('that is closed holds back no job of another', async () => {
    await set(A, 0, 60_000);
    const owner = personal();
    await join(owner, 50);
    const others = await join(owner, 2, { model: B });
    expect((await takeAll()).map(({ id }) => id)).toEqual(others);
  });

  test('whose jobs hang leaves a quarter of the places to others', async () => {
    await set(A, 1_000);
    await join(personal(), 200);
    expect(await takeAll()).toHaveLength(75);
    await set(B, 1_000);
    expect(await join(personal(), 10, { model: B })).toHaveLength(10);
    expect((await takeAll()).filter(({ lane }) => lane === B)).toHaveLength(10);
  });

  test('frees the place of a job that is removed', async () => {
    await set(A, 1);
    const owner = personal();
    const [first = '', second = '', third] = await join(owner, 3);
    const record = recordOf(owner, { kind: 'iris.image', model: A });
    expect(await line.leave({ ...record, id: second })).toBe(true);
    expect(await line.leave({ ...record, id: first })).toBe(true);
    expect((await takeAll()).map(({ id }) => id)).toEqual([third]);
    expect(await open.redis.zcard(placeKeys(QUEUE).parkedOf(A))).toBe(0);
  });
});

describe('users of a lane', () => {
  test('take turns, however many jobs each has', async () => {
    await set(A, 1);
    const users = [personal(), personal(), personal()];
    for (const [index, user] of users.entries()) await join(user, [90, 30, 30][index] ?? 0, { batch: true });
    const turns = new Map<string, number>();
    for (let count = 0; count < 60; count += 1) {
      const [job] = await takeAll();
      if (!job) throw new Error('no job');
      turns.set(job.sharer, (turns.get(job.sharer) ?? 0) + 1);
      await finish(job);
    }
    for (const user of users) expect(turns.get(sharerOf(user, 'x', A))).toBeGreaterThanOrEqual(18);
  });

  test('have single jobs before batches, which get a tenth of the turns even so', async () => {
    await set(A, 1);
    await join(personal(), 40, { batch: true });
    await join(personal(), 40);
    const classes: string[] = [];
    for (let count = 0; count < 31; count += 1) {
      const [job] = await takeAll();
      if (!job) throw new Error('no job');
      classes.push(job.sharer.includes('|') ? 'batch' : 'single');
      await finish(job);
    }
    // The first one ran before any other was there.
    const batches = classes.slice(1).filter((one) => one === 'batch');
    expect(batches).toHaveLength(3);
  });

  test('leave to single jobs what the lane keeps free of batches', async () => {
    await set(A, 20, 0, 18);
    const [single = ''] = await join(personal(), 1);
    await join(personal(), 50, { batch: true });
    const taken = await takeAll();
    expect(taken).toHaveLength(19);
    expect(taken[0]?.id).toBe(single);
    await join(personal(), 5);
    expect(await takeAll()).toHaveLength(1);
    // A batch never takes the place of a single job that keeps to its own tenth.
    await finish(taken[0] as Taken);
    expect((await takeAll()).map(({ sharer }) => sharer.includes('|'))).toEqual([false]);
    await set(A, 20);
    expect(await takeAll()).toEqual([]);
    await finish(taken[5] as Taken);
    expect(await takeAll()).toHaveLength(1);
  });
});

describe('a job that waits', () => {
  const wait = (job: Taken, over: { pauseMs?: number; isLast?: boolean; restarts?: boolean } = {}) =>
    places.wait(QUEUE, job.sharer, job.id, job.token, {
      ranMs: 5,
      pauseMs: 0,
      isLast: false,
      restarts: false,
      lane: job.lane,
      ...over,
    });

  test('goes back to the front of its line, without a place, and is not counted as lost', async () => {
    await set(A, 1);
    const ids = await join(personal(), 3);
    const [job] = await takeAll();
    if (!job) throw new Error('no job');
    await set(A, 0, 60_000);
    expect(await wait(job)).toBe(true);
    const keys = placeKeys(QUEUE);
    expect([await open.redis.llen(keys.active), await open.redis.zcard(keys.parkedOf(A))]).toEqual([0, 3]);
    expect(await takeAll()).toEqual([]);
    await set(A, 1);
    expect((await takeAll()).map(({ id }) => id)).toEqual([ids[0]]);
  });

  test('goes behind the others of its line if its own call failed', async () => {
    await set(A, 1);
    const ids = await join(personal(), 3);
    const [job] = await takeAll();
    if (!job) throw new Error('no job');
    await wait(job, { isLast: true });
    const order: string[] = [];
    for (let next = await takeAll(); next.length > 0; next = await takeAll()) {
      order.push(...next.map(({ id }) => id));
      for (const one of next) await finish(one);
    }
    expect(order).toEqual([ids[1], ids[2], ids[0]]);
  });

  test('pauses as long as it should', async () => {
    const [id] = await join(personal(), 1);
    const [job] = await takeAll();
    if (!job) throw new Error('no job');
    await wait(job, { pauseMs: 50 });
    const dueMs = await places.resume(QUEUE);
    if (dueMs !== null) expect(dueMs).toBeLessThanOrEqual(50);
    await expect
      .poll(async () => {
        await places.resume(QUEUE);
        return (await takeAll()).map((one) => one.id);
      })
      .toEqual([id]);
  });

  test('is left alone by a worker that has lost it', async () => {
    await join(personal(), 1);
    const [job] = await takeAll();
    if (!job) throw new Error('no job');
    await open.redis.set(`${placeKeys(QUEUE).base}${job.id}:lock`, 'another');
    expect(await wait(job)).toBe(false);
    expect(await open.redis.llen(placeKeys(QUEUE).active)).toBe(1);
  });

  test('ends when it has waited as long as it may, and others do not', async () => {
    await set(A, 0, 60_000);
    const [short] = await join(personal(), 1, { wait: 20 });
    await join(personal(), 1);
    const ended: string[] = [];
    await expect
      .poll(async () => {
        ended.push(...(await places.expire(QUEUE)).ended.map(({ id }) => id));
        return ended;
      })
      .toEqual([short]);
    expect(await open.redis.zcard(placeKeys(QUEUE).parkedOf(A))).toBe(1);
    expect((await places.expire(QUEUE)).dueMs).toBeGreaterThan(1_000);
  });

  test('runs all the same if another model can answer', async () => {
    await set(A, 0, 60_000);
    const record = recordOf(personal(), { kind: 'iris.image', model: A, input: { prompts: ['x'], n: 1 } });
    await line.join([record], { limit: { ms: 20, after: 'run' } });
    expect(await takeAll()).toEqual([]);
    await expect
      .poll(async () => {
        expect((await places.expire(QUEUE)).ended).toEqual([]);
        return (await takeAll()).map(({ id }) => id);
      })
      .toEqual([record.id]);
  });
});

test('places that dead processes kept are found', async () => {
  await set(A, 2);
  await join(personal(), 5);
  const [lost] = await takeAll();
  // As if a process had died between two steps.
  await open.redis.lrem(placeKeys(QUEUE).active, 1, lost?.id ?? '');
  await open.redis.del(`${placeKeys(QUEUE).base}${lost?.id}`);
  expect(await takeAll()).toEqual([]);
  await open.redis.del(`${placeKeys(QUEUE).fair}repaired`);
  await places.register(QUEUE, 'worker', 100);
  expect(await takeAll()).toHaveLength(1);
});

test('jobs that wait for a place of a worker get it when a job of another lane ends', async () => {
  await places.register(QUEUE, 'worker', 2);
  const owner = personal();
  await join(owner, 1);
  await join(owner, 1, { model: B });
  const waiting = await join(owner, 2, { model: 'openai/c' });
  const taken = await takeAll();
  expect(taken).toHaveLength(2);
  for (const job of taken) await finish(job);
  expect((await takeAll()).map(({ id }) => id)).toContain(waiting[0]);
});

test('a later small batch of a user is not behind a large one', async () => {
  await set(A, 1);
  const owner = personal();
  const item = (batch_id: string) =>
    recordOf(owner, { kind: 'iris.image', model: A, input: { prompts: ['x'], n: 1 }, batch_id });
  const large = Array.from({ length: 60 }, () => item('bat_large'));
  const small = Array.from({ length: 3 }, () => item('bat_small'));
  await line.join(large);
  for (let count = 0; count < 10; count += 1) for (const job of await takeAll()) await finish(job);
  await line.join(small);
  const order: string[] = [];
  for (let count = 0; count < 8; count += 1)
    for (const job of await takeAll()) {
      order.push(JSON.parse(job.fields.data ?? '').batch_id);
      await finish(job);
    }
  expect(order.filter((batch) => batch === 'bat_small')).toHaveLength(3);
});
