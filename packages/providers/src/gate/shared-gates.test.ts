import { connectRedis } from '@chorus/events';
import { createLogger } from '@chorus/runtime/log';
import { startRedis, type TestRedis } from '@chorus/testing';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { Breaker } from './breaker.ts';
import type { Pass, ProviderGate } from './provider-gate.ts';
import { createSharedGates } from './shared-gates.ts';
import { gateSteps } from './steps.ts';

const log = createLogger({ name: 'test', level: 'silent' });
const closers: (() => unknown)[] = [];
let redis: TestRedis;

beforeAll(async () => {
  redis = await startRedis();
});
afterAll(() => redis.stop());
afterEach(async () => {
  for (const close of closers.splice(0)) close();
  const client = connectRedis({ url: redis.url, cluster: false }, 'worker');
  await client.flushall();
  client.disconnect();
});

/** The gate of one provider in a separate process, and its Redis commands. */
async function gateOfProcess(limit: number | null = null) {
  const connect = () => connectRedis({ url: redis.url, cluster: false }, 'worker');
  const [commands, subscriber] = [connect(), connect()];
  const gates = createSharedGates({ redis: commands, subscriber, limits: { openai: limit }, log });
  const gate = gates.gateOf('openai');
  closers.push(
    () => gates.close(),
    () => commands.disconnect(),
    () => subscriber.disconnect(),
  );
  // Waits for the subscription, so that no news is missed.
  await expect.poll(async () => Object.values(await numbersOf(commands))).not.toContain(0);
  await subscriber.ping();
  return gate;
}

const numbersOf = async (client: ReturnType<typeof connectRedis>) => {
  const [channel, count] = (await client.pubsub('NUMSUB', 'chorus:provider-gates')) as [string, number];
  return { [channel]: count };
};

const never = new AbortController().signal;
const enter = async (gate: ProviderGate, maxWaitMs = 5_000, signal = never, user = 'one'): Promise<Pass> =>
  gate.enter(signal, maxWaitMs, user);
const refused = (gate: ProviderGate) =>
  enter(gate).then(
    (pass) => pass.leave(),
    (error) => error.code as string,
  );

async function fail(gate: ProviderGate, times: number): Promise<void> {
  for (let index = 0; index < times; index += 1) {
    const pass = await enter(gate);
    pass.failed();
    pass.leave();
  }
}

test('does not wait without a limit or failures', async () => {
  const gate = await gateOfProcess();
  expect(gate.enter(never, 0, 'one')).not.toBeInstanceOf(Promise);
});

test('opens for all processes after eight consecutive failures, then one call probes', async () => {
  const [one, other] = [await gateOfProcess(), await gateOfProcess()];
  await fail(one, 4);
  await fail(other, 4);
  await expect.poll(() => refused(one)).toBe('provider_unavailable');
  await expect.poll(() => refused(other)).toBe('provider_unavailable');
  expect(await enter(one).catch((error) => error.retryAfterS)).toBeGreaterThan(0);
  // A process that starts later knows, too.
  const client = connectRedis({ url: redis.url, cluster: false }, 'worker');
  closers.push(() => client.disconnect());
  await client.hset('chorus:{provider:openai}:breaker', 'until', Date.now() + 60_000);
  const late = await gateOfProcess();
  await expect.poll(() => refused(late)).toBe('provider_unavailable');

  const tries: (Pass | null)[] = [];
  await expect
    .poll(
      async () => {
        tries.push(...(await Promise.all([one, other, late].map((gate) => enter(gate).catch(() => null)))));
        return tries.filter((pass) => pass !== null).length;
      },
      { timeout: 10_000, interval: 50 },
    )
    .toBe(1);
  // Other calls are refused during the probe; its first text admits all.
  expect(await refused(other)).toBe('provider_unavailable');
  const probe = tries.find((pass) => pass !== null);
  probe?.answered();
  for (const gate of [one, other, late]) await expect.poll(() => refused(gate)).toBeUndefined();
  probe?.leave();
});

