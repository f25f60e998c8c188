import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import type { LanePass } from './call.ts';
import { LaneWait } from './lane-wait.ts';
import { readLanes, resumeLanes } from './read-lanes.ts';
import { KNOWN_LANES_KEY } from './steps/lane-steps.ts';
import { enter, fail, freshLane, refusal, startProcesses } from './test-lanes.ts';

let processes: Awaited<ReturnType<typeof startProcesses>>;
const fast = { timeFactor: 0.05 };

beforeAll(async () => {
  processes = await startProcesses();
});
afterAll(() => processes.stop());
afterEach(() => processes.end());

test('a call through a free lane starts at once', async () => {
  const lanes = await processes.start();
  const lane = freshLane();
  (await enter(lanes, lane)).leave();
  const pass = lanes.enter(lane, { signal: new AbortController().signal, maxWaitMs: 0, user: 'one' });
  expect(pass).not.toBeInstanceOf(Promise);
  (pass as LanePass).leave();
});

test('all processes together stay within a set limit, and a freed place goes to another', async () => {
  const limits = () => 4;
  const [one, other] = [await processes.start({ limits }), await processes.start({ limits })];
  const lane = freshLane();
  const held = [await enter(one, lane), await enter(other, lane), await enter(one, lane), await enter(one, lane)];
  const wait = await refusal(other, lane);
  expect(wait).toBeInstanceOf(LaneWait);
  expect(wait).toMatchObject({ code: 'provider_rate_limited', lane, reason: 'busy', waiting: { until: null } });
  const waiting = enter(other, lane);
  await expect.poll(async () => (await one.read([lane]))[0]).toMatchObject({ inUse: 4, setLimit: 4, reason: 'busy' });
  held[0]?.leave();
  held[0]?.leave();
  held.push(await waiting);
  expect(await refusal(one, lane)).toMatchObject({ reason: 'busy' });
  for (const pass of held) pass.leave();
  await expect.poll(async () => (await one.read([lane]))[0]).toMatchObject({ inUse: 0, limit: 4 });
});

test('spare permits are given up when another process needs them', async () => {
  const limits = () => 4;
  const [one, other] = [await processes.start({ limits }), await processes.start({ limits })];
  const lane = freshLane();
  (await enter(one, lane)).leave();
  const held = await Promise.all([1, 2, 3, 4].map(() => enter(other, lane)));
  expect(held).toHaveLength(4);
  for (const pass of held) pass.leave();
});

test('users take turns', async () => {
  const lanes = await processes.start({ limits: () => 1 });
  const lane = freshLane();
  const first = await enter(lanes, lane);
  const order: string[] = [];
  const calls = ['a', 'a', 'a', 'b'].map(async (user) => {
    const pass = await enter(lanes, lane, { user });
    order.push(user);
    pass.leave();
  });
  first.leave();
  await Promise.all(calls);
  expect(order.slice(0, 2).sort()).toEqual(['a', 'b']);
});

test('a waiting call ends with its signal', async () => {
  const lanes = await processes.start({ limits: () => 1 });
  const lane = freshLane();
  const held = await enter(lanes, lane);
  const controller = new AbortController();
  const waiting = enter(lanes, lane, { signal: controller.signal });
  controller.abort(new Error('cancelled'));
  await expect(waiting).rejects.toThrow('cancelled');
  held.leave();
  (await enter(lanes, lane)).leave();
});

test('two processes that share one place both get it', async () => {
  const limits = () => 1;
  const both = [await processes.start({ limits }), await processes.start({ limits })];
  const lane = freshLane();
  const served = [0, 0];
  let running = 0;
  let most = 0;
  const work = both.flatMap((lanes, index) =>
    Array.from({ length: 20 }, async () => {
      const pass = await enter(lanes, lane);
      running += 1;
      most = Math.max(most, running);
      await new Promise((resolve) => setTimeout(resolve, 2));
      running -= 1;
      served[index]! += 1;
      pass.accepted();
      pass.leave();
    }),
  );
  await Promise.all(work);
  expect(served).toEqual([20, 20]);
  expect(most).toBe(1);
});

