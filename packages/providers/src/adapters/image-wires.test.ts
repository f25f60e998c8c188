import { FAKE_IMAGE } from '@chorus/testing';
import { expect, test } from 'vitest';
import type { CallOptions, ImageCall } from '../provider-port.ts';
import type { Providers } from '../providers.ts';
import { calls, callsTo, start, startFake } from '../test-providers.ts';

const options: CallOptions = { signal: new AbortController().signal, executionId: 'job_test' };
const reference = { bytes: FAKE_IMAGE, mediaType: 'image/png' };
const dataUri = `data:image/png;base64,${FAKE_IMAGE.toString('base64')}`;

const draw = (providers: Providers, model: string, more: Partial<ImageCall> = {}) =>
  providers.generateImage({ model, prompt: 'a cat', ...more }, options);

test('openai generates from prompts and images, and costs follow from the tokens', async () => {
  const { fake, providers } = await start();
  const made = await draw(providers, 'openai/gpt-image-1', {
    seed: 7,
    size: { width: 1024, height: 1536 },
    negativePrompt: 'dogs',
  });
  expect(Buffer.from(made.bytes)).toEqual(FAKE_IMAGE);
  expect(made.usage).toEqual({ input_tokens: 3, output_tokens: 1_056, total_tokens: 1_059, cost_usd: 0.042255 });
  expect(made.warnings).toEqual([expect.stringContaining('negative prompt'), expect.stringContaining('seed')]);
  expect(calls(fake).at(-1)?.body).toMatchObject({
    prompt: 'a cat\n\nDo not show any of this: dogs',
    size: '1024x1536',
    n: 1,
  });

  const edited = await draw(providers, 'openai/gpt-image-1', { references: [reference, reference] });
  expect(edited.usage.cost_usd).toBe(0.045255);
  expect(calls(fake).at(-1)).toMatchObject({ path: '/v1/images/edits' });
  const images = calls(fake)
    .at(-1)
    ?.form.filter(({ name }) => name.startsWith('image'));
  expect(images?.map(({ value }) => value)).toEqual([FAKE_IMAGE, FAKE_IMAGE]);
});

test('refuses unsupported requests before they cost anything', async () => {
  const { fake, providers } = await start();
  const none = draw(providers, 'openai/dall-e-3', { references: [reference] });
  await expect(none).rejects.toMatchObject({
    code: 'invalid_request',
    message: expect.stringContaining('no reference'),
  });
  const two = draw(providers, 'openai/dall-e-2', { references: [reference, reference] });
  await expect(two).rejects.toMatchObject({ code: 'invalid_request' });
  expect(calls(fake)).toHaveLength(0);
});

test('options and masks reach models that support them, and are refused for others', async () => {
  const { fake, providers } = await start();
  const own = { quality: 'high', background: 'transparent', output_format: 'webp', output_compression: 50 } as const;
  await draw(providers, 'openai/gpt-image-1', { options: own });
  expect(calls(fake).at(-1)?.body).toMatchObject(own);
  const mask = { bytes: Buffer.from('mask'), mediaType: 'image/png' };
  await draw(providers, 'openai/gpt-image-1', { references: [reference], mask, options: { input_fidelity: 'high' } });
  const form = calls(fake).at(-1)?.form ?? [];
  expect(form.find(({ name }) => name === 'mask')?.value).toEqual(mask.bytes);
  expect(form.find(({ name }) => name === 'input_fidelity')?.value).toBe('high');

  const before = calls(fake).length;
  const hd = await draw(providers, 'openai/dall-e-3', { options: { quality: 'hd' } });
  expect(hd.bytes).toBeDefined();
  const refused = [
    draw(providers, 'openai/dall-e-3', { options: { background: 'opaque' } }),
    draw(providers, 'compatible/gpt-image-1', { options: { quality: 'high' } }),
    draw(providers, 'embedded/canvas', { references: [reference], mask }),
  ];
  const names = ['background', 'quality', 'mask_asset_id'];
  for (const [index, name] of names.entries())
    await expect(refused[index]).rejects.toMatchObject({
      code: 'invalid_request',
      details: [{ path: `body.${name}` }],
    });
  expect(calls(fake)).toHaveLength(before + 1);
  const listed = providers.models().find(({ id }) => id === 'embedded/canvas');
  expect(listed?.unsupported_settings).toEqual([
    'quality',
    'background',
    'output_format',
    'output_compression',
    'input_fidelity',
    'mask_asset_id',
  ]);
});

test('google accepts an aspect ratio, a negative prompt, and images', async () => {
  const { fake, providers } = await startFake('google');
  const made = await draw(providers, 'google/gemini-2.5-flash-image', {
    size: { width: 1920, height: 1080 },
    negativePrompt: 'dogs',
    references: [reference],
    seed: 7,
  });
  expect(Buffer.from(made.bytes)).toEqual(FAKE_IMAGE);
  expect(made.usage.cost_usd).toBe(0.0387009);
  expect(made.warnings).toEqual([expect.stringContaining('16:9'), expect.stringContaining('negative prompt')]);
  const body = JSON.stringify(callsTo(fake).at(-1)?.body);
  expect(body).toContain('"aspectRatio":"16:9"');
  expect(body).toContain('"seed":7');
  expect(body).toContain(FAKE_IMAGE.toString('base64'));
  expect(body).toContain('Do not show any of this: dogs');
});

test.each([['google/gemini-unsafe-image'], ['fal/fal-ai/unsafe']] as const)(
  '%s: a hidden picture counts as refused',
  async (model) => {
    const { providers } = await startFake(model.startsWith('google') ? 'google' : 'fal');
    await expect(draw(providers, model)).rejects.toMatchObject({ code: 'content_refused' });
  },
);

test('fal accepts pixels or an aspect ratio depending on the model, and images where supported', async () => {
  const { fake, providers } = await startFake('fal');
  const size = { width: 512, height: 512 };
  const flux = await draw(providers, 'fal/fal-ai/flux/schnell', { size, seed: 7, negativePrompt: 'dogs' });
  expect(flux.usage.cost_usd).toBe(0.003);
  expect(flux.warnings).toEqual([expect.stringContaining('negative prompt')]);
  const [first] = callsTo(fake);
  expect(first?.body).toEqual({ prompt: 'a cat', seed: 7, num_images: 1, image_size: size });

  await draw(providers, 'fal/fal-ai/imagen4/preview', { size: { width: 900, height: 1600 }, negativePrompt: 'dogs' });
  const asked = (path: string) => callsTo(fake).find((call) => call.path === path)?.body;
  expect(asked('/fal-ai/imagen4/preview')).toMatchObject({ aspect_ratio: '9:16', negative_prompt: 'dogs' });

  await draw(providers, 'fal/fal-ai/flux/dev/image-to-image', { references: [reference] });
  expect(asked('/fal-ai/flux/dev/image-to-image')).toMatchObject({ image_url: dataUri });
  await draw(providers, 'fal/fal-ai/flux-2/edit', { references: [reference, reference] });
  expect(asked('/fal-ai/flux-2/edit')).toMatchObject({ image_urls: [dataUri, dataUri] });

  const none = draw(providers, 'fal/fal-ai/flux/dev', { references: [reference] });
  await expect(none).rejects.toMatchObject({ code: 'invalid_request' });
  const several = draw(providers, 'fal/fal-ai/flux/dev/image-to-image', { references: [reference, reference] });
  await expect(several).rejects.toMatchObject({ code: 'invalid_request' });
});
