import { FAKE_IMAGE, TINY_PNG } from '@chorus/testing';
import OpenAI, { BadRequestError, NotFoundError, toFile } from 'openai';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { freshPerson } from '../test-people.ts';
import { startWorkersApi, type TestWorkersApi } from '../test-workers.ts';

const GPT = 'openai/gpt-image-1';
const CANVAS = 'embedded/canvas';

let api: TestWorkersApi;
let client: OpenAI;
let key: string;

beforeAll(async () => {
  api = await startWorkersApi({ models: ['gpt-image-1', 'dall-e-3', 'gpt-4o'] });
  key = (await freshPerson(api)).fullKey;
  client = new OpenAI({ baseURL: `${api.url}/openai/v1`, apiKey: key, maxRetries: 0 });
});
afterAll(() => api.stop());

const last = () => api.fake.requests.at(-1);
const pngOf = (bytes: Uint8Array, name = 'one.png') => toFile(bytes, name, { type: 'image/png' });
const bytesOf = (image: { b64_json?: string } | undefined) => Buffer.from(image?.b64_json ?? '', 'base64');

async function refusalOf(asked: Promise<unknown>) {
  const error = await asked.then(undefined, (thrown: unknown) => thrown);
  expect(error).toBeInstanceOf((error as BadRequestError).code === 'model_not_found' ? NotFoundError : BadRequestError);
  return (error as BadRequestError).param;
}

describe('generations', () => {
  test('answer with base64 for the GPT image models, with the options and the usage', async () => {
    const { data, created, usage } = await client.images.generate({
      model: 'gpt-image-1',
      prompt: 'a harbour',
      size: '1024x1024',
      quality: 'high',
      background: 'transparent',
      output_format: 'png',
    });
    expect(created).toBeGreaterThan(1_700_000_000);
    expect(data).toHaveLength(1);
    expect(bytesOf(data?.[0]).subarray(0, 4)).toEqual(FAKE_IMAGE.subarray(0, 4));
    expect(usage).toEqual({
      input_tokens: 3,
      input_tokens_details: { text_tokens: 3, image_tokens: 0 },
      output_tokens: 1_056,
      total_tokens: 1_059,
    });
    expect(last()?.body).toMatchObject({
      prompt: 'a harbour',
      size: '1024x1024',
      quality: 'high',
      background: 'transparent',
      output_format: 'png',
    });
  });

  test('answer with URLs that open without a key, and only OpenAI’s fields', async () => {
    const body = { model: CANVAS, prompt: 'a red sun', n: 2, size: '64x64', quality: 'standard', user: 'me' } as const;
    const headers = { authorization: `Bearer ${key}`, 'x-scope-type': null };
    const answer = await api.call('POST', '/openai/v1/images/generations', { body, headers });
    expect([answer.status, answer.headers.get('x-ignored-fields')]).toEqual([200, 'user']);
    expect(answer.body).toEqual({
      created: expect.any(Number),
      data: [{ url: expect.any(String) }, { url: expect.any(String) }],
    });
    for (const { url } of answer.body.data) {
      const image = await fetch(url);
      expect([image.status, image.headers.get('content-type')]).toEqual([200, 'image/png']);
      await image.body?.cancel();
    }
  });

  test('response_format decides, whatever the model', async () => {
    const asUrl = await client.images.generate({ model: GPT, prompt: 'a', response_format: 'url', size: 'auto' });
    expect(asUrl.data?.map((image) => Object.keys(image))).toEqual([['url']]);
    const asBytes = await client.images.generate({ model: CANVAS, prompt: 'a', n: 2, response_format: 'b64_json' });
    expect(asBytes.data?.map((image) => Object.keys(image))).toEqual([['b64_json'], ['b64_json']]);
    expect(asBytes).not.toHaveProperty('usage');
  });

  test.each([
    [{ prompt: undefined }, 'prompt'],
    [{ n: 11 }, 'n'],
    [{ size: 'large' }, 'size'],
    [{ size: '9000x9000' }, 'size'],
    [{ stream: true }, 'stream'],
    [{ partial_images: 2 }, 'partial_images'],
    [{ partial_images: { toString: 0 } }, 'partial_images'],
    [{ quality: 'high' }, 'quality'],
    [{ background: 'transparent' }, 'background'],
    [{ output_format: 'webp' }, 'output_format'],
    [{ output_format: 'gif' }, 'output_format'],
    [{ moderation: 'low' }, 'moderation'],
    [{ style: 'natural' }, 'style'],
    [{ model: 'openai/dall-e-3', background: 'opaque' }, 'background'],
    [{ model: 'gpt-4o' }, 'model'],
  ])('refuse %j and name the field', async (body, param) => {
    const asked = { model: CANVAS, prompt: 'a', ...body } as OpenAI.ImageGenerateParamsNonStreaming;
    expect(await refusalOf(client.images.generate(asked))).toBe(param);
  });
});

