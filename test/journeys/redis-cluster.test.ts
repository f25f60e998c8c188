import { startRedisCluster, type TestRedisCluster } from '@chorus/testing';
import { afterAll, beforeAll, beforeEach, it } from 'vitest';
import { testFailover } from './failover.ts';
import { type Platform, startPlatform } from './platform.ts';

let cluster: TestRedisCluster;
let platform: Platform;

beforeAll(async () => {
  cluster = await startRedisCluster({ replicas: 1 });
  const env = { REDIS_URL: cluster.url, REDIS_CLUSTER: 'true', QUEUE_SHARDS: '6' };
  platform = await startPlatform({ maintenance: 1, env });
});
afterAll(async () => {
  await platform?.stop();
  await cluster?.stop();
});
beforeEach(() => platform.showLogsOnFailure());

it('completes streams when a Redis Cluster primary dies with unreplicated writes', { timeout: 120_000 }, async () => {
  let victim = 0;
  await testFailover({
    name: 'cluster',
    platform,
    cutOff: async (random) => {
      victim = random.between(0, 2);
      await cluster.cutOffReplicas(victim);
    },
    kill: () => cluster.kill(victim),
  });
});
