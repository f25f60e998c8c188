import { describe, expect, test } from 'vitest';
import { assistantOf, only, tools } from '../test-answers.ts';
import { expectedVector } from '../test-providers.ts';
import type { BatchRequest, StagedBatch } from './batch-port.ts';
import {
  askNormally,
  type BatchTest,
  options,
  ROWS,
  read,
  resultsOf,
  run,
  saying,
  stage,
  startBatches,
  type TestCall,
} from './test-batches.ts';

const schema = { type: 'object', properties: { a: { type: 'string' } }, required: ['a'], additionalProperties: false };

/** Calls by what their answers contain. */
const ANSWERS: Record<string, (name: string) => Partial<TestCall> & { model: string }> = {
  text: () => ({ model: 'words-30' }),
  'text up to the limit': () => ({ model: 'words-9', settings: { max_tokens: 4 } }),
  'a tool call': () => ({ model: 'call-weather', settings: { tools } }),
  'two tool calls': () => ({ model: 'call-two', settings: { tools } }),
  'a tool call without arguments': () => ({ model: 'call-empty', settings: { tools } }),
  reasoning: (name) => ({ model: REASONS[name]!, settings: { reasoning_effort: 'medium' } }),
  'reasoning and a tool call': (name) => ({
    model: `${REASONS[name]}-call`,
    settings: { reasoning_effort: 'medium', tools },
  }),
  'cached input': () => ({ model: 'words-3-cached-1' }),
  JSON: (name) => ({
    model: name === 'groq' ? 'openai/gpt-oss-json' : 'json',
    settings: { response_format: { type: 'json_schema', json_schema: { name: 'a', schema } } },
  }),
};

const REASONS: Record<string, string> = {
  openai: 'gpt-5-think',
  anthropic: 'claude-sonnet-4-5-think',
  google: 'gemini-2.5-flash-think',
  mistral: 'magistral-think',
  groq: 'openai/gpt-oss-think',
};

const callOf = (name: string, kind: string): TestCall => {
  const call = ANSWERS[kind]!(name);
  return { messages: [{ role: 'user', content: 'Zürich?' }], settings: {}, ...call, model: `${name}/${call.model}` };
};

/** Ids and signatures contain the number of the request. */
const comparable = (parts: Parameters<typeof assistantOf>[0]) =>
  JSON.parse(JSON.stringify({ assistant: assistantOf(parts), finish: parts.at(-1) }), (key, value) =>
    key === 'signature' || key === 'id' ? typeof value : key === 'cost_usd' ? undefined : value,
  );

const lastBody = ({ fake }: BatchTest) => {
  const { stream, stream_options, ...body } = fake.requests.at(-1)!.body;
  return JSON.parse(JSON.stringify(body), (key, value) => (key === 'eager_input_streaming' ? undefined : value));
};

