import { fakeVector } from '@chorus/testing';
import { describe, expect, test } from 'vitest';
import { embedTexts } from './embed-texts.ts';
import type { CallOptions } from './provider-port.ts';
import { calls, callsTo, expectedVector, start, startFake } from './test-providers.ts';

const options: CallOptions = { signal: new AbortController().signal, executionId: 'job_test' };
const numbered = (count: number) => Array.from({ length: count }, (_, index) => `text number ${index}`);
const inputs = (body: { input?: unknown }) => [body.input].flat() as string[];

describe('requests', () => {
  test('respect the provider’s limits, and return vectors in the order of the texts', async () => {
    const { fake, providers } = await start();
    const texts = [...numbered(600), 'w'.repeat(290_000), 'x'.repeat(20_000)];
    const { vectors, dimensions, usage } = await providers.embedTexts(
      { model: 'openai/text-embedding-3-small', texts, purpose: 'document' },
      options,
    );
    expect(dimensions).toBe(16);
    expect(vectors).toEqual(texts.map((text) => expectedVector(text)));
    expect(usage).toEqual({ input_tokens: 1_204, output_tokens: 0, total_tokens: 1_204, cost_usd: 1_204 * 2e-8 });
    const sizes = calls(fake).map(({ body }) => inputs(body).length);
    expect(sizes.sort((a, b) => b - a)).toEqual([256, 256, 89, 1]);
  });

  test('are small for unknown servers', async () => {
    const { fake, providers } = await start();
    const texts = numbered(70);
    await providers.embedTexts({ model: 'compatible/any', texts, purpose: 'document' }, options);
    expect(calls(fake).map(({ body }) => inputs(body).length)).toEqual([32, 32, 6]);
  });

  test('are halved if too long for the model, and a single text is cut', async () => {
    const reads = 1_000;
    const { fake, providers } = await start({
      script: ({ body }) =>
        inputs(body).join('').length > reads
          ? {
              kind: 'fail',
              status: 400,
              error: {
                message: 'The input is too long',
                type: 'invalid_request_error',
                code: 'context_length_exceeded',
              },
            }
          : undefined,
    });
    const long = 'word '.repeat(300);
    const texts = ['a '.repeat(300), 'b '.repeat(300), long];
    const { vectors } = await providers.embedTexts({ model: 'compatible/any', texts, purpose: 'document' }, options);
    expect(vectors).toEqual([texts[0], texts[1], long.slice(0, 750)].map((text) => expectedVector(text ?? '')));
    expect(calls(fake).length).toBeLessThan(8);
  });

  test('end with the first failure', async () => {
    const { fake, providers } = await start({
      script: ({ body }) => (inputs(body).includes('text number 40') ? { kind: 'fail', status: 401 } : undefined),
    });
    const asked = providers.embedTexts(
      { model: 'compatible/any', texts: numbered(32 * 40), purpose: 'document' },
      options,
    );
    await expect(asked).rejects.toMatchObject({ code: 'provider_auth' });
    expect(calls(fake).length).toBeLessThan(20);
  });
});

describe('models', () => {
  test('state their purpose and the dimensions', async () => {
    const { fake, providers } = await startFake('google');
    const ask = (purpose: 'document' | 'query', texts: string[]) =>
      providers.embedTexts({ model: 'google/gemini-embedding-001', texts, purpose }, options);
    const { dimensions } = await ask('query', ['a']);
    await ask('document', ['a', 'b']);
    expect(dimensions).toBe(1_536);
    expect(callsTo(fake).map(({ body }) => body)).toMatchObject([
      { taskType: 'RETRIEVAL_QUERY', outputDimensionality: 1_536 },
      { requests: [{ taskType: 'RETRIEVAL_DOCUMENT' }, { taskType: 'RETRIEVAL_DOCUMENT' }] },
    ]);
  });

  test('state their purpose in the text for models that need it', async () => {
    const google = await startFake('google');
    await google.providers.embedTexts({ model: 'google/gemini-embedding-2', texts: ['a'], purpose: 'query' }, options);
    const { body } = callsTo(google.fake)[0]!;
    expect(body).toMatchObject({ content: { parts: [{ text: 'task: search result | query: a' }] } });
    expect(body).not.toHaveProperty('taskType');
    const { fake, providers } = await start();
    for (const purpose of ['query', 'document'] as const)
      await providers.embedTexts({ model: 'compatible/nomic-embed-text', texts: ['a'], purpose }, options);
    expect(calls(fake).flatMap(({ body }) => inputs(body))).toEqual(['search_query: a', 'search_document: a']);
  });

  test('request one of several dimensions', async () => {
    const { providers } = await start();
    const call = { model: 'openai/text-embedding-3-large', texts: ['a'], purpose: 'query' as const };
    expect(await providers.embedTexts(call, options)).toMatchObject({ dimensions: 1_024 });
  });
});

