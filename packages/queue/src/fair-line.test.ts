import { randomUUID } from 'node:crypto';
import { newId, type Owner, type Pool } from '@chorus/contract';
import type { ExecutionRecord } from '@chorus/database';
import { connectRedis } from '@chorus/events';
import {
  BEHIND_ALL,
  createQueuePlaces,
  createQueueShards,
  placeKeys,
  type QueuePlaces,
  queuePrefix,
  sharerOf,
} from '@chorus/executions';
import { type Job, Worker } from 'bullmq';
import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { createFairLine, type FairLine } from './fair-line.ts';
import { createQueues, type Queues } from './queues.ts';
import { type OpenQueue, openQueue, personal, recordOf } from './test-queue.ts';

let open: OpenQueue;
let queues: Queues;
let line: FairLine;
let places: QueuePlaces;
let worker: Worker;

beforeAll(async () => {
  open = await openQueue();
  queues = createQueues(open.redis);
  line = createFairLine(open.redis, queues, createQueueShards(open.redis, 1));
  places = createQueuePlaces(open.redis);
  worker = workerOf('media');
});
afterAll(async () => {
  await worker.close(true);
  await open.close();
});
beforeEach(() => open.redis.flushall());

/** Takes jobs of a pool manually. */
function workerOf(pool: Pool): Worker {
  const connection = connectRedis({ url: open.server.url, cluster: false }, 'worker');
  const made = new Worker(pool, null, { connection, prefix: queuePrefix(pool), skipVersionCheck: true });
  made.on('error', () => undefined);
  made.on('closed', () => connection.disconnect());
  return made;
}

const names = new Map<string, string>();

/** Returns jobs of an owner with numbered names: `A1`, `A2`, … */
function jobs(name: string, owner: Owner, count: number, over: Partial<ExecutionRecord> = {}): ExecutionRecord[] {
  return Array.from({ length: count }, () => {
    const record = recordOf(owner, { kind: 'iris.image', input: { prompts: ['x'], n: 1 }, ...over });
    const number = [...names.values()].filter((each) => each.startsWith(name)).length + 1;
    names.set(record.id, `${name}${number}`);
    return record;
  });
}
beforeEach(() => names.clear());

interface Taken {
  id: string;
  name: string;
  end: () => Promise<void>;
  handBack: () => Promise<void>;
  /** Yields the place to others until the next turn. */
  giveBack: () => Promise<void>;
}

async function take(pool: Pool = 'media', from = worker): Promise<Taken> {
  const token = randomUUID();
  const job = await from.getNextJob(token, { block: false });
  if (!job?.id) throw new Error('no waiting job');
  const { id } = job;
  const sharer = sharerOf(job.data.owner, job.data.batch_id ?? null, null);
  return {
    id,
    name: names.get(id) ?? id,
    end: async () => {
      await places.finish(pool, sharer, id, { token, durationMs: 30_000 }, { takesNext: false });
    },
    giveBack: async () => {
      await open.redis.hset(queues.of(pool).toKey(id), 'priority', BEHIND_ALL);
      await job.moveToWait(token);
      await places.giveBack(pool, sharer, id);
    },
    handBack: async () => {
      await places.handBack(pool, id, token, { hasStarted: true });
    },
  };
}

/** Returns the names of the next jobs. Ends each before it takes the next. */
async function takeAll(count: number): Promise<string[]> {
  const taken = [];
  for (let i = 0; i < count; i += 1) {
    const job = await take();
    await job.end();
    taken.push(job.name);
  }
  return taken;
}

