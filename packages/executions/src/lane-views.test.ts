import { connectRedis, type RedisConnection } from '@chorus/events';
import { createLanes, type LanePass, type Lanes } from '@chorus/lanes';
import { createLogger } from '@chorus/runtime/log';
import { startRedis, type TestRedis } from '@chorus/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { LaneReader } from './lane-views.ts';

let server: TestRedis;
let redis: RedisConnection;
let subscriber: RedisConnection;
let lanes: Lanes;

const connect = () => {
  const connection = connectRedis({ url: server.url, cluster: false }, 'worker');
  connection.on('error', () => undefined);
  return connection;
};

beforeAll(async () => {
  server = await startRedis();
  [redis, subscriber] = [connect(), connect()];
  const log = createLogger({ name: 'test', level: 'silent' });
  lanes = createLanes({ redis, subscriber, limits: () => 1, log });
  await lanes.ready();
});
afterAll(async () => {
  lanes.close();
  redis.disconnect();
  subscriber.disconnect();
  await server.stop();
});

const enter = async (lane: string): Promise<LanePass> =>
  lanes.enter(lane, { signal: new AbortController().signal, maxWaitMs: 20_000, user: 'one' });

const viewOf = async (lane: string) => (await new LaneReader(redis).read([lane])).get(lane);

/** Waits until Redis knows what a lane's process has reported. */
const untilReason = (lane: string, reason: string | null) =>
  expect.poll(async () => (await viewOf(lane))?.waiting?.reason ?? null, { timeout: 20_000 }).toBe(reason);

test('an open lane with room is not waited for, and a full one is', async () => {
  expect(await viewOf('openai/full')).toEqual({ waiting: null, opensAt: expect.any(Number) });
  const pass = await enter('openai/full');
  await untilReason('openai/full', 'busy');
  expect((await viewOf('openai/full'))?.waiting).toEqual({ reason: 'busy', provider: 'openai', until: null });
  pass.accepted();
  pass.leave();
  await untilReason('openai/full', null);
});

test('a lane that is away says until when, and a stopped one does not know', async () => {
  for (let failures = 0; failures < 5; failures += 1) {
    const pass = await enter('groq/away');
    pass.failed();
    pass.leave();
  }
  await untilReason('groq/away', 'away');
  const pass = await enter('mistral/stopped');
  pass.stopped('key');
  pass.leave();
  await untilReason('mistral/stopped', 'key');
  expect(await viewOf('mistral/stopped')).toEqual({
    waiting: { reason: 'key', provider: 'mistral', until: null },
    opensAt: null,
  });
});

test('states are remembered for a moment, and nothing is shown while Redis is down', async () => {
  const reader = new LaneReader(redis);
  expect([...(await reader.read(['openai/one', null, 'openai/one'])).keys()]).toEqual(['openai/one']);
  const closed = connect();
  closed.disconnect();
  const blind = new LaneReader(closed);
  expect((await blind.read(['openai/one'])).size).toBe(0);
  const again = performance.now();
  expect((await blind.read(['openai/one'])).size).toBe(0);
  expect(performance.now() - again).toBeLessThan(400);
});
