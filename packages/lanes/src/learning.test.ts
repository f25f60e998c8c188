import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import type { Lanes } from './create-lanes.ts';
import { enter, freshLane, startProcesses } from './test-lanes.ts';
import { FakeLimitedProvider } from './test-provider.ts';

/** A minute of learning takes 3 s. */
const TIME_FACTOR = 0.05;
const MINUTE_MS = 3_000;

let processes: Awaited<ReturnType<typeof startProcesses>>;

beforeAll(async () => {
  processes = await startProcesses();
});
afterAll(() => processes.stop());
afterEach(async () => {
  await stopLoad();
  processes.end();
});

/** Stops the callers of a test, also if it failed. */
let stopLoad: () => Promise<unknown> = async () => undefined;

/** Calls a provider through a lane, from two processes and for three users, until it is stopped. */
async function load(fake: FakeLimitedProvider, callers = 60) {
  const both = [
    await processes.start({ timeFactor: TIME_FACTOR }),
    await processes.start({ timeFactor: TIME_FACTOR }),
  ] as const;
  const lane = freshLane();
  let isOn = true;
  const call = async (lanes: Lanes, user: string) => {
    while (isOn) await fake.answer(await enter(lanes, lane, { user, maxWaitMs: 60_000 }));
  };
  const all = Array.from({ length: callers }, (_, index) => call(both[index % 2]!, `user-${index % 3}`));
  stopLoad = () => {
    isOn = false;
    return Promise.all(all);
  };
  return {
    limit: async () => (await both[0].read([lane]))[0]?.limit ?? 0,
    /** Waits for this many answers, and returns the refused share of their calls. */
    async refusedShare(answers: number): Promise<number> {
      fake.count();
      await expect.poll(() => fake.answered).toBeGreaterThan(answers);
      return fake.refused / (fake.answered + fake.refused);
    },
  };
}

test('finds how many calls a provider takes at once, and a doubled and a halved limit', async () => {
  const fake = new FakeLimitedProvider({ atOnce: 20, latencyMs: 40, retryAfterMs: 1_000 });
  const lane = await load(fake, 80);
  await expect.poll(() => fake.refused).toBeGreaterThan(0);
  await expect.poll(lane.limit).toBe(20);
  expect(await lane.refusedShare(1_000)).toBeLessThan(0.15);
  fake.limits.atOnce = 40;
  await expect.poll(lane.limit).toBeGreaterThanOrEqual(38);
  fake.limits.atOnce = 20;
  await expect.poll(lane.limit).toBeLessThanOrEqual(21);
  expect(await lane.refusedShare(500)).toBeLessThan(0.2);
});

test('finds a large limit within seconds', async () => {
  const fake = new FakeLimitedProvider({ atOnce: 400, latencyMs: 200 });
  const lane = await load(fake, 600);
  await expect.poll(lane.limit).toBeGreaterThanOrEqual(380);
});

test('a provider that takes one call at once is called one by one', async () => {
  const fake = new FakeLimitedProvider({ atOnce: 1, latencyMs: 20 });
  const lane = await load(fake, 10);
  await expect.poll(lane.limit).toBe(1);
  expect(await lane.refusedShare(50)).toBeLessThan(0.25);
});

/** Without learning, most calls would be refused. A busy machine delays what the lane hears, at 20 times real speed. */
const minute = (limit: number) => ({ limit, perMs: MINUTE_MS });

test.each([
  ['requests a minute', { rate: minute(600), tellsLimits: true }, 0.2],
  ['requests a minute, with Retry-After', { rate: minute(600), tellsLimits: true, retryAfterMs: 5 }, 0.2],
  ['tokens a minute', { tokens: minute(60_000), tellsLimits: true }, 0.2],
  ['a limit that it does not tell', { rate: minute(600) }, 0.4],
])('keeps to %s', async (_, limits, mostRefused) => {
  const fake = new FakeLimitedProvider({ latencyMs: 40, ...limits }, 100);
  const lane = await load(fake);
  await expect.poll(() => fake.answered).toBeGreaterThan(150);
  const startedAt = performance.now();
  expect(await lane.refusedShare(800)).toBeLessThan(mostRefused);
  // All that came in this time was used, or the machine was too busy to measure it.
  const used = fake.answered / ((performance.now() - startedAt) * (600 / MINUTE_MS));
  expect(used).toBeGreaterThan(0.5);
});

test('finds the end of a window that others have used up', async () => {
  const rate = { ...minute(300), isWindow: true };
  const fake = new FakeLimitedProvider({ latencyMs: 20, tellsLimits: true, rate }, 100);
  await load(fake, 20);
  await expect.poll(() => fake.answered).toBeGreaterThanOrEqual(150);
  expect(fake.refused).toBeLessThan(60);
});

test('waits for the end of a window that is used up', async () => {
  const fake = new FakeLimitedProvider({ latencyMs: 20, tellsLimits: true, rate: { ...minute(300), isWindow: true } });
  const lane = await load(fake);
  await expect.poll(() => fake.answered).toBeGreaterThanOrEqual(600);
  expect(await lane.refusedShare(500)).toBeLessThan(0.2);
});
