import { createLogger } from '@chorus/runtime/log';
import { startRedis } from '@chorus/testing';
import { expect, onTestFinished, test, vi } from 'vitest';
import { connectRedis } from './connect-redis.ts';
import { warnOfEviction } from './warn-of-eviction.ts';

test('names an eviction policy, which would delete queued work', async () => {
  const server = await startRedis();
  const config = { url: server.url, cluster: false };
  const redis = connectRedis(config, 'worker');
  onTestFinished(async () => {
    redis.disconnect();
    await server.stop();
  });
  const log = createLogger({ name: 'test', level: 'silent' });
  const warn = vi.spyOn(log, 'warn');
  await warnOfEviction(redis, config, log);
  expect(warn).not.toHaveBeenCalled();
  await redis.config('SET', 'maxmemory-policy', 'allkeys-lru');
  await warnOfEviction(redis, config, log);
  expect(warn).toHaveBeenCalledWith(expect.stringMatching(/^REDIS_URL: .*allkeys-lru.*noeviction$/));
});
