import { randomUUID } from 'node:crypto';
import { newId, type Owner } from '@chorus/contract';
import type { ExecutionRecord } from '@chorus/database';
import { connectRedis } from '@chorus/events';
import { queuePrefix } from '@chorus/executions';
import { type Job, Worker } from 'bullmq';
import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { createFairLine, type FairLine, lineKeys, sharerOf } from './fair-line.ts';
import { createQueues, type Queues } from './queues.ts';
import { type OpenQueue, openQueue, personal, recordOf } from './test-queue.ts';

let open: OpenQueue;
let queues: Queues;
let line: FairLine;
let worker: Worker;

beforeAll(async () => {
  open = await openQueue();
  queues = createQueues(open.redis);
  line = createFairLine(open.redis, queues);
  worker = mediaWorker();
});
afterAll(async () => {
  await worker.close(true);
  await open.close();
});
beforeEach(() => open.redis.flushall());

/** Takes jobs of the media pool by hand. */
function mediaWorker(): Worker {
  const connection = connectRedis({ url: open.server.url, cluster: false }, 'worker');
  const made = new Worker('media', null, { connection, prefix: queuePrefix('media'), skipVersionCheck: true });
  made.on('error', () => undefined);
  made.on('closed', () => connection.disconnect());
  return made;
}

const names = new Map<string, string>();

/** Jobs of an owner that are told apart by a name and their number: `A1`, `A2`, … */
function jobs(name: string, owner: Owner, count: number, over: Partial<ExecutionRecord> = {}): ExecutionRecord[] {
  return Array.from({ length: count }, () => {
    const record = recordOf(owner, { kind: 'iris.image', input: { prompts: ['x'], n: 1 }, ...over });
    const number = [...names.values()].filter((each) => each.startsWith(name)).length + 1;
    names.set(record.id, `${name}${number}`);
    return record;
  });
}
beforeEach(() => names.clear());

async function take(): Promise<{ id: string; name: string; end: () => Promise<void>; handBack: () => Promise<void> }> {
  const token = randomUUID();
  const job = await worker.getNextJob(token, { block: false });
  if (!job?.id) throw new Error('no job waits');
  const { id } = job;
  return {
    id,
    name: names.get(id) ?? id,
    end: async () => void (await job.moveToCompleted(undefined, token, false)),
    handBack: async () => {
      await open.redis.hset(queues.of('media').toKey(id), 'priority', 0);
      await job.moveToWait(token);
    },
  };
}

/** The names of the next jobs, each ended before the next is taken. */
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
  test('one who comes late waits for one job of each other, however much they have', async () => {
    await line.join(jobs('A', personal(), 1_000));
    await line.join(jobs('B', personal(), 3));
    await take();
    await line.join(jobs('C', personal(), 2));
    expect(await takeAll(8)).toEqual(['B1', 'C1', 'A2', 'B2', 'C2', 'A3', 'B3', 'A4']);
  });

  test('jobs of one owner come in their order', async () => {
    const owner = personal();
    for (const some of [3, 1, 2]) await line.join(jobs('A', owner, some));
    expect(await takeAll(6)).toEqual(['A1', 'A2', 'A3', 'A4', 'A5', 'A6']);
  });

  test('members of a workspace share its turns', async () => {
    const workspace_id = randomUUID();
    const member = (): Owner => ({ scope: 'workspace', user_id: newId('user'), workspace_id });
    await line.join(jobs('W', member(), 3));
    await line.join(jobs('V', member(), 2));
    await line.join(jobs('B', personal(), 3));
    expect(await takeAll(8)).toEqual(['W1', 'B1', 'W2', 'B2', 'W3', 'B3', 'V1', 'V2']);
  });

  test("a batch does not hold up its owner's single jobs, and several batches are one", async () => {
    const owner = personal();
    await line.join(jobs('M', owner, 3, { batch_id: newId('batch') }));
    await line.join(jobs('N', owner, 2, { batch_id: newId('batch') }));
    await line.join(jobs('S', owner, 2));
    expect(await takeAll(7)).toEqual(['M1', 'S1', 'M2', 'S2', 'M3', 'N1', 'N2']);
  });

  test('who asks for much at once passes up as many turns', async () => {
    await line.join(jobs('A', personal(), 2, { input: { prompts: ['x', 'y'], n: 2 } }));
    await line.join(jobs('B', personal(), 6));
    expect(await takeAll(8)).toEqual(['A1', 'B1', 'B2', 'B3', 'B4', 'A2', 'B5', 'B6']);
  });

  test('who was alone owes nothing to those who come later', async () => {
    const [first, second] = [personal(), personal()];
    await line.join(jobs('A', first, 500));
    for (let taken = 0; taken < 500; taken += 1) await (await take()).end();
    await line.join(jobs('B', second, 3));
    await line.join(jobs('A', first, 3));
    expect(await takeAll(6)).toEqual(['B1', 'A501', 'B2', 'A502', 'B3', 'A503']);
  });

  test('a line that never empties goes on being fair', async () => {
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

/** Waits as a worker does, which looks again where it was woken for what another one has taken. */
async function nextJob(): Promise<Job> {
  for (;;) {
    const job = await worker.getNextJob(randomUUID(), { block: true });
    if (job) return job;
  }
}

describe('what was taken', () => {
  test('and is handed back goes before all others, and wakes a worker that waits', async () => {
    await line.join(jobs('A', personal(), 1));
    const { handBack } = await take();
    expect(await worker.getNextJob(randomUUID(), { block: false })).toBeUndefined(); // which lets the next one wait
    const waiting = nextJob();
    await handBack();
    expect(names.get((await waiting).id ?? '')).toBe('A1');
  });

  test('and is handed back by a worker that goes does not wait for what came meanwhile', async () => {
    await line.join(jobs('A', personal(), 30));
    for (let taken = 0; taken < 20; taken += 1) await (await take()).end();
    const { handBack } = await take();
    await line.join(jobs('B', personal(), 3));
    await handBack();
    expect(await takeAll(3)).toEqual(['A21', 'A22', 'B1']);
  });

  test('or waits is not queued a second time, and keeps its turn', async () => {
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

test('who takes all back does not wait for the turns that they would have had', async () => {
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

test('a clock that has run for months is set back when nobody waits, and stops at its end otherwise', async () => {
  const [first, second] = [personal(), personal()];
  const { clock } = lineKeys('media', sharerOf(first, null));
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

test('many who come at once, from several connections, all share alike', async () => {
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
      return createFairLine(redis, own);
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
