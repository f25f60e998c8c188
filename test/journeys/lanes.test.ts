import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { runLoad, runStreams } from '../bench/lanes/load.ts';
import type { Payload } from './event-stream.ts';
import { type Platform, startPlatform } from './platform.ts';
import { poll } from './poll.ts';

/** A provider that takes eight calls at once, answers after 100 ms, and says "slow down" beyond. */
const LIMITS = { concurrent: 8, latencyMs: 100, retryAfterS: 1 } as const;

const MODELS = { chatModel: 'openai/words-3', imageModel: '' };
const NOTHING = { chats: 0, images: 0, documents: 0 };

/** How long the provider of embeddings is away, and the documents that wait for it. */
const EMBEDDINGS_AWAY_MS = 8_000;
const DOCUMENTS = 200;

/** Takes 400 ms from the first word to the last. */
const SLOW = 'words-20-delay-20';

let platform: Platform;
/** When the provider answers requests for embeddings again. */
let embedsAt = 0;
let unanswered = 0;

beforeAll(async () => {
  platform = await startPlatform({
    models: ['words-3', SLOW, 'text-embedding-3-small'],
    textWorkers: 2,
    knowledgeWorkers: 1,
    maintenance: 1,
    script: ({ path }) => {
      if (path !== '/v1/embeddings' || performance.now() > embedsAt) return undefined;
      unanswered += 1;
      return { kind: 'fail', status: 503 };
    },
    env: { EMBEDDING_MODEL: 'openai/text-embedding-3-small', PROVIDER_WAIT_MS: '30000' },
  });
});
afterAll(() => platform?.stop());
beforeEach(() => {
  platform.showLogsOnFailure();
  platform.fake.limits.change({ ...LIMITS, queues: false, away: false, keyAccepted: true, failShare: 0 });
});

const lane = async (name = 'openai/words-3'): Promise<Payload> => {
  const { body } = await platform.client.get('/lanes');
  return body.data.find((one: Payload) => one.lane === name);
};

it('runs a batch within the limit of its provider, beside streams, while a worker dies', async () => {
  const { client, fake, textWorkers } = platform;
  const ending = new AbortController();
  const streaming = runStreams(client, 'beside', 'openai/words-3', ending.signal);
  const running = runLoad(client, 'limited', { ...NOTHING, chats: 150 }, MODELS);
  await poll(
    'a call is refused',
    () => fake.limits.counts.refused > 0 || fake.limits.counts.accepted > 40 || undefined,
  );
  await textWorkers[0]?.end('SIGKILL');
  await textWorkers[0]?.start();
  const { succeeded, failed } = await running;
  ending.abort();
  const streams = await streaming;
  expect({ succeeded, failed, streams: streams.failed }).toEqual({ succeeded: 150, failed: [], streams: [] });
  const { counts } = fake.limits;
  expect(counts.mostAtOnce).toBeLessThanOrEqual(LIMITS.concurrent);
  // While it learns, and again while the killed worker's calls still count.
  expect(counts.refused).toBeLessThan(60);
  expect(await lane()).toMatchObject({ reason: null, set_limit: null });
});

it('waits for a provider that is away, and says so', async () => {
  const { client, fake } = platform;
  fake.limits.change({ away: true });
  const running = runLoad(client, 'away', { ...NOTHING, chats: 60, documents: 10 }, MODELS);
  await poll('the lane is closed', async () => (await lane())?.reason === 'away' || undefined);
  await poll('the batch of chats names its provider', async () => {
    const { data } = (await client.get('/batches?limit=2')).body;
    return data.some(({ progress }: Payload) => progress.waiting_for[0]?.provider === 'openai') || undefined;
  });
  const waiting = await client.start({ message: 'Hi', model: 'openai/words-3' });
  await poll('the job names its provider', async () => {
    const { status, waiting_for } = await client.job(waiting.id);
    return (status === 'queued' && waiting_for?.reason === 'away') || undefined;
  });
  fake.limits.change({ away: false });
  expect(await running).toMatchObject({ succeeded: 70, failed: [] });
  expect((await client.waitForJob(waiting.id)).status).toBe('succeeded');
  expect(fake.limits.counts.sentAgain.filter((prompt) => prompt.startsWith('away'))).toEqual([]);
}, 120_000);

