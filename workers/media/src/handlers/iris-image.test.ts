import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { type AssetFacts, ChorusError, type IrisImageInput, newId } from '@chorus/contract';
import { LaneWait, type Providers } from '@chorus/providers';
import { FAKE_IMAGE, type FakeOpenAI, type FakeProvider, startFakeOpenAI, startFakeProvider } from '@chorus/testing';
import sharp from 'sharp';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { personal, startTestMedia, type TestAttempt, type TestMedia } from './test-media.ts';

let media: TestMedia;
let openai: FakeOpenAI;
let fal: FakeProvider;
let providers: Providers;

beforeAll(async () => {
  [media, openai, fal] = await Promise.all([startTestMedia(), startFakeOpenAI(), startFakeProvider('fal')]);
  providers = await media.providers({ openai: openai.url, fal: fal.url });
});
afterAll(async () => {
  await Promise.all([media.stop(), openai.close(), fal.close()]);
});

const input = (model: string, more: Partial<IrisImageInput> = {}): IrisImageInput => ({
  model,
  prompts: ['a cat'],
  n: 1,
  size: null,
  seed: null,
  negative_prompt: null,
  reference_asset_ids: [],
  ...more,
});

const itemsOf = ({ events }: TestAttempt) =>
  events.flatMap((event) => (event.type === 'output.item' ? [{ index: event.index, item: event.item }] : []));
const progressOf = ({ events }: TestAttempt) =>
  events.flatMap((event) => (event.type === 'progress' ? [event.progress.completed] : []));

/** A provider that records its calls. */
function drawing(make: (prompt: string, seed: number | undefined) => Promise<void> | void = () => undefined) {
  const calls: { prompt: string; seed: number | undefined }[] = [];
  const generateImage: Providers['generateImage'] = async ({ prompt, seed }) => {
    calls.push({ prompt, seed });
    await make(prompt, seed);
    const usage = { input_tokens: 1, output_tokens: 10, total_tokens: 11, cost_usd: 0.04 };
    return { bytes: FAKE_IMAGE, usage, warnings: ['It takes no seed.'] };
  };
  return { calls, providers: { ...providers, generateImage } };
}

test('makes, signs, stores, records, and shows an image', async () => {
  const owner = personal();
  const executionId = newId('job');
  const size = { width: 1024, height: 1024 };
  const attempt = media.attempt(
    'iris.image',
    input('openai/gpt-image-1', { size, seed: 7 }),
    { providers },
    { owner, executionId },
  );
  const result = await attempt.result;
  expect(result).toMatchObject({
    model: 'openai/gpt-image-1',
    provider: 'openai',
    usage: { total_tokens: 1_059, cost_usd: 0.042255 },
    warnings: [expect.stringContaining('seed')],
    output: [
      {
        type: 'asset',
        asset: { kind: 'image', mime_type: 'image/png', width: 16, height: 16, filename: 'a-cat-1.png' },
      },
    ],
  });
  expect(itemsOf(attempt)).toEqual([{ index: 0, item: result.output[0] }]);
  expect(progressOf(attempt)).toEqual([0, 1]);
  expect(attempt.checkpoint()).toBeNull();
  const { asset } = result.output[0] as { asset: AssetFacts };
  const record = await media.assets.get(owner, asset.id);
  const bytes = await buffer(await media.assets.read(record!));
  expect(bytes.includes('c2pa')).toBe(true);
  expect(await sharp(bytes).raw().toBuffer()).toEqual(await sharp(FAKE_IMAGE).raw().toBuffer());
  expect(await media.provenance.findByContent(owner, asset.sha256)).toMatchObject([{ execution_id: executionId }]);
});