test('embeds blank texts, too, and makes no call without texts', async () => {
  const { fake, providers } = await start();
  const { vectors } = await providers.embedTexts(
    { model: 'openai/any', texts: ['', ' \n', 'a\ud800'], purpose: 'document' },
    options,
  );
  expect(vectors).toHaveLength(3);
  expect(inputs(calls(fake)[0]!.body)).toEqual(['-', '-', 'a\ufffd']);
  const none = await providers.embedTexts({ model: 'openai/any', texts: [], purpose: 'document' }, options);
  expect(none).toMatchObject({ vectors: [], dimensions: 0 });
  expect(calls(fake)).toHaveLength(1);
});

test('an abort ends all requests with its reason', async () => {
  const { providers } = await start();
  const controller = new AbortController();
  const reason = new Error('cancelled');
  const asked = providers.embedTexts(
    { model: 'compatible/hang', texts: numbered(100), purpose: 'document' },
    { ...options, signal: controller.signal },
  );
  controller.abort(reason);
  await expect(asked).rejects.toBe(reason);
});

describe('without a purpose', () => {
  const exact = { model: 'compatible/e5-base', purpose: null } as const;

  test('sends the texts without a prefix, and returns the vectors of the model', async () => {
    const { fake, providers } = await start();
    const { vectors } = await providers.embedTexts({ ...exact, texts: ['one', ' '] }, options);
    expect(inputs(calls(fake)[0]?.body ?? {})).toEqual(['one', ' ']);
    expect(vectors).toEqual(['one', ' '].map((text) => Float32Array.from(fakeVector(text))));
  });

  test('does not cut a text that is too long', async () => {
    const { fake, providers } = await start();
    const call = { ...exact, model: 'compatible/context-too-long-embedding', texts: ['word '.repeat(300)] };
    await expect(providers.embedTexts(call, options)).rejects.toMatchObject({ code: 'context_too_long' });
    expect(calls(fake)).toHaveLength(1);
  });

  test('asks resizable models for the dimensions, and cuts longer vectors of servers that ignore them', async () => {
    const { fake, providers } = await start();
    const call = { ...exact, texts: ['one'], dimensions: 6 };
    const resized = await providers.embedTexts({ ...call, model: 'openai/text-embedding-3-small' }, options);
    expect(calls(fake)[0]?.body).toMatchObject({ dimensions: 6 });
    expect(resized.dimensions).toBe(6);
    await expect(providers.embedTexts(call, options)).rejects.toMatchObject({
      code: 'invalid_request',
      details: [{ path: 'body.dimensions' }],
    });
    const ignoring = async () => ({ embeddings: [[3, 4, 12]], usage: resized.usage });
    const cut = await embedTexts(ignoring, { ...call, model: 'compatible/qwen3-embedding', dimensions: 2 }, options);
    expect(cut).toMatchObject({ vectors: [Float32Array.of(0.6, 0.8)], dimensions: 2 });
    const short = embedTexts(ignoring, { ...call, model: 'compatible/qwen3-embedding', dimensions: 4 }, options);
    await expect(short).rejects.toMatchObject({ code: 'invalid_request' });
  });
});
