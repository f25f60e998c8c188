import { once } from 'node:events';
import { createLogger } from '@chorus/runtime/log';
import { startRedis, type TestRedis } from '@chorus/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { connectRedis, type RedisConnection } from './connection/index.ts';
import { announceSettings, followSettings } from './follow-settings.ts';

const log = createLogger({ name: 'test', level: 'silent' });
let server: TestRedis;
const connections: RedisConnection[] = [];
const closers: (() => void)[] = [];
beforeAll(async () => {
  server = await startRedis();
});
afterAll(async () => {
  for (const close of closers) close();
  for (const redis of connections) redis.disconnect();
  await server.stop();
});

/** Another process, which counts how often it reads the limits. */
async function follow() {
  const config = { url: server.url, cluster: false };
  const [redis, subscriber] = [connectRedis(config, 'request'), connectRedis(config, 'worker')];
  connections.push(redis, subscriber);
  const loads = { count: 0, fails: false };
  const load = async () => {
    if (loads.fails) throw new Error('away');
    loads.count += 1;
  };
  closers.push(await followSettings({ redis, subscriber, log }, 'limits', load));
  return { redis, subscriber, loads };
}

test('reads a change that was announced while the subscriber was disconnected', async () => {
  const [here, there] = [await follow(), await follow()];
  await expect.poll(async () => (await here.redis.pubsub('NUMSUB', 'chorus:settings'))[1]).toBeGreaterThanOrEqual(2);
  there.subscriber.disconnect();
  await once(there.subscriber, 'end');
  await announceSettings(here.redis, 'limits');
  expect(there.loads.count).toBe(1);
  void there.subscriber.connect();
  await expect.poll(() => there.loads.count, { timeout: 4_000 }).toBe(2);
});

test('reads settings at start-up, immediately after its own change, and soon after a change elsewhere', async () => {
  const [here, there] = [await follow(), await follow()];
  expect([here.loads.count, there.loads.count]).toEqual([1, 1]);
  await announceSettings(here.redis, 'limits');
  expect(here.loads.count).toBe(2);
  await expect.poll(() => there.loads.count).toBe(2);
  await announceSettings(here.redis, 'model_settings');
  expect(here.loads.count).toBe(2);

  there.loads.fails = true;
  await announceSettings(here.redis, 'limits');
  await announceSettings(there.redis, 'limits');
  there.loads.fails = false;
  await expect.poll(() => there.loads.count).toBe(3);
});