it('lets documents wait for their embeddings, while chats go on and a worker dies', async () => {
  const { client, knowledgeWorkers } = platform;
  const embeddings = () => lane('openai/text-embedding-3-small');
  platform.fake.limits.change({ concurrent: null });
  embedsAt = Number.POSITIVE_INFINITY;
  const running = runLoad(client, 'late', { ...NOTHING, documents: 20 }, MODELS);
  const before = (await client.get('/console/knowledge')).body.counts.ready;
  const posted = await Promise.all(
    Array.from({ length: DOCUMENTS }, (_, at) =>
      client.post('/console/knowledge', { content: `The late document ${at} has no vectors.` }),
    ),
  );
  const entry = posted[0]?.body;
  await poll('all documents wait in the lane', async () => (await embeddings())?.waiting >= DOCUMENTS || undefined);
  await poll('the document and its job name the provider', async () => {
    const { body } = await client.get(`/console/knowledge/${entry.id}`);
    const { status, waiting_for } = await client.job(entry.execution_id);
    const isNamed = [body.waiting_for, waiting_for].every((wait) => wait?.provider === 'openai');
    return (status === 'queued' && isNamed) || undefined;
  });
  await poll('the batch names the provider', async () => {
    const { data } = (await client.get('/batches?limit=1')).body;
    return data[0].progress.waiting_for[0]?.model === 'openai/text-embedding-3-small' || undefined;
  });
  await knowledgeWorkers[0]?.end('SIGKILL');
  await knowledgeWorkers[0]?.start();
  embedsAt = performance.now() + EMBEDDINGS_AWAY_MS;
  const asked = unanswered;
  while (performance.now() < embedsAt) {
    const began = performance.now();
    expect((await client.chat({ message: 'Hi', model: 'openai/words-3' })).body.status).toBe('succeeded');
    expect(performance.now() - began).toBeLessThan(5_000);
  }
  // Three calls for each test of the lane, since calls are repeated at once.
  expect(unanswered - asked).toBeLessThan(30);
  expect(await running).toMatchObject({ succeeded: 20, failed: [] });
  const counts = await poll('all documents are ready', async () => {
    const { counts: now } = (await client.get('/console/knowledge')).body;
    return now.processing === 0 && now;
  });
  expect(counts).toMatchObject({ ready: before + DOCUMENTS + 20, failed: 0 });
  expect(await embeddings()).toMatchObject({ waiting: 0, reason: null });
}, 120_000);

it('stops at a refused key, and goes on once an operator resumes it', async () => {
  const { client, fake } = platform;
  fake.limits.change({ keyAccepted: false });
  const running = runLoad(client, 'key', { ...NOTHING, chats: 40 }, MODELS);
  await poll('the lane is paused', async () => (await lane())?.reason === 'key' || undefined);
  // The key has worked before, so a caller waits as well.
  const asking = client.chat({ message: 'Hi', model: 'openai/words-3' });
  const refused = fake.limits.counts.keyRefused;
  fake.limits.change({ keyAccepted: true });
  expect((await client.post('/lanes/resume', { provider: 'openai' })).status).toBe(200);
  expect((await asking).body).toMatchObject({ status: 'succeeded' });
  expect(await running).toMatchObject({ succeeded: 40, failed: [] });
  expect(fake.limits.counts.keyRefused).toBeLessThanOrEqual(refused + 2);
}, 120_000);

it('is not stopped by single failures and broken connections', async () => {
  platform.fake.limits.change({ failShare: 0.05, concurrent: null });
  const running = runLoad(platform.client, 'shaky', { ...NOTHING, chats: 100, documents: 10 }, MODELS);
  expect(await running).toMatchObject({ succeeded: 110, failed: [] });
}, 120_000);

it('finds how many calls a local server runs at once, though it refuses none', async () => {
  const { client, fake } = platform;
  fake.limits.change({ concurrent: 4, queues: true });
  const model = `compatible/${SLOW}`;
  const running = runLoad(client, 'local', { ...NOTHING, chats: 240 }, { ...MODELS, chatModel: model });
  await poll('the limit is found', async () => {
    const { limit, accepted } = (await lane(model)) ?? {};
    return (accepted > 40 && limit >= 4 && limit <= 7) || undefined;
  });
  expect(await running).toMatchObject({ succeeded: 240, failed: [] });
}, 120_000);