describe('owners take turns', () => {
  test('a late owner waits for one job of each other owner, however many they have', async () => {
    await line.join(jobs('A', personal(), 1_000));
    await line.join(jobs('B', personal(), 3));
    await take();
    await line.join(jobs('C', personal(), 2));
    expect(await takeAll(8)).toEqual(['B1', 'C1', 'A2', 'B2', 'C2', 'A3', 'B3', 'A4']);
  });

  test('jobs of one owner run in order', async () => {
    const owner = personal();
    for (const some of [3, 1, 2]) await line.join(jobs('A', owner, some));
    expect(await takeAll(6)).toEqual(['A1', 'A2', 'A3', 'A4', 'A5', 'A6']);
  });

  test("a workspace's members have separate turns, and all scopes of a user share turns", async () => {
    const workspace_id = randomUUID();
    const member = (user_id = newId('user')): Owner => ({ scope: 'workspace', user_id, workspace_id });
    const { user_id } = member();
    await line.join(jobs('W', member(user_id), 3));
    await line.join(jobs('V', { scope: 'personal', user_id, workspace_id: null }, 2));
    await line.join(jobs('B', member(), 3));
    expect(await takeAll(8)).toEqual(['W1', 'B1', 'W2', 'B2', 'W3', 'B3', 'V1', 'V2']);
  });

  test("a batch does not delay its owner's single jobs, and several batches share turns", async () => {
    const owner = personal();
    await line.join(jobs('M', owner, 3, { batch_id: newId('batch') }));
    await line.join(jobs('N', owner, 2, { batch_id: newId('batch') }));
    await line.join(jobs('S', owner, 2));
    expect(await takeAll(7)).toEqual(['M1', 'S1', 'M2', 'S2', 'M3', 'N1', 'N2']);
  });

  test('an expensive job uses as many turns as it costs', async () => {
    const options = { model: 'a/b', size: null, seed: null, negative_prompt: null, reference_asset_ids: [] };
    await line.join(jobs('A', personal(), 2, { input: { ...options, prompts: ['x', 'y'], n: 2 } }));
    await line.join(jobs('B', personal(), 6));
    expect(await takeAll(8)).toEqual(['A1', 'B1', 'B2', 'B3', 'B4', 'A2', 'B5', 'B6']);
  });

  test('an owner who was alone owes nothing to later owners', async () => {
    const [first, second] = [personal(), personal()];
    await line.join(jobs('A', first, 500));
    for (let taken = 0; taken < 500; taken += 1) await (await take()).end();
    await line.join(jobs('B', second, 3));
    await line.join(jobs('A', first, 3));
    expect(await takeAll(6)).toEqual(['B1', 'A501', 'B2', 'A502', 'B3', 'A503']);
  });

  test('a line that never empties stays fair', async () => {
    const [first, second] = [personal(), personal()];
    await line.join(jobs('A', first, 2));
    for (let round = 0; round < 200; round += 1) {
      await line.join(jobs('A', first, 1));
      await (await take()).end();
    }
    await line.join(jobs('B', second, 2));
    expect(await takeAll(4)).toEqual(['A201', 'B1', 'A202', 'B2']);
  });
});

/** Takes jobs until none may be taken. */
async function takeFree(): Promise<Taken[]> {
  const taken: Taken[] = [];
  while ((await open.redis.zcard(placeKeys('media').line)) > 0) taken.push(await take());
  return taken;
}

const namesOf = (taken: readonly Taken[]) => taken.map(({ name }) => name);

