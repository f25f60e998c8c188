import { once } from 'node:events';
import { startRedis } from '@chorus/testing';
import type { Redis } from 'ioredis';
import { expect, onTestFinished, test } from 'vitest';
import { connectRedis } from './connect-redis.ts';

test('closing a connection that renews its subscriptions raises no error', async () => {
  const server = await startRedis();
  onTestFinished(() => server.stop());
  const config = { url: server.url, cluster: false };
  const subscriber = connectRedis(config, 'worker') as Redis;
  const other = connectRedis(config, 'request');
  onTestFinished(() => other.disconnect());
  subscriber.on('error', () => undefined);
  await subscriber.subscribe('news');

  // ioredis reports ready after sending the renewal, before the reply.
  subscriber.once('ready', () => {
    subscriber.disconnect();
    subscriber.stream.destroy();
  });
  const ended = once(subscriber, 'end');
  await other.call('CLIENT', 'KILL', 'TYPE', 'pubsub');
  await ended;
  // An unhandled rejection would be reported after the microtasks, and fail the run.
  await new Promise((resolve) => setImmediate(resolve));
  expect(subscriber.status).toBe('end');
});
