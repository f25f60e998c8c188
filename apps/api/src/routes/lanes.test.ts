import { connectRedis } from '@chorus/events';
import { createQueuePlaces } from '@chorus/executions';
import { createLanes, type Lanes } from '@chorus/lanes';
import { createLogger } from '@chorus/runtime/log';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { startTestApi, type TestApi } from '../test-api.ts';
import { publishChatModels } from '../test-chat.ts';

const STOPPED = 'openai/stopped-1';
const FULL = 'mistral/full-1';
const signal = new AbortController().signal;

let api: TestApi;
let lanes: Lanes;
let close: () => void;

beforeAll(async () => {
  api = await startTestApi();
  await publishChatModels(api, [STOPPED, FULL]);
  const connect = () => connectRedis(api.config.redis, 'worker');
  const [redis, subscriber] = [connect(), connect()];
  const log = createLogger({ name: 'test', level: 'silent' });
  lanes = createLanes({ redis, subscriber, limits: (lane) => (lane === FULL ? 2 : null), log });
  close = () => {
    lanes.close();
    redis.disconnect();
    subscriber.disconnect();
  };
});
afterAll(async () => {
  close();
  await api.stop();
});

/** Starts a call, as soon as news of a resumed lane have arrived. */
const enter = (lane: string) =>
  vi.waitFor(async () => lanes.enter(lane, { signal, maxWaitMs: 5_000, user: 'one' }), { timeout: 5_000 });
const laneOf = async (lane: string) =>
  (await api.call('GET', '/lanes')).body.data.find((one: { lane: string }) => one.lane === lane);

/** Refuses the key of a call, and waits until the lane is stopped. */
async function stop(lane: string): Promise<void> {
  const pass = await enter(lane);
  pass.stopped('key');
  pass.leave();
  await expect.poll(() => laneOf(lane)).toMatchObject({ reason: 'key', half_open: false });
}

test('lists limits, calls, and waiting jobs of lanes over all queues', async () => {
  const pass = await enter(FULL);
  pass.accepted();
  await expect.poll(() => laneOf(FULL)).toMatchObject({ in_use: 1, accepted: 1 });
  const { redis } = api.services;
  await createQueuePlaces(redis).setLane('text.calls', FULL, { size: 0, closedMs: 60_000, at: 1 });
  const body = { message: 'Hi', model: FULL };
  const { status } = await api.call('POST', '/chat/completions', { body, headers: { prefer: 'respond-async' } });
  expect(status).toBe(200);
  expect(await laneOf(FULL)).toEqual({
    lane: FULL,
    object: 'lane',
    provider: 'mistral',
    model: 'full-1',
    limit: 2,
    set_limit: 2,
    in_use: 1,
    waiting: 1,
    oldest_waiting_ms: expect.any(Number),
    accepted: 1,
    refused: 0,
    failed: 0,
    reason: null,
    since: null,
    until: null,
    half_open: false,
  });
  pass.leave();
  const metrics = (await api.call('GET', '/metrics/platform')).body;
  expect(metrics).toContain(`chorus_lane_limit{lane="${FULL}"} 2`);
  expect(metrics).toContain(`chorus_lane_waiting{lane="${FULL}"} 1`);
  expect(metrics).toContain(`chorus_lane_closed{lane="${FULL}",reason="none"} 0`);
});

test('resumes a stopped lane, and all lanes of a provider, and notes who did it', async () => {
  await stop(STOPPED);
  expect(await laneOf(STOPPED)).toMatchObject({ since: expect.any(String), until: null, half_open: false });
  expect((await api.call('GET', '/metrics/platform')).body).toContain(
    `chorus_lane_closed{lane="${STOPPED}",reason="key"} 1`,
  );
  const resumed = await api.call('POST', '/lanes/resume', { body: { lane: STOPPED } });
  expect(resumed.body.data).toMatchObject([{ lane: STOPPED, half_open: true }]);
  await stop(STOPPED); // the test call was refused, too
  const all = await api.call('POST', '/lanes/resume', { body: { provider: 'openai' } });
  expect(all.body.data).toMatchObject([{ lane: STOPPED, half_open: true }]);
  const pass = await enter(STOPPED);
  pass.accepted();
  pass.leave();
  await expect.poll(async () => (await laneOf(STOPPED)).reason).toBeNull();
  const { data } = (await api.call('GET', '/audit?action=lane.resumed')).body;
  expect(data.map(({ target }: { target: object }) => target)).toEqual([
    { type: 'provider', id: 'openai' },
    { type: 'lane', id: STOPPED },
  ]);
});

test('refuses a lane that nothing has used, and requests that name no lane or both', async () => {
  const resume = async (body: object) => (await api.call('POST', '/lanes/resume', { body })).status;
  expect(await resume({ lane: 'openai/never-used' })).toBe(404);
  expect(await resume({ provider: 'groq' })).toBe(200);
  expect(await resume({})).toBe(400);
  expect(await resume({ lane: STOPPED, provider: 'openai' })).toBe(400);
});
