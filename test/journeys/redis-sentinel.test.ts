import { startRedisSentinel, type TestRedisSentinel } from '@chorus/testing';
import { afterAll, beforeAll, beforeEach, it } from 'vitest';
import { tryFailover } from './failover-trial.ts';
import { type Platform, startPlatform } from './platform.ts';

let redis: TestRedisSentinel;
let platform: Platform;

beforeAll(async () => {
  redis = await startRedisSentinel();
  platform = await startPlatform({ textWorkers: 2, systemWorkers: 1, env: { REDIS_URL: redis.url } });
});
afterAll(async () => {
  await platform?.stop();
  await redis?.stop();
});
beforeEach(() => platform.showLogsOnFailure());

it('streams end well when the primary behind sentinels dies with its last writes', { timeout: 120_000 }, async () => {
  await tryFailover({
    name: 'sentinel',
    platform,
    cutOff: () => redis.cutOffReplica(),
    kill: () => redis.killPrimary(),
  });
});
