import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
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

/** Counts the commands by which BullMQ looks for a job, within its scripts. */
async function fetches(): Promise<number> {
  const stats = await platform.redis.info('commandstats');
  return Number(/cmdstat_rpoplpush:calls=(\d+)/.exec(stats)?.[1] ?? 0);
}

test('a lone job costs one fetch at its start and one at its end', async () => {
  await platform.startPool(async (context) => result(context));
  await runOne();
  const before = await fetches();
  for (let time = 0; time < 10; time += 1) await runOne();
  // The last end may not have looked yet; and a worker looks again when a wait for jobs ends after 5 s.
  expect((await fetches()) - before).toBeLessThanOrEqual(22);
});

test('no job is missed while workers take jobs and clear the marker', async () => {
  // Each group ends once all its jobs run, so a job that no worker notices would hold up the others.
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
