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
import { createQueuedLanes } from './queued-lanes.ts';
import { createQueues } from './queues.ts';
import { type OpenQueue, openQueue, personal, recordOf } from './test-queue.ts';

const QUEUE = queueName('text', 'places');
const LOCK_MS = 30_000;
const A = 'openai/a';
const B = 'openai/b';

let open: OpenQueue;
let line: FairLine;
let places: QueuePlaces;
let at = 0;

beforeAll(async () => {
  open = await openQueue();
  line = createFairLine(open.redis, createQueues(open.redis), createQueueShards(open.redis, 1));
  places = createQueuePlaces(open.redis);
});
afterAll(() => open.close());
beforeEach(async () => {
  await open.redis.flushall();
  await setPlaces(100);
});

const setPlaces = (count: number) => places.register(QUEUE, 'worker', count);

const runOf = (owner: Owner, model: string) =>
  recordOf(owner, { model, input: { model, agent: { tools: [] }, source: {} } });

/** Queues agents' runs of an owner. Returns their ids. */
async function join(owner: Owner, count: number, { model = A, wait = 60_000 } = {}): Promise<string[]> {
  const records = Array.from({ length: count }, () => runOf(owner, model));
  await line.join(records, { limit: { ms: wait, after: 'end' } });
  return records.map(({ id }) => id);
}

const set = (lane: string, size: number, closedMs = 0) => {
  at += 1;
  return places.setLane(QUEUE, lane, { size, closedMs, at });
};

interface Taken extends TakenJob {
  token: string;
  owner: Owner;
  sharer: string;
}

/** Takes jobs that may run, all by default. */
async function take(most = Number.POSITIVE_INFINITY): Promise<Taken[]> {
  const taken: Taken[] = [];
  while (taken.length < most) {
    const token = `worker:${newId('job')}`;
    const [job] = await places.take(QUEUE, LOCK_MS, [token]);
    if (!job) break;
    const { owner } = JSON.parse(job.fields.data ?? '');
    taken.push({ ...job, token, owner, sharer: sharerOf(owner, null, null) });
  }
  return taken;
}

const finish = ({ sharer, id, token }: Taken) =>
  places.finish(QUEUE, sharer, id, { token, durationMs: LOCK_MS }, { takesNext: false });

const putOff = (job: Taken, { lane = A, pauseMs = 0 } = {}) =>
  places.wait(QUEUE, job.sharer, job.id, job.token, { lane, pauseMs, ranMs: 5, restarts: false, isLast: false });

/** Puts off all jobs of users that run, for a lane that is closed. */
async function putOffAll(jobs: readonly Taken[], lane = A): Promise<void> {
  await set(lane, 0, 60_000);
  for (const job of jobs) await putOff(job, { lane });
}

const idsOf = (jobs: readonly TakenJob[]) => jobs.map(({ id }) => id);
const waiting = async (lane = A) => {
  const lanes = await createQueuedLanes(open.redis, createQueueShards(open.redis, 1)).read();
  return lanes.find((one) => one.lane === lane)?.waiting ?? 0;
};