describe.each(ROWS)('$name', ({ name, priced, embeds }) => {
  test.each(Object.keys(ANSWERS))('sends the request and reads the answer of a normal call: %s', async (kind) => {
    const own = await startBatches(name);
    const call = callOf(name, kind);
    const normal = await askNormally(own.providers, call);
    const body = lastBody(own);
    const planned = await own.batches.planChat(call);
    expect(planned?.body).toEqual(body);
    const answers = await run(own, [call]);
    const parts = await read(own.batches, call, answers.get('job_0')?.answer);
    expect(comparable(parts)).toEqual(comparable(normal));
    expect(only(parts, 'finish')).toHaveLength(1);
  });

  test('costs half', async () => {
    const own = await startBatches(name);
    const call = { ...callOf(name, 'text'), model: `${name}/${priced}` };
    const [normal] = only(await askNormally(own.providers, call), 'finish');
    const answers = await run(own, [call]);
    const [half] = only(await read(own.batches, call, answers.get('job_0')?.answer), 'finish');
    expect(normal?.usage.cost_usd).toBeGreaterThan(0);
    expect(half?.usage).toEqual({ ...normal?.usage, cost_usd: normal!.usage.cost_usd! / 2 });
  });

  test('requests fail alone, with the error of a normal call', async () => {
    const own = await startBatches(name);
    const calls = saying(`${name}/echo`, 'one', '[fail-400]', '[fail-503]', '[expire]', 'five');
    const results = await run(own, calls);
    const outcome = (index: number) => read(own.batches, calls[index]!, results.get(`job_${index}`)?.answer);
    expect(assistantOf(await outcome(0)).content).toBe('one');
    expect(assistantOf(await outcome(4)).content).toBe('five');
    await expect(outcome(1)).rejects.toMatchObject({ code: 'invalid_request' });
    // Anthropic has no word for 503.
    const code = name === 'anthropic' ? 'provider_error' : 'provider_unavailable';
    await expect(outcome(2)).rejects.toMatchObject({ code });
    // Google leaves it out.
    expect(results.get('job_3')).toEqual(name === 'google' ? undefined : { id: 'job_3', ended: 'expired' });
  });

  test('is pending with counts until it ends', async () => {
    const own = await startBatches(name);
    own.fake.limits.change({ batchMs: 600_000 });
    const operation = await own.batches.submit(
      await stage(own, saying(`${name}/echo`, 'one', 'two'), 'part_1'),
      options,
    );
    expect(await own.batches.poll(operation, options)).toEqual({
      status: 'pending',
      counts: { total: 2, completed: 0, failed: 0 },
    });
    own.fake.limits.change({ batchMs: 0 });
    expect(await own.batches.poll(operation, options)).toMatchObject({
      status: 'ended',
      counts: { total: 2, completed: 2, failed: 0 },
    });
    expect(own.fake.limits.counts).toMatchObject({ batches: 1, batched: { one: 1, two: 1 }, sentAgain: [] });
  });

  test('cancelled: the results that came before are kept', async () => {
    const own = await startBatches(name);
    own.fake.limits.change({ batchMs: 600_000 });
    const staged = await stage(own, saying(`${name}/echo`, 'one', 'two', 'three', 'four'), 'part_1');
    const operation = await own.batches.submit(staged, options);
    await own.batches.cancel(operation, options);
    await own.batches.cancel(operation, options);
    await expect.poll(() => own.batches.poll(operation, options)).toMatchObject({ status: 'cancelled' });
    const results = await resultsOf(await own.batches.poll(operation, options));
    // Google keeps nothing of a cancelled batch.
    const kinds = staged.ids.map((id) => results.get(id)?.ended ?? results.get(id)?.answer?.status);
    const halves = [200, 200, 'cancelled', 'cancelled'];
    expect(kinds).toEqual(name === 'google' ? [undefined, undefined, undefined, undefined] : halves);
    await own.batches.cancel(operation, options);
  });

  test('expired: the results that came before are kept', async () => {
    const own = await startBatches(name);
    own.fake.limits.change({ batchEnd: 'expire' });
    const operation = await own.batches.submit(
      await stage(own, saying(`${name}/echo`, 'one', 'two'), 'part_1'),
      options,
    );
    const state = await own.batches.poll(operation, options);
    expect(state.status).toBe('expired');
    const results = await resultsOf(state);
    if (name === 'google') return expect(results.size).toBe(0); // keeps nothing
    expect(results.get('job_0')?.answer?.status).toBe(200);
    expect(results.get('job_1')?.ended).toBe('expired');
  });

  test('finds a batch by its key among others', async () => {
    const own = await startBatches(name);
    const query = { model: `${name}/echo`, requests: 1, submittedAt: Date.now(), settleMs: 0 } as const;
    const operations = new Map<string, { id: string }>();
    let staged: StagedBatch | undefined;
    for (const key of ['part_1', 'part_2', 'part_3', 'part_4', 'part_5']) {
      staged = await stage(own, saying(`${name}/echo`, key), key);
      operations.set(key, await own.batches.submit(staged, options));
    }
    const { endpoint } = staged!;
    for (const [, operation] of operations) await own.batches.poll({ ...operation, endpoint }, options);
    for (const [key, operation] of operations)
      expect(await own.batches.find({ ...query, endpoint, key }, options)).toEqual({ status: 'found', operation });
    const other = { ...query, endpoint, key: 'part_6' };
    expect(await own.batches.find(other, options)).toEqual({ status: 'missing' });
    expect(await own.batches.find({ ...other, settleMs: 60_000 }, options)).toEqual({ status: 'unclear' });
  });

  test('a batch whose acceptance was not heard is sent once, and found', async () => {
    const own = await startBatches(name, 500);
    const staged = await stage(own, saying(`${name}/echo`, 'one'), 'part_1');
    own.fake.limits.change({ latencyMs: 5_000, batchMs: 600_000 });
    await expect(own.batches.submit(staged, options)).rejects.toMatchObject({ code: 'timeout' });
    own.fake.limits.change({ latencyMs: 0 });
    expect(own.fake.limits.counts.batches).toBe(1);
    const query = { ...staged, requests: 1, submittedAt: Date.now(), settleMs: 0, model: `${name}/echo` };
    const found = await own.batches.find(query, options);
    // Only results show whose batch it is at Anthropic.
    expect(found.status).toBe(name === 'anthropic' ? 'unclear' : 'found');
    own.fake.limits.change({ batchMs: 0 });
    await expect.poll(() => own.batches.find(query, options)).toMatchObject({ status: 'found' });
  });

  test('a refused batch leaves a clear error', async () => {
    const own = await startBatches(name);
    own.fake.limits.change({ keyAccepted: false });
    const staged = await stage(own, saying(`${name}/echo`, 'one'), 'part_1');
    await expect(own.batches.submit(staged, options)).rejects.toMatchObject({ code: 'provider_auth' });
    own.fake.limits.change({ keyAccepted: true, batchEnd: 'fail' });
    if (name === 'anthropic') return; // its batches do not fail
    const state = await own.batches.poll(await own.batches.submit(staged, options), options);
    const code =
      name === 'mistral' ? 'provider_error' : name === 'google' ? 'invalid_request' : 'provider_rate_limited';
    expect(state).toMatchObject({ status: 'failed', error: { code } });
  });

  test('is deleted with its files', async () => {
    const own = await startBatches(name);
    const staged = await stage(own, saying(`${name}/echo`, 'one'), 'part_1');
    const operation = await own.batches.submit(staged, options);
    await own.batches.poll(operation, options);
    await own.batches.delete(operation, options);
    const deleted = own.fake.requests.filter(({ method }) => method === 'DELETE');
    expect(deleted.length).toBeGreaterThan(0);
    expect(deleted.every(({ finished }) => finished)).toBe(true);
  });

  test('embeddings are those of a normal call, for half the price', async () => {
    const own = await startBatches(name);
    if (embeds === null) {
      const call = { model: `${name}/any`, texts: ['one'], purpose: null };
      return expect(await own.batches.planEmbedding(call)).toBeNull();
    }
    const call = { model: `${name}/${embeds}`, texts: ['one two'], purpose: 'document' as const };
    const normal = await own.providers.embedTexts(call, options);
    const planned = await own.batches.planEmbedding(call);
    expect(planned?.body).toEqual(lastBody(own));
    async function* requests(): AsyncGenerator<BatchRequest> {
      yield { id: 'job_0', ...planned! };
    }
    const staging = own.batches.stage(requests(), { folder: own.folder, model: call.model, nextKey: () => 'part_1' });
    const operation = await own.batches.submit((await staging.next()).value!, options);
    const results = await resultsOf(await own.batches.poll(operation, options));
    const read = await own.batches.readEmbedding(call, results.get('job_0')!.answer!, options);
    expect(read.vectors).toEqual(normal.vectors);
    expect(read.vectors[0]).toEqual(
      expectedVector('one two', planned?.body.outputDimensionality as number | undefined),
    );
    expect(read.usage.cost_usd).toBe(normal.usage.cost_usd && normal.usage.cost_usd / 2);
  });
});

test.each([
  ['openai', { service_tier: 'flex' }],
  ['openai', { service_tier: 'priority' }],
  ['groq', { service_tier: 'flex' }],
] as const)('%s: a batch cannot have %j', async (name, settings) => {
  const { batches } = await startBatches(name);
  expect(await batches.planChat({ ...saying(`${name}/gpt-5`, 'one')[0]!, settings })).toBeNull();
});

test('several texts for Google are no single request', async () => {
  const { batches } = await startBatches('google');
  const call = { model: 'google/gemini-embedding-001', texts: ['one', 'two'], purpose: null };
  expect(await batches.planEmbedding(call)).toBeNull();
});

test('settings that a model refuses are refused before the batch', async () => {
  const { batches } = await startBatches('anthropic');
  const call = { ...saying('anthropic/claude-3-5-haiku', 'one')[0]!, settings: { logprobs: true } };
  await expect(batches.planChat(call)).rejects.toMatchObject({ code: 'invalid_request' });
});

test('providers without a batch endpoint have no batches', async () => {
  const { providers } = await startBatches('openai');
  expect(await providers.batchesOf('compatible/any')).toBeNull();
});
