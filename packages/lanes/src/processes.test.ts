import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { disownLanes } from './read-lanes.ts';
import { enter, fail, freshLane, refusal, startProcesses } from './test-lanes.ts';

/** The program of a process that holds as many places of a lane as it is asked for. */
const PROCESS = `
import { connectRedis } from '@chorus/events';
import { createLogger } from '@chorus/runtime/log';
import { createLanes } from '@chorus/lanes';
const { redisUrl, limit } = JSON.parse(process.argv[2]);
const log = createLogger({ name: 'test', level: 'silent' });
const connect = () => connectRedis({ url: redisUrl, cluster: false }, 'worker');
const lanes = createLanes({ redis: connect(), subscriber: connect(), limits: () => limit, log });
await lanes.ready();
process.on('message', async ({ lane, calls }) => {
  const options = { signal: new AbortController().signal, maxWaitMs: 20000, user: 'x' };
  for (let held = 0; held < calls; held += 1) await lanes.enter(lane, options);
  process.send('held');
});
process.send('ready');
`;

const LIMIT = 3;
let folder: string;
let processes: Awaited<ReturnType<typeof startProcesses>>;

beforeAll(async () => {
  folder = mkdtempSync(join(fileURLToPath(new URL('..', import.meta.url)), '.process-'));
  writeFileSync(join(folder, 'process.mjs'), PROCESS);
  processes = await startProcesses();
});
afterAll(async () => {
  rmSync(folder, { recursive: true, force: true });
  await processes.stop();
});

/** Starts a process that takes places of a lane, and returns a function that crashes it. */
async function holdIn(lane: string, calls: number, limit: number | null): Promise<() => Promise<void>> {
  const child = fork(join(folder, 'process.mjs'), [JSON.stringify({ redisUrl: processes.redis.url, limit })]);
  await once(child, 'message');
  child.send({ lane, calls });
  await once(child, 'message');
  return async () => {
    const exited = once(child, 'exit');
    child.kill('SIGKILL');
    await exited;
  };
}

test('the places of a killed process become free', async () => {
  const lane = freshLane();
  const kill = await holdIn(lane, LIMIT, LIMIT);
  const lanes = await processes.start({ limits: () => LIMIT });
  let isWaiting = true;
  const waiting = enter(lanes, lane).finally(() => {
    isWaiting = false;
  });
  // It waits for longer than a lease lasts that is not renewed.
  const state = async () => (await lanes.read([lane]))[0];
  const since = (await state())!.at;
  await expect.poll(async () => (await state())!.at - since, { interval: 200 }).toBeGreaterThan(5_000_000);
  expect(isWaiting).toBe(true);
  await kill();
  (await waiting).leave();
  await expect.poll(async () => (await state())?.inUse).toBe(0);
});

test('the places of a process that is known to be dead become free at once', async () => {
  const lane = freshLane();
  const dead = await processes.start({ limits: () => LIMIT, process: 'dead' });
  const lanes = await processes.start({ limits: () => LIMIT });
  for (let count = 0; count < LIMIT; count += 1) await enter(dead, lane);
  const waiting = enter(lanes, lane);
  await expect.poll(async () => (await lanes.read([lane]))[0]?.reason).toBe('busy');
  const startedAt = performance.now();
  await disownLanes(processes.connect(), ['dead']);
  (await waiting).leave();
  // Its lease would have lasted for longer.
  expect(performance.now() - startedAt).toBeLessThan(3_000);
});

test('another call probes when the process of a probe was killed', async () => {
  const lane = freshLane();
  const lanes = await processes.start({ timeFactor: 0.05 });
  await fail(lanes, lane, 5);
  await expect.poll(async () => (await lanes.read([lane]))[0]?.halfOpen).toBe(true);
  const kill = await holdIn(lane, 1, null);
  expect(await refusal(lanes, lane, 50)).toMatchObject({ reason: 'away' });
  await kill();
  const probe = await enter(lanes, lane);
  probe.ended();
  probe.leave();
  await expect.poll(async () => (await lanes.read([lane]))[0]).toMatchObject({ reason: null, halfOpen: false });
});
