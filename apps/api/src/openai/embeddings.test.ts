import { fakeVector } from '@chorus/testing';
import OpenAI, { type APIError, BadRequestError, InternalServerError, NotFoundError, RateLimitError } from 'openai';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { freshPerson } from '../test-people.ts';
import { startWorkersApi, type TestWorkersApi } from '../test-workers.ts';

const SMALL = 'openai/text-embedding-3-small';
const PLAIN = 'compatible/words-embedding';

let api: TestWorkersApi;
let client: OpenAI;
let key: string;

beforeAll(async () => {
  api = await startWorkersApi({ models: ['text-embedding-3-small', 'words-embedding', 'gpt-4o'] });
  key = (await freshPerson(api)).fullKey;
  client = new OpenAI({ baseURL: `${api.url}/openai/v1`, apiKey: key, maxRetries: 0 });
});
afterAll(() => api.stop());

/** Calls the API with only the key. */
const ask = (path: string, body?: object, method = 'POST') =>
  api.call(method, path, {
    ...(body && { body }),
    headers: { authorization: `Bearer ${key}`, 'x-scope-type': path.startsWith('/openai/') ? null : 'personal' },
  });
const embed = (body: object) => ask('/openai/v1/embeddings', body);
const rounded = (text: string, dimensions?: number) => [...Float32Array.from(fakeVector(text, dimensions))];

function unit(vector: readonly number[]): number[] {
  const length = Math.hypot(...vector);
  return vector.map((value) => value / length);
}

test("answers with OpenAI's fields and no other", async () => {
  const { status, headers, body } = await embed({ input: 'one text', model: SMALL, user: 'me' });
  expect([status, headers.get('x-ignored-fields')]).toEqual([200, 'user']);
  expect(body).toEqual({
    object: 'list',
    data: [{ object: 'embedding', index: 0, embedding: rounded('one text') }],
    model: SMALL,
    usage: { prompt_tokens: 2, total_tokens: 2 },
  });
  const { body: job } = await ask(`/jobs/${headers.get('x-execution-id')}`, undefined, 'GET');
  expect(job).toMatchObject({ kind: 'embedding', status: 'succeeded', usage: { input_tokens: 2 } });
});

test("OpenAI's client reads both encodings, in the order of the texts", async () => {
  const input = ['one', 'two', ' ', '😀'];
  const asFloats = await client.embeddings.create({ input, model: PLAIN, encoding_format: 'float' });
  const byDefault = await client.embeddings.create({ input, model: PLAIN });
  for (const { data } of [asFloats, byDefault])
    expect(data.map(({ embedding }) => embedding)).toEqual(input.map((text) => rounded(text)));
  const raw = await embed({ input: 'one', model: PLAIN, encoding_format: 'base64' });
  expect(raw.body.data[0].embedding).toBe(Buffer.from(Float32Array.from(fakeVector('one')).buffer).toString('base64'));
});

test('sends the texts as they are, and lets the model choose the dimensions', async () => {
  const before = api.fake.requests.length;
  const model = 'compatible/multilingual-e5-large';
  await embed({ input: ['  blank around  '], model });
  expect(api.fake.requests[before]?.body).toMatchObject({
    input: ['  blank around  '],
    model: 'multilingual-e5-large',
  });
  expect(api.fake.requests[before]?.body).not.toHaveProperty('dimensions');
});

test('dimensions: passed to models that support them, refused for others', async () => {
  const { body } = await embed({ input: 'one', model: SMALL, dimensions: 8 });
  const [first] = body.data;
  expect(first.embedding).toHaveLength(8);
  for (const [at, value] of unit(fakeVector('one', 8)).entries()) expect(first.embedding[at]).toBeCloseTo(value, 6);
  expect(Math.hypot(...first.embedding)).toBeCloseTo(1, 6);
  const refused = await embed({ input: 'one', model: PLAIN, dimensions: 8 });
  expect([refused.status, refused.body.error.param]).toEqual([400, 'dimensions']);
  expect(refused.headers.get('x-execution-id')).toBeNull();
});

