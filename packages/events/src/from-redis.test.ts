import { startRedis } from '@chorus/testing';
import { expect, onTestFinished, test } from 'vitest';
import { connectRedis } from './connection/index.ts';
import { fromRedis } from './from-redis.ts';

test('a busy process is not mistaken for a Redis that does not answer', async () => {
  const server = await startRedis();
  onTestFinished(() => server.stop());
  const redis = connectRedis({ url: server.url, cluster: false }, 'request');
  onTestFinished(() => redis.disconnect());
  await redis.ping();

  const answer = fromRedis(redis.ping(), 20);
  const until = performance.now() + 100;
  while (performance.now() < until);
  expect(await answer).toBe('PONG');
  const silent = fromRedis(redis.blpop('nothing', 60), 20);
  await expect(silent).rejects.toMatchObject({ code: 'store_unavailable' });
});