describe('places', () => {
  test('one user never takes every place: a newcomer finds a free one, and jobs stay in order', async () => {
    await places.register('media', 'one', 2);
    await places.register('media', 'two', 1);
    await line.join(jobs('A', personal(), 10));
    const running = await takeFree();
    expect(namesOf(running)).toEqual(['A1', 'A2']);
    await line.join(jobs('B', personal(), 5));
    const [newcomer] = await takeFree();
    expect(newcomer?.name).toBe('B1');
    // C waits for a place, but only behind running jobs.
    await line.join(jobs('C', personal(), 1));
    await running[0]?.end();
    expect(namesOf(await takeFree())).toEqual(['C1']);
    await newcomer?.end();
    expect(namesOf(await takeFree())).toEqual(['B2']);
    await running[1]?.end();
    expect(namesOf(await takeFree())).toEqual(['A3']);
  });

  test('in a large pool, one user gets three quarters, two get less than half each, and others find room', async () => {
    await places.register('media', 'one', 256);
    await line.join(jobs('A', personal(), 300));
    expect(await takeFree()).toHaveLength(192);
    for (const name of ['B', 'C', 'D', 'E']) {
      await line.join(jobs(name, personal(), 300));
      expect((await takeFree()).length).toBeGreaterThan(0);
    }
    expect(await open.redis.llen(placeKeys('media').active)).toBeLessThanOrEqual(256);
  });

  test("a batch leaves part of its user's share to single jobs, and both leave the last place to others", async () => {
    const owner = personal();
    await places.register('media', 'one', 8);
    await line.join(jobs('M', owner, 20, { batch_id: newId('batch') }));
    expect(await takeFree()).toHaveLength(5);
    await line.join(jobs('S', owner, 20));
    expect(namesOf(await takeFree())).toEqual(['S1']);
    await line.join(jobs('B', personal(), 1));
    expect(namesOf(await takeFree())).toEqual(['B1']);
  });

  test("a user's later jobs and bulk do not wait for each other", async () => {
    const pool = 'knowledge';
    const own = workerOf(pool);
    onTestFinished(() => own.close(true));
    const owner = personal();
    const send = async (name: string, count: number, api_key_id: string | null = null, source = 'text') => {
      const input = { entry_id: 'kno_x', revision: 1 };
      const sent = jobs(name, owner, count, { kind: 'knowledge.ingest', input, api_key_id });
      for (const job of sent) await line.join([job], { source });
      return sent;
    };
    const running: Taken[] = [];
    const takeAllFree = async () => {
      const before = running.length;
      while ((await open.redis.zcard(placeKeys(pool).line)) > 0) running.push(await take(pool, own));
      return namesOf(running.slice(before));
    };
    const endNext = async (times = 1) => {
      const taken = [];
      for (let time = 0; time < times; time += 1) {
        await running.shift()?.end();
        taken.push(...(await takeAllFree()));
      }
      return taken;
    };
    await places.register(pool, 'one', 8);
    const bulk = await send('A', 40);
    expect(await takeAllFree()).toEqual(['A1', 'A2', 'A3', 'A4', 'A5', 'A6']);
    // The latest eight jobs wait as singles, the others as a bulk. They take turns.
    expect((await endNext(4)).sort()).toEqual(['A33', 'A34', 'A7', 'A8']);
    // A parked job of the bulk can be removed.
    expect(await queues.of(pool).remove(bulk[29]?.id ?? '')).toBe(1);
    await line.leave(bulk[29] as ExecutionRecord);
    // A bulk that is still arriving displaces no job of another key or source.
    await send('B', 1, newId('apiKey'));
    await send('F', 1, null, 'file');
    await send('C', 40);
    expect(await endNext(4)).toEqual(expect.arrayContaining(['B1', 'F1']));
    await send('D', 1);
    expect(await endNext(16)).toContain('D1');
    // A bulk job that gives its place back continues later.
    await running.shift()?.giveBack();
    const rest = namesOf(running);
    for (let round = 0; running.length > 0 && round < 99; round += 1) rest.push(...(await endNext()));
    expect(new Set(rest).size).toBe(rest.length);
    expect(await queues.of(pool).count()).toBe(0);
    expect(await open.redis.keys('*fair:queue*')).toEqual([]);
  });

  test('users take turns at a single place, and a job that yields it continues after the waiting ones', async () => {
    await places.register('media', 'one', 1);
    const owner = personal();
    await line.join(jobs('A', owner, 3));
    const [first] = await takeFree();
    expect(first?.name).toBe('A1');
    expect(await places.wanted('media', owner.user_id, 60_000)).toBe(false); // only the user's own jobs wait
    await line.join(jobs('B', personal(), 1));
    expect(await places.wanted('media', owner.user_id, 500)).toBe(false); // its time slice has not ended
    expect(await places.wanted('media', owner.user_id, 60_000)).toBe(true);
    expect(await places.wanted('media', owner.user_id, 60_000)).toBe(false); // one at a time
    await first?.giveBack();
    const second = await take();
    expect(second.name).toBe('B1');
    await second.end();
    expect(await takeAll(3)).toEqual(['A1', 'A2', 'A3']); // started jobs go before the user's other jobs
  });

  test('a parked job can be cancelled and counts as waiting; its end admits the next one', async () => {
    await places.register('media', 'one', 2);
    const owner = personal();
    const all = jobs('A', owner, 4);
    await line.join(all);
    const [first] = await takeFree();
    const media = queues.of('media');
    expect(await media.getJobState(all[1]?.id ?? '')).toBe('delayed');
    expect(await media.remove(all[1]?.id ?? '')).toBe(1);
    await line.leave(all[1] as ExecutionRecord);
    await line.join(all.slice(2)); // a parked job is not queued twice
    await first?.end();
    expect(await takeAll(2)).toEqual(['A3', 'A4']);
    expect(await media.count()).toBe(0);
    expect(await open.redis.keys('*fair:queue*')).toEqual([]);
  });

  test('repairs the turns and places of a dead worker', async () => {
    await places.register('media', 'one', 2);
    const owner = personal();
    await line.join(jobs('A', owner, 3));
    const { id } = await take();
    // The process died while running the job.
    await open.redis.lrem(placeKeys('media').active, 1, id);
    await open.redis.del(queues.of('media').toKey(id));
    expect(await takeFree()).toEqual([]);
    await open.redis.del(`${placeKeys('media').fair}repaired`);
    await places.register('media', 'one', 2);
    expect(namesOf(await takeFree())).toEqual(['A2']);

    const { fair, pool } = placeKeys('media');
    await open.redis.hset(`${fair}workers`, 'dead', `50:${Date.now() - 60_000}`);
    await places.register('media', 'one', 2);
    expect(await open.redis.hget(pool, 'size')).toBe('2');
    await places.register('media', 'one', 0);
    expect(await open.redis.hget(pool, 'size')).toBe('0');
  });

  test('runs each job once and skips no user, whatever happens', async () => {
    const random = seeded(11);
    const pick = (count: number) => Math.floor(random() * count);
    await places.register('media', 'one', 5);
    const owners = Array.from({ length: 6 }, personal);
    const running: Taken[] = [];
    const done: string[] = [];
    let made = 0;
    for (let step = 0; step < 1_500; step += 1) {
      const chance = random();
      if (chance < 0.2 && made < 400) {
        const count = 1 + pick(8);
        const over = random() < 0.3 ? { batch_id: newId('batch') } : {};
        await line.join(jobs('J', owners[pick(owners.length)] as Owner, count, over));
        made += count;
      } else if (chance < 0.6 && running.length < 5) {
        if ((await open.redis.zcard(placeKeys('media').line)) > 0) running.push(await take());
      } else if (running.length > 0) {
        const [job] = running.splice(pick(running.length), 1) as [Taken];
        if (random() < 0.25) await job.giveBack();
        else {
          await job.end();
          done.push(job.id);
        }
      }
    }
    for (const job of running) {
      await job.end();
      done.push(job.id);
    }
    for (let job = (await takeFree())[0]; job; ) {
      await job.end();
      done.push(job.id);
      job = (await open.redis.zcard(placeKeys('media').line)) > 0 ? await take() : undefined;
    }
    expect(done).toHaveLength(made);
    expect(new Set(done).size).toBe(made);
    expect(await queues.of('media').count()).toBe(0);
    expect(await open.redis.keys('*fair:queue*')).toEqual([]);
    expect(await open.redis.keys('*fair:waiting*')).toEqual([]);
  });
});