test('makes several images of several prompts in order, with increasing seeds', async () => {
  const { calls, providers: own } = drawing();
  const request = input('openai/x', { prompts: ['a cat', 'a dog'], n: 3, seed: 2_147_483_646 });
  const attempt = media.attempt('iris.image', request, { providers: own });
  const result = await attempt.result;
  expect(result.output).toHaveLength(6);
  expect(result).toMatchObject({ usage: { total_tokens: 66, cost_usd: 0.24 }, warnings: ['It takes no seed.'] });
  const names = result.output.map((item) => (item.type === 'asset' ? item.asset.filename : ''));
  expect(names).toEqual(['a-cat-1.png', 'a-cat-2.png', 'a-cat-3.png', 'a-dog-4.png', 'a-dog-5.png', 'a-dog-6.png']);
  expect(calls.map(({ seed }) => seed)).toEqual([2_147_483_646, 2_147_483_647, 0, 1, 2, 3]);
  expect(progressOf(attempt)).toEqual([0, 1, 2, 3, 4, 5, 6]);
});

test('makes only missing images after a takeover, and reports all', async () => {
  const owner = personal();
  const executionId = newId('job');
  const request = input('openai/x', { prompts: ['one', 'two', 'three'], n: 2 });
  let died!: () => void;
  const dying = new Promise<void>((resolve) => {
    died = resolve;
  });
  // All calls from the fourth on hang, as in a killed worker.
  const first = drawing(() => {
    if (first.calls.length < 4) return;
    died();
    return new Promise(() => {});
  });
  const lost = media.attempt('iris.image', request, { providers: first.providers }, { owner, executionId });
  await dying;
  await expect.poll(() => itemsOf(lost)).toHaveLength(3);
  const made = itemsOf(lost).map(({ index }) => index);

  const second = drawing();
  const checkpoint = lost.checkpoint();
  const attempt = media.attempt(
    'iris.image',
    request,
    { providers: second.providers },
    { owner, executionId, checkpoint },
  );
  const result = await attempt.result;
  expect(second.calls).toHaveLength(3);
  expect(result.output).toHaveLength(6);
  expect(result.usage.total_tokens).toBe(66);
  expect(progressOf(attempt)).toEqual([3, 4, 5, 6]);
  expect(
    itemsOf(attempt)
      .slice(0, 3)
      .map(({ index }) => index),
  ).toEqual(made.sort());
  expect(await media.assets.ofExecution(owner, executionId)).toHaveLength(6);
});

test('goes back to its queue with the images that it has, and makes none twice', async () => {
  const owner = personal();
  const executionId = newId('job');
  const request = input('openai/x', { prompts: ['a'], n: 6, seed: 1 });
  const first = drawing((_, seed) => {
    if ((seed ?? 0) % 3 === 0) throw new LaneWait('openai/x', 'busy', 0);
  });
  const attempt = media.attempt('iris.image', request, { providers: first.providers }, { owner, executionId });
  await expect(attempt.result).rejects.toBeInstanceOf(LaneWait);
  const made = itemsOf(attempt).length;
  expect(made).toBeGreaterThan(0);
  const second = drawing();
  const checkpoint = attempt.checkpoint();
  const again = { owner, executionId, checkpoint };
  const { output, usage } = await media.attempt('iris.image', request, { providers: second.providers }, again).result;
  expect(output).toHaveLength(6);
  expect(second.calls).toHaveLength(6 - made);
  expect(usage.total_tokens).toBe(66);
});

test('yields its slot between images, and makes none twice', async () => {
  const owner = personal();
  const executionId = newId('job');
  const { calls, providers: own } = drawing();
  const request = input('openai/x', { prompts: ['a'], n: 10, seed: 1 });
  let checkpoint: unknown = null;
  let turns = 0;
  for (let isDone = false; !isDone; turns += 1) {
    const attempt = media.attempt(
      'iris.image',
      request,
      { providers: own },
      { owner, executionId, checkpoint, isWanted: true },
    );
    isDone = await attempt.result.then(
      ({ output }) => output.length === 10,
      (error) => {
        expect(error).toMatchObject({ kind: 'yield' });
        return false;
      },
    );
    checkpoint = attempt.checkpoint();
    expect(turns).toBeLessThan(11);
  }
  expect(turns).toBeGreaterThan(1);
  expect(calls.map(({ seed }) => seed).sort()).toEqual(Array.from({ length: 10 }, (_, at) => at + 1).sort());
});

