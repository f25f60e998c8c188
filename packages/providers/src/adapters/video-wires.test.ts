import { buffer, text } from 'node:stream/consumers';
import { CLIP_MP4, FAKE_IMAGE, type FakeProvider } from '@chorus/testing';
import { describe, expect, test } from 'vitest';
import type { CallOptions, VideoCall, VideoState } from '../provider-port.ts';
import type { Providers } from '../providers.ts';
import { callsTo, PLANTED_KEY, startFake } from '../test-providers.ts';

const options: CallOptions = { signal: new AbortController().signal, executionId: 'job_test' };

type Made = Extract<VideoState, { status: 'made' }>;

async function film(providers: Providers, model: string, more: Partial<VideoCall> = {}) {
  const started = await providers.startVideo({ model, prompt: 'a cat', durationS: 5, ...more }, options);
  const operation = JSON.parse(JSON.stringify(started.operation)); // as if read from a record
  return { started, poll: () => providers.pollVideo({ model, operation }, options), request: { model, operation } };
}

const startOf = (fake: FakeProvider) => callsTo(fake).find(({ method }) => method === 'POST');

describe.each([
  ['fal', 'fal-ai/'],
  ['google', ''],
] as const)('%s', (name, prefix) => {
  const model = (how: string) => `${name}/${prefix}${how}@veo-video`;

  test('is submitted, polled and fetched', async () => {
    const { fake, providers } = await startFake(name);
    const { poll } = await film(providers, model('plain'));
    expect(await poll()).toEqual({ status: 'pending' });
    const state = (await poll()) as Made;
    expect(state).toMatchObject({ status: 'made', mediaType: 'video/mp4' });
    expect(await buffer(await state.open(options))).toEqual(CLIP_MP4);
    const sent = JSON.stringify([state, fake.requests.map(({ path, query }) => [path, query])]);
    expect(sent).not.toContain(PLANTED_KEY); // it is sent as a header only
  });

  test('fails for good if refused later, in the provider’s words', async () => {
    const { providers } = await startFake(name);
    const { poll } = await film(providers, model('then-refuse'));
    expect(await poll()).toEqual({ status: 'pending' });
    const state = await poll();
    expect(state).toMatchObject({ status: 'failed', error: { code: 'content_refused' } });
    expect((state as { error: Error }).error.message).toMatch(/rejected|issue with your prompt/);
  });

  test.each(['then-fail-503-once', 'then-fail-429-once'])('%s does not affect the video', async (how) => {
    const { fake, providers } = await startFake(name);
    const { poll } = await film(providers, model(how));
    expect(await poll()).toEqual({ status: 'pending' });
    expect(await poll()).toMatchObject({ status: 'made' });
    expect(fake.requests.filter(({ method }) => method === 'POST')).toHaveLength(1);
  });

  test('stays pending if it never ends', async () => {
    const { providers } = await startFake(name);
    const { poll } = await film(providers, model('then-never'));
    for (let times = 0; times < 5; times += 1) expect(await poll()).toEqual({ status: 'pending' });
  });

  test('throws provider errors, so that polling can continue', async () => {
    const { providers } = await startFake(name);
    const { poll } = await film(providers, model('then-fail-503'));
    await poll();
    await expect(poll()).rejects.toMatchObject({ code: 'provider_unavailable' });
  });

  test.each([
    ['file-fail-503', 'provider_error'],
    ['file-cut-after-1', 'provider_error'],
    ['file-hang', 'timeout'],
  ])('a download that fails: %s', async (how, code) => {
    const { providers } = await startFake(name, { idleTimeoutMs: how.endsWith('hang') ? 200 : 5_000 });
    const { poll } = await film(providers, model(how));
    await poll();
    const read = async () => text(await ((await poll()) as Made).open(options));
    const error = await read().catch((thrown) => thrown);
    expect(error).toMatchObject({ name: 'ChorusError', code });
    expect(String(error.message)).not.toMatch(/https?:|files/);
  });

  test('does not resubmit a video that may have been accepted', async () => {
    const { fake, providers } = await startFake(name);
    await expect(film(providers, model('cut-after-1'))).rejects.toMatchObject({ code: 'provider_error' });
    await expect(film(providers, model('fail-504'))).rejects.toMatchObject({ code: 'provider_unavailable' });
    expect(callsTo(fake)).toHaveLength(2);
    await film(providers, model('fail-503-once'));
    await film(providers, model('fail-429-retry-after-1-once'));
  });

  test('a signal ends a download', async () => {
    const { fake, providers } = await startFake(name);
    const { poll } = await film(providers, model('file-hang'));
    await poll();
    const state = (await poll()) as Made;
    const controller = new AbortController();
    const opening = state.open({ ...options, signal: controller.signal });
    const downloads = name === 'google' ? 2 : 1; // one of them redirects
    await fake.received(fake.requests.length + downloads);
    const reason = new Error('cancelled');
    controller.abort(reason);
    await expect(opening).rejects.toBe(reason);
  });
});

test('sends fal only supported options, with a start image, and cancels', async () => {
  const { fake, providers } = await startFake('fal');
  const image = { bytes: FAKE_IMAGE, mediaType: 'image/png' };
  const kling = await film(providers, 'fal/fal-ai/kling-video/v2/image-to-video', {
    durationS: 4,
    seed: 7,
    size: { width: 1280, height: 720 },
    fps: 30,
    image,
  });
  expect(startOf(fake)?.body).toMatchObject({ duration: '5', seed: 7, aspect_ratio: '16:9' });
  expect(startOf(fake)?.body.image_url).toContain(FAKE_IMAGE.toString('base64'));
  expect(kling.started.warnings).toHaveLength(3);
  const minimax = await film(providers, 'fal/fal-ai/minimax/video-01');
  expect(minimax.started.usage.cost_usd).toBe(0.5);
  expect(callsTo(fake).at(-1)?.body).toEqual({ prompt: 'a cat' });
  await expect(film(providers, 'fal/fal-ai/minimax/video-01', { image })).rejects.toMatchObject({
    code: 'invalid_request',
  });

  await providers.cancelVideo(minimax.request, options);
  const { method, path, headers } = callsTo(fake).at(-1)!;
  expect([method, path]).toEqual(['PUT', expect.stringMatching(/\/requests\/.+\/cancel$/)]);
  expect(headers.authorization).toBe(`Key ${PLANTED_KEY}`);
});

test('sends google only options that Veo supports', async () => {
  const { fake, providers } = await startFake('google');
  const { started, request } = await film(providers, 'google/veo-3.0-generate-001', {
    durationS: 5,
    size: { width: 1000, height: 1000 },
    image: { bytes: FAKE_IMAGE, mediaType: 'image/png' },
  });
  const body = startOf(fake)?.body as { parameters: object; instances: [{ image: object }] };
  expect(body.parameters).toMatchObject({ durationSeconds: 6, aspectRatio: '16:9', resolution: '720p' });
  expect(body.instances[0].image).toEqual({ bytesBase64Encoded: FAKE_IMAGE.toString('base64'), mimeType: 'image/png' });
  expect(started.warnings).toHaveLength(2);
  expect(started.usage.cost_usd).toBe(2.4);
  await providers.cancelVideo(request, options); // nothing to poll
  expect(callsTo(fake)).toHaveLength(1);
});

test('lists google’s video models, and knows which models render here', async () => {
  const { providers } = await startFake('google');
  await expect
    .poll(() => providers.models())
    .toContainEqual(expect.objectContaining({ id: 'google/veo-test', capabilities: ['video'] }));
  expect(await providers.rendersVideos('google/veo-test')).toBe(false);
});