test('calls of all processes never exceed the limit', async () => {
  const LIMIT = 7;
  const lane = freshLane();
  let running = 0;
  let most = 0;
  const work = async (index: number) => {
    const lanes = all[index % 3]!;
    for (let round = 0; round < 10; round += 1) {
      const pass = await enter(lanes, lane, { user: `user-${index % 4}` });
      running += 1;
      most = Math.max(most, running);
      await new Promise((resolve) => setTimeout(resolve, (index * 7 + round * 3) % 11));
      running -= 1;
      if (index % 2 === 0) pass.ended();
      pass.leave();
    }
  };
  const all = await Promise.all([1, 2, 3].map(() => processes.start({ limits: () => LIMIT })));
  await Promise.all(Array.from({ length: 30 }, (_, index) => work(index)));
  expect(most).toBe(LIMIT);
});

test('a lane closes for all processes after five failures in a row, and one accepted call opens it', async () => {
  const [one, other] = [await processes.start(fast), await processes.start(fast)];
  const lane = freshLane();
  const states: string[] = [];
  one.onState((of, { reason }) => of === lane && states.push(`one ${reason}`));
  other.onState((of, { reason }) => of === lane && states.push(`other ${reason}`));
  await fail(one, lane, 4);
  const answered = await enter(one, lane);
  answered.ended();
  answered.leave();
  await fail(one, lane, 4);
  expect(await refusal(other, lane)).toBeNull();
  await fail(other, lane, 1);
  await expect.poll(() => states).toEqual(expect.arrayContaining(['one away', 'other away']));
  const probe = await enter(one, lane);
  expect(await refusal(other, lane, 20)).toMatchObject({ reason: 'away', code: 'provider_unavailable' });
  expect((await other.read([lane]))[0]).toMatchObject({ halfOpen: true, size: 1, inUse: 1 });
  probe.ended();
  probe.leave();
  await expect.poll(() => refusal(other, lane, 20)).toBeNull();
  expect((await other.read([lane]))[0]).toMatchObject({ reason: null, limit: 5 });
});

test('a cancelled probe lets another call probe', async () => {
  const lanes = await processes.start(fast);
  const lane = freshLane();
  await fail(lanes, lane, 5);
  (await enter(lanes, lane)).leave();
  (await enter(lanes, lane)).ended();
  await expect.poll(async () => (await lanes.read([lane]))[0]?.reason).toBeNull();
});

test('a refused key pauses the lane until an operator resumes it', async () => {
  const [one, other] = [await processes.start(fast), await processes.start(fast)];
  const lane = freshLane('anthropic');
  const pass = await enter(one, lane);
  pass.stopped('key');
  pass.leave();
  await expect
    .poll(() => refusal(one, lane, 1e9))
    .toMatchObject({ reason: 'key', waiting: { until: null }, code: 'provider_auth' });
  expect(await refusal(other, lane, 1e9)).toMatchObject({ reason: 'key' });
  expect((await other.read([lane]))[0]).toMatchObject({ closedMs: null, size: 0 });
  // A process without lanes, such as the API.
  const redis = processes.connect();
  expect(await resumeLanes(redis, 'anthropic')).toMatchObject([{ lane, closedMs: 0 }]);
  await expect.poll(() => refusal(other, lane)).toBeNull();
  const probe = await enter(other, lane);
  probe.ended();
  probe.leave();
  await expect.poll(async () => (await readLanes(redis, [lane]))[0]).toMatchObject({ reason: null, accepted: 1 });
  (await enter(one, lane)).leave();
});

test('other processes hear of a resume right after a stop', async () => {
  const [one, other] = [await processes.start(), await processes.start()];
  const lane = freshLane();
  const heard: unknown[] = [];
  other.onState((id, { reason, halfOpen }) => id === lane && heard.push({ reason, halfOpen }));
  const pass = await enter(one, lane);
  pass.stopped('key');
  await expect.poll(async () => (await one.read([lane]))[0]?.reason, { interval: 1 }).toBe('key');
  await one.resume(lane);
  await expect.poll(() => heard.at(-1)).toEqual({ reason: 'key', halfOpen: true });
});

