import { buffer } from 'node:stream/consumers';
import { type AssetFacts, type IrisVideoInput, newId } from '@chorus/contract';
import { LaneWait, type Providers } from '@chorus/providers';
import { CLIP_MP4, FAKE_IMAGE, type FakeProvider, startFakeProvider } from '@chorus/testing';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { personal, startTestMedia, type TestAttempt, type TestMedia } from './test-media.ts';

let media: TestMedia;
let fakes: Record<'fal' | 'google', FakeProvider>;
let providers: Providers;

const videoTimes = {
  firstPauseMs: 10,
  maxPauseMs: 30,
  maxErrorsMs: 10_000,
  downloadMs: 5_000,
  startGraceMs: 60_000,
};

beforeAll(async () => {
  const [own, fal, google] = await Promise.all([
    startTestMedia(),
    startFakeProvider('fal'),
    startFakeProvider('google'),
  ]);
  media = own;
  fakes = { fal, google };
  providers = await media.providers({ fal: fal.url, google: google.url });
});
afterAll(async () => {
  await Promise.all([media.stop(), fakes.fal.close(), fakes.google.close()]);
});

const input = (model: string, more: Partial<IrisVideoInput> = {}): IrisVideoInput => ({
  model,
  prompt: 'A cat',
  duration_s: 6,
  fps: null,
  size: null,
  seed: null,
  image_asset_id: null,
  ...more,
});

const stagesOf = ({ events }: TestAttempt) => [
  ...new Set(events.flatMap((event) => (event.type === 'progress' ? [event.progress.stage] : []))),
];

const NAMES = [
  ['fal', 'fal/fal-ai/'],
  ['google', 'google/'],
] as const;

