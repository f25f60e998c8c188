import { type FakeProvider, startFakeProvider } from '@chorus/testing';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import type { Payload } from './event-stream.ts';
import { type Platform, startPlatform } from './platform.ts';
import { poll } from './poll.ts';

const ITEMS = 60;

let platform: Platform;
/** Has no mark for batches, so that only results show whose a batch is. */
let anthropic: FakeProvider;

beforeAll(async () => {
  anthropic = await startFakeProvider('anthropic');
  platform = await startPlatform({
    apis: 1,
    textWorkers: 1,
    maintenance: 1,
    models: ['gpt-4o', 'text-embedding-3-small'],
    env: { BATCH_POLL_MS: '100', ANTHROPIC_API_KEY: 'test-key', ANTHROPIC_BASE_URL: anthropic.url },
  });
});
afterAll(() => Promise.all([platform?.stop(), anthropic?.close()]));
beforeEach(() => {
  platform.showLogsOnFailure();
  for (const { limits } of [platform.fake, anthropic])
    limits.change({ batchMs: 0, batchEnd: 'complete', latencyMs: 0 });
});

const batch = async (id: string): Promise<Payload> => (await platform.client.get(`/batches/${id}`)).body;
const ended = (id: string) =>
  poll('it ends', async () => {
    const now = await batch(id);
    return now.finished_at !== null && now;
  });
const results = async (id: string): Promise<Payload[]> => {
  const text: string = (await platform.client.get(`/batches/${id}/results`)).body;
  return text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));
};

const chat = (content: string) => ({ body: { messages: [{ role: 'user', content }] } });
const create = async (more: Payload): Promise<Payload> => {
  const head = { kind: 'chat.completion', defaults: { model: 'openai/gpt-4o' }, economy: true };
  const { status, body } = await platform.client.post('/batches', { ...head, ...more });
  expect([status, body.error]).toEqual([200, undefined]);
  return body;
};
const asked = () =>
  [...platform.fake.requests, ...anthropic.requests].filter(({ path }) =>
    /(chat\/completions|responses|embeddings|messages)$/.test(path),
  );

it('runs chats, responses, and embeddings through the batch endpoint, for half the price', {
  timeout: 120_000,
}, async () => {
  const direct = asked().length;
  const { id, economy } = await create({
    items: [
      chat('one two'),
      { kind: 'response', body: { model: 'openai/gpt-4o', input: 'three four' } },
      { kind: 'embedding', body: { model: 'openai/text-embedding-3-small', input: ['five', 'six'] } },
    ],
  });
  expect(economy).toEqual({
    fallback: false,
    models: ['openai/gpt-4o', 'openai/text-embedding-3-small'],
    other_models: [],
  });
  expect((await ended(id)).counts).toMatchObject({ succeeded: 3 });
  const [one, two, three] = (await results(id)).sort((a, b) => a.index - b.index);
  expect(one?.execution).toMatchObject({ status: 'succeeded', model: 'openai/gpt-4o', provider: 'openai' });
  expect(two?.execution.output[0].text).toContain('w1');
  expect(three?.execution.usage.input_tokens).toBe(4);
  // Two words in, twenty out.
  expect(one?.execution.usage.cost_usd).toBeCloseTo((2 * 2.5 + 20 * 10) / 2e6, 10);
  expect(asked()).toHaveLength(direct);
});