test('a spent credit pauses the lane, and is tried again later', async () => {
  const lanes = await processes.start();
  const lane = freshLane();
  const pass = await enter(lanes, lane);
  pass.stopped('credit');
  pass.leave();
  await expect.poll(() => refusal(lanes, lane)).toMatchObject({ reason: 'credit', retryAfterS: 300 });
});

test('a daily quota closes the lane until its reset', async () => {
  const lanes = await processes.start();
  const lane = freshLane();
  const pass = await enter(lanes, lane);
  pass.learned({ requests: { limit: 50, remaining: 10, resetMs: 7_200_000, perMs: 86_400_000 } });
  pass.learned({
    requests: { limit: 50, remaining: 0, resetMs: 7_200_000, perMs: 86_400_000 },
    retryAfterMs: 7_200_000,
  });
  pass.refused(7_200_000);
  await expect.poll(async () => (await refusal(lanes, lane))?.retryAfterS).toBeGreaterThan(7_000);
  expect((await lanes.read([lane]))[0]).toMatchObject({ reason: 'slow_down', size: 0 });
});

test('hostile values change nothing', async () => {
  const lanes = await processes.start();
  const lane = freshLane();
  const pass = await enter(lanes, lane);
  for (const value of [Number.NaN, Number.POSITIVE_INFINITY, -1, 0, 1e300]) {
    const limit = { limit: value, remaining: value, resetMs: value, perMs: value };
    pass.learned({ requests: limit, tokens: limit, retryAfterMs: value });
    pass.ended(value);
  }
  pass.leave();
  (await enter(lanes, lane)).leave();
  expect((await lanes.read([lane]))[0]).toMatchObject({ limit: 10, reason: null });
});

test('lanes are listed after their first call', async () => {
  const lanes = await processes.start();
  const lane = freshLane();
  (await enter(lanes, lane)).leave();
  await expect.poll(async () => (await readLanes(processes.connect())).map((one) => one.lane)).toContain(lane);
});

test('a stopped lane is kept and listed for weeks without a call', async () => {
  const lanes = await processes.start(fast);
  const redis = processes.connect();
  const [stopped, unused] = [freshLane(), freshLane()];
  const daysLeft = async () => (await redis.pttl(`chorus:{lane:${stopped}}:state`)) / 86_400_000;
  const pass = await enter(lanes, stopped);
  expect(await daysLeft()).toBeLessThanOrEqual(1);
  pass.stopped('key');
  pass.leave();
  await expect.poll(daysLeft).toBeGreaterThan(29);
  const longAgo = Date.now() - 5 * 86_400_000;
  await redis.hset(KNOWN_LANES_KEY, { [stopped]: longAgo, [unused]: longAgo });
  const names = (await readLanes(redis)).map(({ lane }) => lane);
  expect([names.includes(stopped), names.includes(unused)]).toEqual([true, false]);
  await resumeLanes(redis, stopped);
  await expect.poll(() => refusal(lanes, stopped)).toBeNull();
  const probe = await enter(lanes, stopped);
  probe.ended();
  probe.leave();
  await expect.poll(daysLeft).toBeLessThanOrEqual(1);
});

test('calls do not hang while Redis is away, and continue when it is back', async () => {
  const own = await startProcesses();
  try {
    const lanes = await own.start({ limits: () => 2 });
    const lane = freshLane();
    const held = await Promise.all([enter(lanes, lane), enter(lanes, lane)]);
    await own.redis.kill();
    await expect(enter(lanes, lane)).rejects.toMatchObject({ code: 'store_unavailable' });
    await own.redis.restart();
    for (const pass of held) pass.leave();
    await expect.poll(() => refusal(lanes, lane)).toBeNull();
  } finally {
    await own.stop();
  }
});
