import { startRedisSentinel, type TestRedisSentinel } from '@chorus/testing';
import { afterAll, beforeAll, beforeEach, it } from 'vitest';
import { testFailover } from './failover.ts';
import { type Platform, startPlatform } from './platform.ts';

let redis: TestRedisSentinel;
let platform: Platform;

beforeAll(async () => {
  redis = await startRedisSentinel();
  platform = await startPlatform({ maintenance: 1, env: { REDIS_URL: redis.url } });
});
afterAll(async () => {
  await platform?.stop();
  await redis?.stop();
});
beforeEach(() => platform.showLogsOnFailure());

it('completes streams when a primary behind Sentinel dies with unreplicated writes', { timeout: 120_000 }, async () => {
  await testFailover({
    name: 'sentinel',
    platform,
    cutOff: () => redis.cutOffReplica(),
    kill: () => redis.killPrimary(),
  });
});