test('keeps the other images when one is refused', async () => {
  const { calls, providers: own } = drawing((prompt) => {
    if (prompt === 'bad') throw new ChorusError('content_refused', 'Not that.');
  });
  const attempt = media.attempt('iris.image', input('openai/x', { prompts: ['a', 'bad', 'c', 'd', 'e', 'f'] }), {
    providers: own,
  });
  await expect(attempt.result).rejects.toMatchObject({
    code: 'content_refused',
    message: '1 of 6 images failed: Not that.',
    details: [{ path: 'output.1', message: 'Not that.' }],
  });
  expect(calls).toHaveLength(6);
  expect(
    itemsOf(attempt)
      .map(({ index }) => index)
      .sort(),
  ).toEqual([0, 2, 3, 4, 5]);
  expect(attempt.noted).toMatchObject({ usage: { total_tokens: 55 } });
});

test('stops at an error that every image would have', async () => {
  const { calls, providers: own } = drawing(() => {
    throw new ChorusError('provider_auth', 'No.');
  });
  const attempt = media.attempt('iris.image', input('openai/x', { n: 10 }), { providers: own });
  await expect(attempt.result).rejects.toMatchObject({ code: 'provider_auth' });
  expect(calls.length).toBeLessThanOrEqual(4);
});

test('does not store an invalid image', async () => {
  const owner = personal();
  const generateImage: Providers['generateImage'] = async (_call) => ({
    bytes: Buffer.from('<html>no</html>'),
    usage: { input_tokens: 0, output_tokens: 0, total_tokens: 0, cost_usd: null },
    warnings: [],
  });
  const executionId = newId('job');
  const attempt = media.attempt(
    'iris.image',
    input('openai/x'),
    { providers: { ...providers, generateImage } },
    { owner, executionId },
  );
  await expect(attempt.result).rejects.toMatchObject({ code: 'provider_error' });
  expect(await media.assets.ofExecution(owner, executionId)).toEqual([]);
});

test('stores an image after a short outage without a second call', async () => {
  const { calls, providers: own } = drawing();
  let fails = 2;
  const assets = {
    ...media.assets,
    create: async (asset: Parameters<typeof media.assets.create>[0]) => {
      fails -= 1;
      if (fails >= 0) throw new ChorusError('store_unavailable', 'Away.');
      return media.assets.create(asset);
    },
  };
  const attempt = media.attempt('iris.image', input('openai/x'), { providers: own, assets });
  expect((await attempt.result).output).toHaveLength(1);
  expect(calls).toHaveLength(1);
});

test('reads reference images from the scope', async () => {
  const owner = personal();
  const given = await media.assets.create({ owner, body: Readable.from([FAKE_IMAGE]), filename: 'mine.png' });
  const model = 'fal/fal-ai/flux/dev/image-to-image';
  const request = input(model, { reference_asset_ids: [given.id] });
  await media.attempt('iris.image', request, { providers }, { owner }).result;
  const asked = fal.requests.find(({ path }) => path.endsWith('/image-to-image'));
  expect(String(asked?.body.image_url)).toContain(FAKE_IMAGE.toString('base64'));
  // The asset belongs to another scope.
  const strange = media.attempt('iris.image', request, { providers });
  await expect(strange.result).rejects.toMatchObject({ code: 'invalid_request' });
  const text = await media.assets.create({ owner, body: Buffer.from('only words'), filename: 'a.png' });
  const wrong = media.attempt('iris.image', input(model, { reference_asset_ids: [text.id] }), { providers }, { owner });
  await expect(wrong.result).rejects.toMatchObject({ code: 'invalid_request' });
});

test('aborts running calls on cancel and throws its reason', async () => {
  const before = openai.requests.length;
  const attempt = media.attempt('iris.image', input('openai/hang-image', { n: 3 }), { providers });
  await openai.received(before + 3);
  attempt.stop('cancelled');
  await expect(attempt.result).rejects.toMatchObject({ name: 'Stop', kind: 'cancelled' });
  await openai.closed(before + 3);
});

