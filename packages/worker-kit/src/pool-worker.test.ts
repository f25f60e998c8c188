import { createQueuePlaces } from '@chorus/executions';
import { afterAll, afterEach, beforeAll, expect, onTestFinished, test, vi } from 'vitest';
import {
  type ChatContext,
  openPlatform,
  personal,
  readUntil,
  result,
  type TestPlatform,
  typesOf,
} from './test-pool.ts';

let platform: TestPlatform;

beforeAll(async () => {
  platform = await openPlatform();
});
afterAll(() => platform.close());
afterEach(() => platform.closePools());

const one = personal();

async function runOne(owner = one): Promise<void> {
  const { reader } = await platform.dispatch(owner, { stateless: true });
  expect(typesOf(await readUntil(reader)).at(-1)).toBe('execution.succeeded');
  reader.close();
}

async function calls(command: string): Promise<number> {
  const stats = await platform.redis.info('commandstats');
  return Number(new RegExp(`cmdstat_${command}:calls=(\\d+)`).exec(stats)?.[1] ?? 0);
}

/** Counts the commands that look for a job, including those in scripts. */
const fetches = () => calls('rpoplpush');

test('a lone job costs one fetch at its start and one at its end', async () => {
  await platform.startPool(async (context) => result(context));
  await runOne();
  const before = await fetches();
  for (let time = 0; time < 10; time += 1) await runOne();
  // The last end may not have looked yet, and a worker looks again whenever a wait for jobs ends after 5 s.
  expect((await fetches()) - before).toBeLessThanOrEqual(22);
});

test('no job is missed while workers take jobs and clear the marker', async () => {
  // A group only ends once all its jobs run, so a job that no worker notices would block the others.
  const size = 4;
  let begun = 0;
  let meet = Promise.withResolvers<void>();
  const handler = async (context: ChatContext) => {
    begun += 1;
    if (begun % size === 0) {
      meet.resolve();
      meet = Promise.withResolvers();
    } else await meet.promise;
    return result(context);
  };
  await platform.startPool(handler, { concurrency: size / 2 });
  await platform.startPool(handler, { concurrency: size / 2 });
  const startedAt = performance.now();
  for (let group = 0; group < 10; group += 1) {
    await Promise.all(
      Array.from({ length: size }, async (_, place) => {
        for (let turns = (group * place) % 7; turns > 0; turns -= 1) await new Promise(setImmediate);
        await runOne(personal());
      }),
    );
  }
  // A worker that waits for new jobs looks again after 5 s.
  expect(performance.now() - startedAt).toBeLessThan(5_000);
});

test('locks are renewed while the clock of the machine is set back', async () => {
  onTestFinished(() => void vi.useRealTimers());
  const end = Promise.withResolvers<void>();
  const attempts: number[] = [];
  await platform.startPool(async (context) => {
    attempts.push(context.attempt);
    await end.promise;
    return result(context);
  });
  const { reader, id } = await platform.dispatch(one, { stateless: true });
  await expect.poll(() => attempts.length).toBe(1);
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() - 7_200_000 });
  const left = () => platform.redis.pttl(`{chorus:text}:text:${id}:lock`);
  await expect.poll(left).toBeLessThan(9_000);
  await expect.poll(left).toBeGreaterThan(9_500);
  end.resolve();
  expect(typesOf(await readUntil(reader)).at(-1)).toBe('execution.succeeded');
  expect(attempts).toEqual([1]);
  reader.close();
});

test('a burst is taken a few jobs at a time', async () => {
  const jobs = 24;
  const started = Promise.withResolvers<void>();
  let begun = 0;
  const handler = async (context: ChatContext) => {
    begun += 1;
    if (begun === jobs) started.resolve();
    await started.promise;
    return result(context);
  };
  const readers = await Promise.all(
    Array.from({ length: jobs }, async () => (await platform.dispatch(personal(), { stateless: true })).reader),
  );
  // Each append of a first event is a script with one entry.
  const steps = async () => (await calls('evalsha')) - (await calls('xadd'));
  const before = await steps();
  const taken = await fetches();
  await platform.startPool(handler, { concurrency: jobs });
  await started.promise;
  expect((await fetches()) - taken).toBeGreaterThanOrEqual(jobs);
  // The others: the check for stalled jobs, registers, health.
  expect((await steps()) - before).toBeLessThan(jobs / 2);
  for (const reader of readers) {
    expect(typesOf(await readUntil(reader)).at(-1)).toBe('execution.succeeded');
    reader.close();
  }
});

test('jobs that a closing worker has taken but not started go to another worker unchanged', async () => {
  const places = createQueuePlaces(platform.redis);
  const { record, reader } = await platform.dispatch(personal(), { stateless: true });
  const [taken] = await places.take('text', 60_000, ['gone:1']);
  expect(taken).toMatchObject({ id: record.id, isLast: true });
  await places.handBack('text', record.id, 'other:1', { hasStarted: false });
  expect(await places.take('text', 60_000, ['next:1'])).toEqual([]);
  await places.handBack('text', record.id, 'gone:1', { hasStarted: false });
  const attempts: number[] = [];
  await platform.startPool(async (context) => {
    attempts.push(context.attempt);
    return result(context);
  });
  expect(typesOf(await readUntil(reader)).at(-1)).toBe('execution.succeeded');
  expect(attempts).toEqual([1]);
  reader.close();
});
