export { expectedText } from './fake-behaviour.ts';
export { type FakeOpenAI, type FakeOpenAIOptions, startFakeOpenAI } from './fake-openai.ts';
export type { FakeRequest } from './fake-server.ts';
export { dropDatabases, storeIsGiven } from './given-store.ts';
export { startRedis, type TestRedis } from './start-redis.ts';
export { startRedisCluster, type TestRedisCluster } from './start-redis-cluster.ts';
export { startRedisSentinel, type TestRedisSentinel } from './start-redis-sentinel.ts';
export { startStore, type TestStore } from './start-store.ts';