describe('edits', () => {
  test('send one image, or several and a mask, to the model', async () => {
    const one = await client.images.edit({ model: GPT, prompt: 'more sun', image: await pngOf(TINY_PNG) });
    expect(bytesOf(one.data?.[0]).subarray(0, 4)).toEqual(FAKE_IMAGE.subarray(0, 4));
    expect(one).not.toHaveProperty('usage');
    expect(last()?.path).toBe('/v1/images/edits');

    await client.images.edit({
      model: GPT,
      prompt: 'more sun',
      image: [await pngOf(FAKE_IMAGE, 'a.png'), await pngOf(TINY_PNG, 'b.png')],
      mask: await pngOf(TINY_PNG, 'mask.png'),
      input_fidelity: 'high',
      n: 1,
      size: '1024x1024',
    });
    const form = last()?.form ?? [];
    const images = form.filter(({ name }) => name.startsWith('image')).map(({ value }) => value);
    expect(images).toEqual([FAKE_IMAGE, TINY_PNG]);
    expect(form.filter(({ name }) => name === 'mask').map(({ value }) => value)).toEqual([TINY_PNG]);
    expect(Object.fromEntries(form.map(({ name, value }) => [name, value]))).toMatchObject({
      input_fidelity: 'high',
      size: '1024x1024',
    });
  });

  test('the same Idempotency-Key runs once, and other images are another request', async () => {
    const edit = (bytes: Uint8Array) =>
      pngOf(bytes).then((image) =>
        client.images
          .edit({ model: GPT, prompt: 'x', image }, { headers: { 'idempotency-key': 'edit-once' } })
          .withResponse(),
      );
    const first = await edit(TINY_PNG);
    const again = await edit(TINY_PNG);
    expect(again.response.headers.get('x-execution-id')).toBe(first.response.headers.get('x-execution-id'));
    expect(again.data).toEqual(first.data);
    await expect(edit(FAKE_IMAGE)).rejects.toMatchObject({ status: 422, code: 'idempotency_mismatch' });
  });

  test.each([
    ['a mask for a model without masks', { model: CANVAS, mask: TINY_PNG }, 'mask'],
    ['two masks', { mask: [TINY_PNG, TINY_PNG] }, 'mask'],
    ['a file that is no image', { image: Buffer.from('just words') }, 'image[0]'],
    ['17 images', { image: Array.from({ length: 17 }, () => TINY_PNG) }, 'image'],
    ['no image', { image: undefined }, 'image'],
    ['another file', { other: TINY_PNG }, 'other'],
    ['streaming', { stream: 'true' }, 'stream'],
    ['a wrong number', { n: 'many' }, 'n'],
  ])('refuse %s', async (_name, changes, param) => {
    const form = new FormData();
    const fields = { model: GPT, prompt: 'x', image: TINY_PNG, ...changes };
    for (const [name, value] of Object.entries(fields).flatMap(([name, each]) =>
      [each].flat().map((one) => [name, one]),
    ))
      if (typeof value === 'string') form.append(String(name), value);
      else if (value !== undefined) form.append(String(name), new Blob([value as Uint8Array<ArrayBuffer>]), 'one.png');
    const before = api.fake.requests.length;
    const headers = { authorization: `Bearer ${key}`, 'x-scope-type': null };
    const answer = await api.call('POST', '/openai/v1/images/edits', { body: form, headers });
    expect([answer.status, answer.body.error.param]).toEqual([400, param]);
    expect(answer.body.error.message).not.toMatch(/asset/);
    expect(api.fake.requests).toHaveLength(before);
  });

  test('JSON is not accepted', async () => {
    const headers = { authorization: `Bearer ${key}`, 'x-scope-type': null };
    const answer = await api.call('POST', '/openai/v1/images/edits', { body: { prompt: 'x' }, headers });
    expect([answer.status, answer.body.error.type]).toEqual([415, 'invalid_request_error']);
  });
});
