import { createQueuePlaces, type QueuePlaces } from '@chorus/executions';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { codeOf, openPlatform, personal, readUntil, result, type TestPlatform, typesOf, until } from '../test-pool.ts';

let platform: TestPlatform;
let places: QueuePlaces;
let processes = 0;

beforeAll(async () => {
  platform = await openPlatform();
  places = createQueuePlaces(platform.redis);
});
afterAll(() => platform.close());
beforeEach(() => platform.redis.flushall());
afterEach(() => platform.closePools());

const base = '{chorus:text}:text:';
const LOST = '{chorus:text}:fair:lost';

const queued = (count: number) =>
  Promise.all(Array.from({ length: count }, () => platform.dispatch(personal(), { stateless: true })));

/** Lets a process take the jobs that wait, and lose its lease. Then they wait again. */
async function lose(count: number, { hasEnded = true } = {}): Promise<string> {
  processes += 1;
  const name = `process-${processes}`;
  await places.register('text', name, 100, name);
  const tokens = Array.from({ length: count }, (_, at) => `${name}:${at}`);
  const taken = await places.take('text', 60_000, tokens);
  expect(taken).toHaveLength(count);
  expect(await places.disown('text', [{ process: name, hasEnded }])).toBe(count);
  for (const { id } of taken) {
    await platform.redis.lrem(`${base}active`, 1, id);
    await platform.redis.rpush(`${base}wait`, id);
  }
  return name;
}

const isRefused = async (id: string) => (await platform.redis.hexists(`${base}${id}`, 'defa')) === 1;

/** Lets a minute pass for lost processes. */
async function passMinute(): Promise<void> {
  for (const [process, entry] of Object.entries(await platform.redis.hgetall(LOST))) {
    const { at, ...rest } = JSON.parse(entry);
    await platform.redis.hset(LOST, process, JSON.stringify({ at: at - 61_000, ...rest }));
  }
  await places.register('text', 'witness', 1, 'witness');
}

test('a job that three processes ran alone when they ended is not run again', async () => {
  const [job] = await queued(1);
  if (!job) throw new Error('not queued');
  await lose(1);
  await lose(1);
  expect(await isRefused(job.id)).toBe(false);
  await lose(1);
  let runs = 0;
  await platform.startPool(async (context) => {
    runs += 1;
    return result(context);
  });
  expect(typesOf(await readUntil(job.reader))).toEqual(['execution.failed']);
  job.reader.close();
  expect(runs).toBe(0);
  const ended = await platform.database.executions.get(job.record.owner, job.id);
  expect(codeOf(ended)).toBe('worker_lost');
  expect(ended?.error?.message).toContain('Three processes');
});

test('processes that were only paused count for nothing, however often, and the job runs', async () => {
  const [job] = await queued(1);
  if (!job) throw new Error('not queued');
  for (let pauses = 0; pauses < 5; pauses += 1) {
    const name = await lose(1, { hasEnded: false });
    await places.register('text', name, 100, name);
  }
  await passMinute();
  expect(await platform.redis.hlen(LOST)).toBe(0);
  const attempts: number[] = [];
  await platform.startPool(async (context) => {
    attempts.push(context.attempt);
    return result(context);
  });
  expect(typesOf(await readUntil(job.reader)).at(-1)).toBe('execution.succeeded');
  job.reader.close();
  expect(attempts).toEqual([6]);
});

test('processes that stay silent for a minute count, until they are heard again', async () => {
  const [job] = await queued(1);
  if (!job) throw new Error('not queued');
  const names = [];
  for (let losses = 0; losses < 3; losses += 1) names.push(await lose(1, { hasEnded: false }));
  expect(await isRefused(job.id)).toBe(false);
  await passMinute();
  expect(await isRefused(job.id)).toBe(true);
  const [name = ''] = names;
  await places.register('text', name, 100, name);
  expect(await isRefused(job.id)).toBe(false);
  job.reader.close();
});

test('of many jobs of a process none is blamed, unless few have seen more ends than the others', async () => {
  const many = await queued(8);
  for (let ends = 0; ends < 5; ends += 1) await lose(8);
  for (const { id } of many) expect(await isRefused(id)).toBe(false);
  await platform.redis.hincrby(`${base}${many[3]?.id}`, 'ends', 1);
  for (let ends = 0; ends < 3; ends += 1) await lose(8);
  for (const [at, { id, reader }] of many.entries()) {
    expect(await isRefused(id)).toBe(at === 3);
    reader.close();
  }
});

test('an attempt that advances clears the job of earlier ends', async () => {
  const [job] = await queued(1);
  if (!job) throw new Error('not queued');
  await lose(1);
  await lose(1);
  const end = Promise.withResolvers<void>();
  await platform.startPool(async (context) => {
    await context.checkpoint.save({ steps: 1 }, { advances: true });
    await end.promise;
    return result(context);
  });
  await until(async () => (await platform.redis.hexists(`${base}${job.id}`, 'ends')) === 0);
  expect(await platform.redis.hexists(`${base}${job.id}`, 'blamed')).toBe(0);
  end.resolve();
  expect(typesOf(await readUntil(job.reader)).at(-1)).toBe('execution.succeeded');
  job.reader.close();
});