function seeded(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 1_664_525 + 1_013_904_223) % 2 ** 32;
    return state / 2 ** 32;
  };
}

/** Waits for a job as a worker does. Retries if another worker took it first. */
async function nextJob(): Promise<Job> {
  for (;;) {
    const job = await worker.getNextJob(randomUUID(), { block: true });
    if (job) return job;
  }
}

describe('a taken job', () => {
  test('that is handed back runs first, and wakes a waiting worker', async () => {
    await line.join(jobs('A', personal(), 1));
    const { handBack } = await take();
    expect(await worker.getNextJob(randomUUID(), { block: false })).toBeUndefined(); // so that the next call waits
    const waiting = nextJob();
    await handBack();
    expect(names.get((await waiting).id ?? '')).toBe('A1');
  });

  test('that a stopping worker hands back does not wait for newer jobs', async () => {
    await line.join(jobs('A', personal(), 30));
    for (let taken = 0; taken < 20; taken += 1) await (await take()).end();
    const { handBack } = await take();
    await line.join(jobs('B', personal(), 3));
    await handBack();
    expect(await takeAll(3)).toEqual(['A21', 'A22', 'B1']);
  });

  test('is not queued twice, waiting or running, and keeps its turn', async () => {
    const [first, second] = [personal(), personal()];
    const [one, two, three] = jobs('A', first, 3) as [ExecutionRecord, ExecutionRecord, ExecutionRecord];
    await line.join([one, two, three]);
    await line.join(jobs('B', second, 2));
    const { end } = await take();
    await line.join([three, one]);
    await line.join([two]);
    await end();
    expect(await takeAll(4)).toEqual(['B1', 'A2', 'B2', 'A3']);
    expect(await queues.of('media').count()).toBe(0);
  });
});