describe.each(NAMES)('%s', (name, prefix) => {
  /** Uses a model name that is unique to one test, to count its requests. */
  const start = (how: string, more: Parameters<TestMedia['attempt']>[3] = {}, times = videoTimes) => {
    const id = `${how}@veo-video-${newId('job').slice(-8)}`;
    const request = input(`${prefix}${id}`);
    const begin = (again: Parameters<TestMedia['attempt']>[3] = {}) =>
      media.attempt('iris.video', request, { providers, videoTimes: times }, { ...more, ...again });
    const asked = (method: string) =>
      fakes[name].requests.filter((request) => request.method === method && request.path.includes(id));
    return { attempt: begin(), again: begin, asked };
  };

  test('makes, downloads, signs, and stores a video with its first frame', async () => {
    const owner = personal();
    const executionId = newId('job');
    const { attempt, asked } = start('plain', { owner, executionId });
    const result = await attempt.result;
    expect(result.output).toEqual([{ type: 'asset', asset: expect.objectContaining({ kind: 'video' }) }]);
    const { asset } = result.output[0] as { asset: AssetFacts };
    expect(asset).toMatchObject({
      mime_type: 'video/mp4',
      width: 64,
      height: 96,
      duration_ms: 1_000,
      filename: 'a-cat-1.mp4',
    });
    expect(stagesOf(attempt)).toEqual(['starting', 'queued', 'rendering', 'downloading', 'storing']);
    const record = await media.assets.get(owner, asset.id);
    expect(record?.thumbnail).toBe('stored');
    expect((await buffer(await media.assets.read(record!))).length).toBeGreaterThan(CLIP_MP4.length);
    expect(await media.provenance.findByContent(owner, asset.sha256)).toMatchObject([{ execution_id: executionId }]);
    expect(asked('POST')).toHaveLength(1);
    expect(result.warnings?.every((warning) => !/https?:/.test(warning))).toBe(true);
  });

  test('resumes a requested video after a takeover, and pays nothing twice', async () => {
    const { attempt, again, asked } = start('then-never');
    await expect.poll(() => stagesOf(attempt)).toContain('rendering');
    attempt.stop('handback');
    await expect(attempt.result).rejects.toMatchObject({ kind: 'handback' });
    const checkpoint = attempt.checkpoint();
    expect(checkpoint).toMatchObject({ stage: 'started' });
    expect(JSON.stringify(checkpoint)).not.toContain('"key"');
    const next = again({ checkpoint });
    await expect.poll(() => stagesOf(next)).toContain('rendering');
    expect(asked('POST')).toHaveLength(1);
    expect(asked('PUT')).toHaveLength(0); // handed back, not cancelled
    next.stop('cancelled');
    await expect(next.result).rejects.toMatchObject({ kind: 'cancelled' });
    if (name === 'fal') await expect.poll(() => asked('PUT')).toHaveLength(1);
  });

  test('does not request a video again when the worker died during the request', async () => {
    const { attempt, again, asked } = start('hang', {}, { ...videoTimes, startGraceMs: 50 });
    await expect.poll(() => asked('POST')).toHaveLength(1);
    expect(attempt.checkpoint()).toEqual({ stage: 'starting' }); // killed here
    const next = again({ checkpoint: attempt.checkpoint() });
    await expect(next.result).rejects.toMatchObject({
      code: 'worker_lost',
      message: expect.stringContaining('not requested again'),
    });
    attempt.stop('refused');
    await expect(attempt.result).rejects.toMatchObject({ kind: 'refused' });
    expect(asked('POST')).toHaveLength(1);
  });

  test('may be requested after it went back to its queue', async () => {
    const { attempt, again, asked } = start('fail-429-retry-after-9-once');
    await expect(attempt.result).rejects.toBeInstanceOf(LaneWait);
    expect(attempt.checkpoint()).toBeNull();
    expect((await again({ checkpoint: attempt.checkpoint() }).result).output).toHaveLength(1);
    expect(asked('POST')).toHaveLength(2);
  });

  test('waits for the response when stopped during the request', async () => {
    const { attempt, again } = start('plain', { onSave: (value) => stopAt(value) });
    const stopAt = (value: unknown) => {
      if ((value as { stage: string }).stage === 'starting') setImmediate(() => attempt.stop('handback'));
    };
    await expect(attempt.result).rejects.toMatchObject({ kind: 'handback' });
    // Either the signal came before the call, or the operation is saved.
    const { stage } = attempt.checkpoint() as { stage: string };
    expect(stage).toBe('started');
    expect((await again({ checkpoint: attempt.checkpoint() }).result).output).toHaveLength(1);
  });

  test('does not request what is already stored', async () => {
    const owner = personal();
    const executionId = newId('job');
    const { attempt, again, asked } = start('plain', { owner, executionId });
    const result = await attempt.result;
    const before = asked('GET').length;
    expect(await again({ checkpoint: attempt.checkpoint() }).result).toMatchObject({ output: result.output });
    expect(asked('GET')).toHaveLength(before);
  });

  test.each([
    ['refuse', 'content_refused'],
    ['then-refuse', 'content_refused'],
    ['fail-401', 'provider_auth'],
    ['file-fail-404', 'provider_error'],
  ])('%s fails with %s', async (how, code) => {
    const { attempt } = start(how);
    await expect(attempt.result).rejects.toMatchObject({ name: 'ChorusError', code });
  });

  test('retries provider errors up to a time limit', async () => {
    const { attempt } = start('then-fail-503-once');
    expect((await attempt.result).output).toHaveLength(1);
    const { attempt: never } = start('then-fail-503', {}, { ...videoTimes, maxErrorsMs: 0 });
    await expect(never.result).rejects.toMatchObject({ code: 'provider_unavailable' });
  });

  test('gives up a download that does not end', async () => {
    const { attempt } = start('file-hang', {}, { ...videoTimes, downloadMs: 50 });
    await expect(attempt.result).rejects.toMatchObject({ code: 'timeout' });
  });
});

test('draws with embedded/canvas-video from a start image and reports progress', async () => {
  const owner = personal();
  const given = await media.assets.create({ owner, body: FAKE_IMAGE, filename: 'first.png' });
  const request = input('embedded/canvas-video', {
    duration_s: 0.5,
    fps: 10,
    size: { width: 65, height: 64 },
    seed: 1,
    image_asset_id: given.id,
  });
  const attempt = media.attempt('iris.video', request, { providers }, { owner });
  const result = await attempt.result;
  const { asset } = result.output[0] as { asset: AssetFacts };
  expect(asset).toMatchObject({ kind: 'video', mime_type: 'video/mp4', width: 64, height: 64, duration_ms: 500 });
  expect(result.warnings).toEqual([expect.stringContaining('64 x 64')]);
  expect(stagesOf(attempt)).toEqual(['starting', 'rendering', 'storing']);
  const frames = attempt.events.flatMap((event) =>
    event.type === 'progress' && event.progress.total === 5 ? [event.progress.completed] : [],
  );
  expect(frames.at(-1)).toBe(5);
  expect(attempt.checkpoint()).toBeNull(); // restarting costs nothing
  expect((await media.assets.get(owner, asset.id))?.thumbnail).toBe('stored');
  const signed = await buffer(await media.assets.read((await media.assets.get(owner, asset.id))!));
  expect(signed.includes('c2pa')).toBe(true);
  // A deleted image cannot be used.
  await media.assets.remove(owner, given.id);
  await expect(media.attempt('iris.video', request, { providers }, { owner }).result).rejects.toMatchObject({
    code: 'invalid_request',
  });
});