test.each(['cancelled', 'handback'] as const)(
  'charges %s images by an estimate if their provider was asked',
  async (reason) => {
    let calls = 0;
    const one = { input_tokens: 2, output_tokens: 6_240, total_tokens: 6_242, cost_usd: 0.24961, estimated: true };
    const generateImage: Providers['generateImage'] = (_, { signal, onUnfinished }) => {
      calls += 1;
      const isAsked = calls < 3; // the third waits for the provider's limits
      return new Promise((_, reject) => {
        signal.addEventListener('abort', () => {
          if (isAsked) onUnfinished?.(one);
          reject(signal.reason);
        });
      });
    };
    const parts = { providers: { ...providers, generateImage } };
    const attempt = media.attempt('iris.image', input('openai/gpt-image-1', { n: 3 }), parts);
    await expect.poll(() => calls).toBe(3);
    attempt.stop(reason);
    await expect(attempt.result).rejects.toMatchObject({ kind: reason });
    // Two prompts of 5 bytes, and two of the largest images.
    const tokens = { input_tokens: 4, output_tokens: 12_480, total_tokens: 12_484 };
    const usage = { ...tokens, cost_usd: 0.49922, estimated: true };
    expect(attempt.noted.usage).toEqual(usage);
    expect(attempt.checkpoint()).toMatchObject({ usage });
  },
);

test('draws the same image for the same request with embedded/canvas, and signs it', async () => {
  const request = input('embedded/canvas', { prompts: ['a red boat'], n: 2, seed: 5, size: { width: 96, height: 64 } });
  const owner = personal();
  const run = () => media.attempt('iris.image', request, { providers }, { owner, executionId: newId('job') }).result;
  const [one, other] = await Promise.all([run(), run()]);
  const assets = [...one.output, ...other.output].map((item) => (item as { asset: AssetFacts }).asset);
  expect(assets.map(({ width, height, mime_type }) => [width, height, mime_type])).toEqual(
    Array.from({ length: 4 }, () => [96, 64, 'image/png']),
  );
  const hashes = await Promise.all(assets.map(async ({ id }) => (await media.assets.get(owner, id))?.perceptual_hash));
  expect(hashes.slice(0, 2)).toEqual(hashes.slice(2));
  expect(hashes[0]).not.toBe(hashes[1]);
});

test('records stored images after a takeover', async () => {
  const owner = personal();
  const executionId = newId('job');
  const stored = await media.assets.create({ owner, body: FAKE_IMAGE, filename: 'x', executionId, outputIndex: 0 });
  const { calls, providers: own } = drawing();
  await media.attempt('iris.image', input('openai/x'), { providers: own }, { owner, executionId }).result;
  expect(calls).toHaveLength(0);
  expect(await media.provenance.findByContent(owner, stored.sha256)).toMatchObject([{ execution_id: executionId }]);
});

test('pays for nothing if the storage is full, and reports an image that exceeds the quota', async () => {
  const owner = personal();
  const assets = media.limited(40_000);
  const { calls, providers: own } = drawing();
  const model = 'openai/gpt-image-1';
  const parts = { providers: own, assets };
  await assets.create({ owner, body: Buffer.alloc(30_000, 'x'), filename: null });
  const many = media.attempt('iris.image', input(model, { n: 10 }), parts, { owner });
  await expect(many.result).rejects.toMatchObject({
    code: 'storage_full',
    message: expect.stringMatching(/of 10 images.*bytes are used/),
  });
  expect((await assets.quota.usage(owner)).used_bytes).toBeLessThanOrEqual(40_000);
  const { used_bytes } = await assets.quota.usage(owner);
  await assets.create({ owner, body: Buffer.alloc(40_000 - used_bytes, 'x'), filename: null });
  const paid = calls.length;
  const next = media.attempt('iris.image', input(model), parts, { owner });
  await expect(next.result).rejects.toMatchObject({ code: 'storage_full' });
  expect(calls).toHaveLength(paid);
});
