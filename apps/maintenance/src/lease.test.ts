import { connectRedis, type RedisConnection } from '@chorus/events';
import { createLogger } from '@chorus/runtime/log';
import { startRedis, type TestRedis } from '@chorus/testing';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { everyWithLease } from './lease.ts';

let server: TestRedis;
let redis: RedisConnection;

beforeAll(async () => {
  server = await startRedis();
  redis = connectRedis({ url: server.url, cluster: false }, 'worker');
  redis.on('error', () => undefined);
});
afterAll(async () => {
  redis.disconnect();
  await server.stop();
});

const log = createLogger({ name: 'test', level: 'silent' });

const every = (name: string, everyMs: number, task: () => Promise<void>) =>
  everyWithLease({ redis, log }, name, everyMs, () => task().then(() => ({})));

async function until(condition: () => boolean): Promise<void> {
  const deadline = Date.now() + 40_000;
  while (!condition()) {
    if (Date.now() > deadline) throw new Error(`never came true: ${condition}`);
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

test('runs each round in one of many processes', async () => {
  const runs: number[] = [];
  const stops = Array.from({ length: 5 }, (_, process) => every('many', 100, async () => void runs.push(process)));
  onTestFinished(async () => void (await Promise.all(stops.map((stop) => stop()))));
  const begun = performance.now();
  await until(() => runs.length >= 5);
  // The lease lasts nine tenths of a round, so five runs take at least four leases.
  expect(performance.now() - begun).toBeGreaterThan(4 * 90 - 20);
});

test('keeps leases of different names apart', async () => {
  const ran: string[] = [];
  const stops = ['one', 'two'].map((name) => every(name, 60_000, async () => void ran.push(name)));
  await until(() => ran.length === 2);
  await Promise.all(stops.map((stop) => stop()));
  expect(ran.sort()).toEqual(['one', 'two']);
});

test('continues after a failed round', async () => {
  let runs = 0;
  const stop = every('failing', 20, async () => {
    runs += 1;
    throw new Error('this round');
  });
  await until(() => runs >= 3);
  await stop();
});

test('loses only one round when the holder of the lease dies', async () => {
  await redis.set('chorus:lease:dead', 'a process that is gone', 'PX', 90, 'NX');
  let runs = 0;
  const stop = every('dead', 100, async () => {
    runs += 1;
  });
  await until(() => runs === 1);
  await stop();
});

test('finishes the running round when stopped and starts no other', async () => {
  let open = (): void => undefined;
  const held = new Promise<void>((resolve) => {
    open = resolve;
  });
  let begun = 0;
  let done = 0;
  const stop = every('stopped', 10, async () => {
    begun += 1;
    await held;
    done += 1;
  });
  await until(() => begun === 1);
  const stopping = stop();
  open();
  await stopping;
  expect(begun).toBe(done);
  const before = begun;
  await redis.del('chorus:lease:stopped');
  await redis.ping();
  expect(begun).toBe(before);
});

test('does not overlap a slow round with the next', async () => {
  let now = 0;
  let most = 0;
  let runs = 0;
  const stop = every('slow', 10, async () => {
    now += 1;
    most = Math.max(most, now);
    await new Promise((resolve) => setTimeout(resolve, 40));
    now -= 1;
    runs += 1;
  });
  await until(() => runs >= 3);
  await stop();
  expect(most).toBe(1);
});