it.each(['openai/gpt-4o', 'anthropic/claude-haiku-4-5'])(
  '%s: sends nothing twice and loses nothing while workers and feeders are killed',
  async (model) => {
    const { limits } = model.startsWith('openai') ? platform.fake : anthropic;
    const before = limits.counts.batches;
    const direct = asked().length;
    limits.change({ batchMs: 4_000, latencyMs: 1_500 });
    const items = Array.from({ length: ITEMS }, (_, index) => chat(`kill ${index}`));
    const { id } = await create({ defaults: { model }, items });
    for (const feeder of platform.maintenance) await feeder.end('SIGKILL');
    await platform.startMaintenance();
    // The provider has accepted the batch, and has not answered yet.
    await poll('it is accepted', async () => limits.counts.batches > before);
    let worker = await platform.onlyTextWorker();
    await worker.end('SIGKILL');
    limits.change({ latencyMs: 0 });
    worker = await platform.startTextWorker();
    await poll('some have ended', async () => (await batch(id)).progress.completed > 0, 120_000).catch(() => undefined);
    await worker.end('SIGKILL');
    await platform.startTextWorker();
    const { counts } = await ended(id);
    expect(counts).toMatchObject({ total: ITEMS, succeeded: ITEMS });
    const { batched, answered } = limits.counts;
    for (let index = 0; index < ITEMS; index += 1) {
      expect(batched[`kill ${index}`]).toBe(1);
      expect(answered[`kill ${index}`]).toBe(1);
    }
    expect(asked()).toHaveLength(direct);
    expect(new Set((await results(id)).map(({ index }) => index)).size).toBe(ITEMS);
  },
  240_000,
);

it('cancel: results that came before count, the others are cancelled', { timeout: 120_000 }, async () => {
  const before = platform.fake.limits.counts.batches;
  platform.fake.limits.change({ batchMs: 600_000 });
  const { id } = await create({ items: ['a', 'b', 'c', 'd'].map((name) => chat(`cancel ${name}`)) });
  await poll('it is accepted', async () => platform.fake.limits.counts.batches > before);
  await platform.client.post(`/batches/${id}/cancel`);
  expect(await ended(id)).toMatchObject({ status: 'cancelled', counts: { succeeded: 2, cancelled: 2 } });
  const costs = (await results(id)).map(({ execution }) => execution.usage.cost_usd > 0);
  expect(costs.filter(Boolean)).toHaveLength(2);
});

it('expiry: results that came before count, the others are expired', { timeout: 120_000 }, async () => {
  const before = platform.fake.limits.counts.batches;
  platform.fake.limits.change({ batchMs: 600_000 });
  const expires_at = new Date(Date.now() + 3_000).toISOString();
  const { id } = await create({ expires_at, items: ['a', 'b', 'c', 'd'].map((name) => chat(`expire ${name}`)) });
  await poll('it is accepted', async () => platform.fake.limits.counts.batches > before);
  expect(await ended(id)).toMatchObject({ status: 'completed', counts: { succeeded: 2, expired: 2 } });
});

it.each([
  [false, { succeeded: 1, failed: 2, expired: 1 }],
  [true, { succeeded: 3, failed: 1, expired: 0 }],
])(
  'items that the provider did not answer, with fallback: %s',
  async (economy_fallback, counts) => {
    const texts = ['fine', '[fail-400] bad', '[fail-503] away', '[expire] late'];
    const items = texts.map((text) => chat(`${text} ${economy_fallback}`));
    const { id } = await create({ economy_fallback, items });
    expect((await ended(id)).counts).toMatchObject(counts);
  },
  120_000,
);

it('models without a batch endpoint run the normal way', { timeout: 120_000 }, async () => {
  const { id, economy } = await create({
    items: [chat('here'), { body: { model: 'compatible/words-3', messages: [{ role: 'user', content: 'there' }] } }],
  });
  expect(economy).toMatchObject({ models: ['openai/gpt-4o'], other_models: ['compatible/words-3'] });
  expect((await ended(id)).counts).toMatchObject({ succeeded: 2 });
});

it.each([
  [{ kind: 'iris.image', items: [{ body: { prompt: 'a cat' } }] }, 'body.kind'],
  [{ items: [{ kind: 'iris.image', body: { prompt: 'a cat' } }] }, 'body.items.0.kind'],
  [{ defaults: { model: 'compatible/words-3' }, items: [chat('one')] }, 'body.economy'],
  [{ items: [{ body: { ...chat('one').body, knowledge: {} } }] }, 'body.items.0.body.knowledge'],
  [{ economy: false, economy_fallback: true, items: [chat('one')] }, 'body.economy_fallback'],
])('refuses %j', async (more, path) => {
  const head = { kind: 'chat.completion', defaults: { model: 'openai/gpt-4o' }, economy: true };
  const { status, body } = await platform.client.post('/batches', { ...head, ...more });
  expect(status).toBe(400);
  expect(body.error.details[0].path).toBe(path);
});