test('does not wait for the turns of jobs that were removed', async () => {
  const [first, second] = [personal(), personal()];
  const many = jobs('A', first, 50);
  await line.join(jobs('B', second, 10));
  await line.join(many);
  for (const record of many) {
    await queues.of('media').remove(record.id);
    await line.leave(record);
  }
  await line.join(jobs('A', first, 1));
  expect(await takeAll(3)).toEqual(['B1', 'A51', 'B2']);
});

test('resets an old clock once the line is empty, and stops it at its limit otherwise', async () => {
  const [first, second] = [personal(), personal()];
  const { clock } = placeKeys('media');
  await line.join(jobs('A', first, 1));
  await (await take()).end();
  await open.redis.hset(clock, 'latest', 2 ** 33 - 5_000);
  await line.join(jobs('A', first, 2));
  expect(Number(await open.redis.hget(clock, 'latest'))).toBeLessThan(10);
  await line.join(jobs('B', second, 1));
  expect(await takeAll(3)).toEqual(['A2', 'B1', 'A3']);

  await line.join(jobs('A', first, 1));
  const { end } = await take();
  await open.redis.hset(clock, 'latest', 2 ** 33 - 4_097);
  await line.join(jobs('A', first, 3));
  await line.join(jobs('B', second, 2));
  expect(new Set(await takeAll(5))).toEqual(new Set(['A5', 'A6', 'A7', 'B2', 'B3']));
  await end();
});

test('many users who arrive at once over several connections share equally', async () => {
  const owners = Array.from({ length: 5 }, personal);
  const lines = await Promise.all(
    owners.map(async () => {
      const redis = connectRedis({ url: open.server.url, cluster: false }, 'worker');
      redis.on('error', () => undefined);
      const own = createQueues(redis);
      onTestFinished(async () => {
        await own.close();
        redis.disconnect();
      });
      return createFairLine(redis, own, createQueueShards(redis, 1));
    }),
  );
  await Promise.all(
    owners.flatMap((owner, at) => jobs('ABCDE'[at] as string, owner, 40).map((job) => lines[at]?.join([job]))),
  );
  const taken = await takeAll(200);
  for (let round = 0; round < 40; round += 1) {
    const letters = taken.slice(round * 5, round * 5 + 5).map((name) => name[0]);
    expect(letters.sort().join('')).toBe('ABCDE');
  }
});