test('a result over 256 KB is a file, which is deleted with its execution', async () => {
  const input = Array.from({ length: 2_048 }, (_, index) => `text ${index}`);
  for (const encoding_format of ['float', 'base64'] as const) {
    const { data, response } = await client.embeddings
      .create({ input, model: SMALL, dimensions: 64, encoding_format })
      .withResponse();
    expect(data.data.map(({ index }) => index)).toEqual(input.map((_, index) => index));
    const last = data.data[2_047]?.embedding as unknown;
    const vector =
      typeof last === 'string' ? new Float32Array(new Uint8Array(Buffer.from(last, 'base64')).buffer) : last;
    expect(vector).toHaveLength(64);
    for (const [at, value] of unit(fakeVector('text 2047', 64)).entries())
      expect((vector as number[])[at]).toBeCloseTo(value, 5);
    expect(data.usage).toEqual({ prompt_tokens: 4_096, total_tokens: 4_096 });

    const id = response.headers.get('x-execution-id');
    const { body: job } = await ask(`/jobs/${id}`, undefined, 'GET');
    const [item, { asset }] = job.output;
    expect(item).toEqual({ type: 'embeddings', count: 2_048, dimensions: 64, data: null });
    expect(asset).toMatchObject({ filename: 'embeddings-2048x64.npy', size_bytes: 128 + 2_048 * 64 * 4 });
    expect((await ask(`/jobs/${id}`, undefined, 'DELETE')).status).toBe(200);
    expect((await ask(`/assets/${asset.id}`, undefined, 'GET')).status).toBe(404);
  }
});

test.each([
  [{ input: '' }, 'input'],
  [{ input: ['a', 'b', 'c', ''] }, 'input[3]'],
  [{ input: [[1, 2, 3]] }, 'input[0]'],
  [{ input: [] }, 'input'],
  [{}, 'input'],
  [{ input: 'a', model: undefined }, 'model'],
  [{ input: 'a', model: 'unknown/x' }, 'model'],
  [{ input: 'a', model: 'openai/gpt-4o' }, 'model'],
  [{ input: 'a', dimensions: 0 }, 'dimensions'],
  [{ input: 'a', encoding_format: 'int8' }, 'encoding_format'],
  [{ input: ['a', 'word '.repeat(2_000)], model: 'embedded/use-lite' }, 'input[1]'],
])('refuses %j and names the field', async (body, param) => {
  const asked = client.embeddings.create({ model: SMALL, ...body } as never);
  const error = await asked.then(undefined, (thrown: unknown) => thrown);
  expect(error).toBeInstanceOf((error as APIError).code === 'model_not_found' ? NotFoundError : BadRequestError);
  expect(error).toMatchObject({ type: 'invalid_request_error', param });
});

test("a provider's failure is an error response", async () => {
  const failing = (model: string) =>
    client.embeddings.create({ input: 'a', model: `compatible/${model}` }).then(undefined, (thrown: unknown) => thrown);
  expect(await failing('fail-401-embedding')).toMatchObject({
    status: 502,
    code: 'provider_auth',
    type: 'server_error',
  });
  const limited = await failing('fail-429-embedding');
  expect(limited).toBeInstanceOf(RateLimitError);
  expect(await failing('fail-500-embedding')).toBeInstanceOf(InternalServerError);
});

test('embeds without a provider, with vectors of length 1', async () => {
  const { data } = await client.embeddings.create({
    input: ['How old are you?', 'What is your age?'],
    model: 'use-lite',
  });
  for (const { embedding } of data) {
    expect(embedding).toHaveLength(512);
    expect(Math.hypot(...embedding)).toBeCloseTo(1, 5);
  }
});

test('works like any other kind: route, batches, usage', async () => {
  const { body } = await ask('/embeddings', { input: ['one', 'two'], model: PLAIN });
  const [{ data, ...item }] = body.output;
  expect([body.kind, body.status, item]).toEqual([
    'embedding',
    'succeeded',
    { type: 'embeddings', count: 2, dimensions: 16 },
  ]);
  const vectors = new Float32Array(new Uint8Array(Buffer.from(data, 'base64')).buffer);
  expect([...vectors]).toEqual([...rounded('one'), ...rounded('two')]);
  const refused = await ask('/embeddings', { input: 'one', encoding_format: 'float' });
  expect([refused.status, refused.body.error.details[0].path]).toEqual([400, 'body.encoding_format']);
  const items = [{ body: { input: 'one', model: PLAIN } }, { body: { input: '' } }];
  const batch = await ask('/batches', { kind: 'embedding', items });
  expect([batch.status, batch.body.error.details[0].path]).toEqual([400, 'body.items.1.body.input']);
  const used = (await ask('/usage', undefined, 'GET')).body.data;
  expect(used).toContainEqual(expect.objectContaining({ model: SMALL, input_tokens: expect.any(Number) }));
  expect(used.find(({ model }: { model: string }) => model === SMALL).cost_usd).toBeGreaterThan(0);
});

test('a cancelled execution ends the request and the call of the provider', async () => {
  const model = 'compatible/hang-embedding';
  const asked = embed({ input: 'one', model });
  await expect.poll(() => api.fake.requests.at(-1)?.body.model).toBe('hang-embedding');
  const [job] = (await ask('/jobs?limit=1', undefined, 'GET')).body.data;
  await ask(`/jobs/${job.id}/cancel`);
  const { status, headers, body } = await asked;
  expect([status, headers.get('x-execution-id'), body.error.code]).toEqual([409, job.id, 'cancelled']);
});