describe('a job that its lane has put off', () => {
  test('waits in the lane without a place, and is counted there', async () => {
    await join(personal(), 1, { model: 'embedded/x' });
    const [job] = await take();
    if (!job) throw new Error('no job');
    await set(A, 0, 60_000);
    expect(await putOff(job)).toBe(true);
    expect(await waiting()).toBe(1);
    expect(await open.redis.llen(placeKeys(QUEUE).active)).toBe(0);
    expect(await take()).toEqual([]);
    await set(A, 10);
    expect(idsOf(await take())).toEqual([job.id]);
    expect(await waiting()).toBe(0);
  });

  test('goes on with as many others as the lane can use, users by turns', async () => {
    const [one, other] = [personal(), personal()];
    await join(one, 20);
    await join(other, 20);
    await putOffAll(await take());
    await set(A, 4);
    const first = await take();
    expect(first.map(({ owner }) => owner.user_id).sort()).toEqual(
      [one, one, other, other].map(({ user_id }) => user_id).sort(),
    );
    for (const job of first) await finish(job);
    expect(await take()).toHaveLength(4);
    expect(await waiting()).toBe(32);
  });

  test('pauses alone if its lane is open', async () => {
    const [id] = await join(personal(), 1);
    const [job] = await take();
    if (!job) throw new Error('no job');
    await putOff(job, { pauseMs: 40 });
    expect(await take()).toEqual([]);
    await expect
      .poll(async () => {
        await places.resume(QUEUE);
        return idsOf(await take());
      })
      .toEqual([id]);
  });

  test('stays in the lane if that closes during its pause', async () => {
    await join(personal(), 1);
    const [job] = await take();
    if (!job) throw new Error('no job');
    await putOff(job, { pauseMs: 1 });
    await set(A, 0, 60_000);
    await expect
      .poll(async () => {
        await places.resume(QUEUE);
        return waiting();
      })
      .toBe(1);
    expect(await take()).toEqual([]);
  });

  test('runs once more when it may wait no longer', async () => {
    const [id] = await join(personal(), 1, { wait: 30 });
    await putOffAll(await take());
    await expect
      .poll(async () => {
        expect((await places.expire(QUEUE)).ended).toEqual([]);
        return idsOf(await take());
      })
      .toEqual([id]);
    expect(await waiting()).toBe(0);
  });

  test('leaves the lane when it is removed', async () => {
    const owner = personal();
    const [id = ''] = await join(owner, 1);
    await putOffAll(await take());
    expect(await line.leave({ ...runOf(owner, A), id })).toBe(true);
    expect(await waiting()).toBe(0);
    expect(await open.redis.exists(placeKeys(QUEUE).lanes, placeKeys(QUEUE).expiry)).toBe(0);
    await set(A, 10);
    expect(await take()).toEqual([]);
  });

  test('is tried alone if no news of the lane comes', async () => {
    await join(personal(), 20);
    const jobs = await take();
    await set(A, 0, 40);
    for (const job of jobs) await putOff(job);
    await expect
      .poll(async () => {
        await open.redis.del(`${placeKeys(QUEUE).fair}repaired`);
        await setPlaces(100);
        return (await take()).length;
      })
      .toBe(1);
  });
});

describe('a run whose lane is closed', () => {
  test('waits in the lane from the start, and holds back no run of another', async () => {
    await set(A, 0, 60_000);
    const owner = personal();
    await join(owner, 50);
    expect(await waiting()).toBe(50);
    const others = await join(owner, 3, { model: B });
    expect(idsOf(await take())).toEqual(others);
  });

  test("leaves its user's line for the lane", async () => {
    const owner = personal();
    await setPlaces(8);
    await join(owner, 20);
    const others = await join(owner, 1, { model: B });
    const [first, ...rest] = await take();
    if (!first) throw new Error('no job');
    await set(A, 0, 60_000);
    for (const job of [first, ...rest]) await putOff(job);
    expect(idsOf(await take())).toEqual(others);
    expect(await waiting()).toBe(20);
  });

  test('says so to those who queue it', async () => {
    await set(A, 0, 60_000);
    const limit = { ms: 60_000, after: 'end' } as const;
    expect(await line.join([runOf(personal(), A)], { limit })).toMatchObject({ queue: QUEUE, awaited: A });
    expect(await line.join([runOf(personal(), B)], { limit })).toMatchObject({ awaited: null });
  });

  test('is shown as waiting to a client that follows it', async () => {
    await set(A, 0, 60_000);
    const dispatcher = open.dispatcher();
    const owner = personal();
    const { reader } = await dispatcher.dispatch<'chat.completion'>({
      kind: 'chat.completion',
      owner,
      model: A,
      begin: async () => ({ input: runOf(owner, A).input as never }),
      requestId: 'req',
      follow: true,
    });
    if (!reader) throw new Error('no reader');
    const [waits] = await reader.next();
    expect(waits?.event).toMatchObject({ type: 'execution.waiting', provider: 'openai' });
    reader.close();
    await dispatcher.close();
  });
});

describe('a lane whose provider hangs', () => {
  test('leaves a quarter of the places to others, however many users have runs in it', async () => {
    await setPlaces(20);
    for (let user = 0; user < 40; user += 1) await join(personal(), 10);
    const hanging = await take();
    expect(hanging).toHaveLength(15);
    const other = await join(personal(), 1, { model: B });
    expect(idsOf(await take())).toEqual(other);
    // Its own runs go on as others end.
    for (const job of hanging.slice(0, 3)) await finish(job);
    expect((await take()).length).toBeGreaterThan(0);
  });

  test('delays no first run of a third user, with 400 runs each of two others', async () => {
    await setPlaces(256);
    for (const user of [personal(), personal()]) await join(user, 400);
    expect((await take()).length).toBeLessThanOrEqual(192);
    const other = await join(personal(), 1, { model: B });
    expect(idsOf(await take())).toEqual(other);
  });
});