test('ignores late news, unless the clock was set back', () => {
  const client = connectRedis({ url: redis.url, cluster: false }, 'worker');
  closers.push(() => client.disconnect());
  const breaker = new Breaker('openai', gateSteps(client, 'openai'), log);
  const second = 1_000_000;
  breaker.learn({ failures: 8, openMs: 60_000, at: 100 * second });
  breaker.learn({ failures: 7, openMs: 0, at: 100 * second - 1 });
  expect(() => breaker.check()).toThrow('is not called for 60 s');
  breaker.learn({ failures: 0, openMs: 0, at: 50 * second });
  expect(() => breaker.check()).not.toThrow();
});

test('a success resets the count', async () => {
  const gate = await gateOfProcess();
  const client = connectRedis({ url: redis.url, cluster: false }, 'worker');
  closers.push(() => client.disconnect());
  const failures = () => client.hget('chorus:{provider:openai}:breaker', 'failures');
  for (let round = 0; round < 3; round += 1) {
    await fail(gate, 7);
    await expect.poll(failures).toBe('7');
    // Waits for the step to be reported: from then on, a success needs its own step.
    const success = async () => {
      const pass = await enter(gate);
      pass.succeeded();
      pass.leave();
      return failures();
    };
    await expect.poll(success).toBeNull();
  }
  expect(await refused(gate)).toBeUndefined();
});

test('a probe without an outcome lets the next one probe', async () => {
  const gate = await gateOfProcess();
  await fail(gate, 8);
  await expect.poll(() => refused(gate)).toBe('provider_unavailable');
  const tryAgain = () => enter(gate).catch(() => null);
  let probe: Pass | null = null;
  await expect
    .poll(
      async () => {
        probe ??= await tryAgain();
        return probe;
      },
      { timeout: 10_000, interval: 50 },
    )
    .not.toBeNull();
  expect(await tryAgain()).toBeNull();
  (probe as Pass | null)?.leave();
  await expect.poll(tryAgain).not.toBeNull();
});

test('a limit holds over all processes, and a freed slot is taken immediately', async () => {
  const [one, other] = [await gateOfProcess(3), await gateOfProcess(3)];
  let most = 0;
  let running = 0;
  const call = async (gate: ProviderGate) => {
    const pass = await enter(gate);
    running += 1;
    most = Math.max(most, running);
    await new Promise((resolve) => setTimeout(resolve, 5));
    running -= 1;
    pass.leave();
  };
  const began = performance.now();
  await Promise.all(Array.from({ length: 60 }, (_, index) => call(index % 2 === 0 ? one : other)));
  expect(most).toBe(3);
  // Sixty calls, three at a time, driven by messages. Polling once a second would take twenty seconds.
  expect(performance.now() - began).toBeLessThan(10_000);
});

test('users take turns at a provider’s slots, however many calls they have waiting', async () => {
  const gate = await gateOfProcess(1);
  const held = await enter(gate);
  const served: string[] = [];
  const users = [...Array.from({ length: 6 }, () => 'heavy'), 'light', 'other'];
  const waiting = users.map(async (user) => {
    const pass = await enter(gate, 60_000, never, user);
    served.push(user);
    pass.leave();
  });
  held.leave();
  await Promise.all(waiting);
  expect(served.slice(0, 3).sort()).toEqual(['heavy', 'light', 'other']);
});

test('a wait for a slot has a limit, and can be aborted', async () => {
  const gate = await gateOfProcess(1);
  const held = await enter(gate);
  expect(await enter(gate, 50).catch((error) => error)).toMatchObject({
    code: 'provider_rate_limited',
    retryAfterS: 5,
  });
  const controller = new AbortController();
  const reason = new Error('cancelled');
  const waiting = enter(gate, 60_000, controller.signal);
  controller.abort(reason);
  await expect(waiting).rejects.toBe(reason);
  // An aborted call holds no slot, so it goes to the next.
  const next = enter(gate, 5_000);
  held.leave();
  held.leave();
  (await next).leave();
  (await enter(gate, 5_000)).leave();
});
