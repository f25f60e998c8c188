import { once } from 'node:events';
import { startRedis } from '@chorus/testing';
import type { Redis } from 'ioredis';
import { expect, onTestFinished, test } from 'vitest';
import { connectRedis } from './connect-redis.ts';

test('one that is closed while it renews its subscriptions ends quietly', async () => {
  const server = await startRedis();
  onTestFinished(() => server.stop());
  const config = { url: server.url, cluster: false };
  const subscriber = connectRedis(config, 'worker') as Redis;
  const other = connectRedis(config, 'request');
  onTestFinished(() => other.disconnect());
  subscriber.on('error', () => undefined);
  await subscriber.subscribe('news');

  // ioredis has sent the renewal when it says that it is ready; nobody can have answered it yet.
  subscriber.once('ready', () => {
    subscriber.disconnect();
    subscriber.stream.destroy();
  });
  const ended = once(subscriber, 'end');
  await other.call('CLIENT', 'KILL', 'TYPE', 'pubsub');
  await ended;
  // A rejection that belongs to nobody is told after the microtasks, and fails the run.
  await new Promise((resolve) => setImmediate(resolve));
  expect(subscriber.status).toBe('end');
});
