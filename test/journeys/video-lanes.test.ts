import { type FakeProvider, startFakeProvider } from '@chorus/testing';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { type Platform, startPlatform } from './platform.ts';
import { poll } from './poll.ts';

/** More than the ten that a lane begins with. */
const MANY = 16;
const FEW = 12;

/** Videos are stored by this machine, which takes some time for all of them. */
const STORED_MS = 150_000;

let platform: Platform;
let fal: FakeProvider;

beforeAll(async () => {
  fal = await startFakeProvider('fal');
  platform = await startPlatform({
    textWorkers: 0,
    mediaWorkers: 2,
    maintenance: 1,
    env: { FAL_API_KEY: 'test-key', FAL_BASE_URL: fal.url },
  });
});
afterAll(async () => {
  await platform?.stop();
  await fal?.close();
});
beforeEach(() => platform.showLogsOnFailure());

/** Requests videos of one model, and returns their jobs. */
async function request(model: string, count: number): Promise<string[]> {
  const asked = Array.from({ length: count }, (_, at) =>
    platform.client.call('POST', '/iris/video', {
      body: { model: `fal/fal-ai/${model}`, prompt: `video ${at}` },
      headers: { prefer: 'respond-async' },
    }),
  );
  const answers = await Promise.all(asked);
  expect(answers.filter(({ status }) => status !== 200)).toEqual([]);
  return answers.map(({ body }) => body.id);
}

const ended = (ids: string[]) =>
  Promise.all(ids.map(async (id) => (await platform.client.waitForJob(id, undefined, STORED_MS)).status)).then(
    (statuses) => new Set(statuses),
  );

it('makes as many videos at once as the provider takes', async () => {
  fal.limits.change({ videoMs: 3_000, concurrent: MANY });
  const before = fal.limits.counts;
  const ids = await request('plain-video@many', MANY);
  await poll('all videos are being made', () => fal.limits.counts.running === MANY || undefined);
  expect(await ended(ids)).toEqual(new Set(['succeeded']));
  const { accepted, refused } = fal.limits.counts;
  expect([accepted - before.accepted, refused - before.refused]).toEqual([MANY, 0]);
}, 200_000);

it('makes no more videos at once than the provider takes, also after a kill', async () => {
  fal.limits.change({ videoMs: 1_500, concurrent: 5 });
  const before = fal.limits.counts;
  const ids = await request('plain-video@few', FEW);
  await poll('videos are being made', () => fal.limits.counts.accepted - before.accepted >= 8 || undefined);
  await platform.mediaWorkers[0]?.end('SIGKILL');
  await platform.mediaWorkers[0]?.start();
  expect(await ended(ids)).toEqual(new Set(['succeeded']));
  const { accepted, refused } = fal.limits.counts;
  expect(accepted - before.accepted).toBe(FEW);
  expect(refused - before.refused).toBeLessThan(20);
}, 200_000);
