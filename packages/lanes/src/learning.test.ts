import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import type { Lanes, LanesOptions } from './create-lanes.ts';
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
async function load(fake: FakeLimitedProvider, callers = 60, options: Partial<LanesOptions> = {}) {
  const start = () => processes.start({ timeFactor: TIME_FACTOR, ...options });
  const both = [await start(), await start()] as const;
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

const queues = () => true;

test('finds how many calls a server runs at once that queues the others', async () => {
  const fake = new FakeLimitedProvider({ runsAtOnce: 4, latencyMs: 80, headersMs: 15 });
  const lane = await load(fake, 40, { queues });
  const isNear = (atOnce: number) => async () => {
    const limit = await lane.limit();
    return limit >= atOnce && limit <= atOnce * 1.5 + 1;
  };
  await expect.poll(isNear(4)).toBe(true);
  fake.limits.runsAtOnce = 12;
  await expect.poll(isNear(12)).toBe(true);
  fake.limits.runsAtOnce = 4;
  await expect.poll(isNear(4)).toBe(true);
});

test('a set limit applies to a server that queues', async () => {
  const fake = new FakeLimitedProvider({ runsAtOnce: 2, latencyMs: 20 });
  const lane = await load(fake, 30, { queues, limits: () => 6 });
  await expect.poll(() => fake.answered).toBeGreaterThan(100);
  expect(await lane.limit()).toBe(6);
  expect(fake.most).toBe(6);
});

const between = (least: number, most: number) => least * (most / least) ** Math.random();

test.each([
  ['first bytes come late and at very different times', () => ({ headersMs: between(40, 400), latencyMs: 450 })],
  ['whole answers take very different times', () => between(20, 400)],
  ['first bytes take most of the time', () => ({ headersMs: between(100, 300), latencyMs: 320 })],
  [
    'more calls make each slower',
    (inFlight: number) => ({ headersMs: 20 + inFlight / 10, latencyMs: 100 + inFlight / 2 }),
  ],
])('keeps all calls if %s', async (_, answer) => {
  const times = (inFlight: number) => {
    const ms = answer(inFlight);
    return typeof ms === 'number' ? { headersMs: ms, latencyMs: ms } : ms;
  };
  const fake = new FakeLimitedProvider({ latencyMs: 0, times });
  const lane = await load(fake, 120, { queues });
  await expect.poll(lane.limit).toBeGreaterThanOrEqual(120);
  await expect.poll(() => fake.answered).toBeGreaterThan(1_500);
  expect(await lane.limit()).toBeGreaterThanOrEqual(120);
});

test('keeps its limit if first bytes come later for another reason than calls at once', async () => {
  const fake = new FakeLimitedProvider({ atOnce: 40, latencyMs: 100, headersMs: 15 });
  const lane = await load(fake, 80, { queues });
  await expect.poll(lane.limit).toBeGreaterThanOrEqual(38);
  Object.assign(fake.limits, { latencyMs: 250, headersMs: 165 });
  fake.count();
  await expect.poll(() => fake.answered).toBeGreaterThan(1_200);
  await expect.poll(lane.limit).toBeGreaterThanOrEqual(36);
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

test.each([
  ['a bucket', false],
  ['a window', true],
])('learns the rate of %s that its provider does not tell', async (_, isWindow) => {
  const fake = new FakeLimitedProvider({ latencyMs: 20, rate: { ...minute(600), isWindow } });
  const lane = await load(fake);
  // Four minutes of learning.
  await expect.poll(() => fake.answered).toBeGreaterThan(2_400);
  const startedAt = performance.now();
  // Up to 2%, or more on a busy machine, at 20 times real speed. Without learning, it is over 4 and 10%.
  expect(await lane.refusedShare(1_800)).toBeLessThan(0.04);
  const used = fake.answered / ((performance.now() - startedAt) * (600 / MINUTE_MS));
  expect(used).toBeGreaterThan(0.7);
});
