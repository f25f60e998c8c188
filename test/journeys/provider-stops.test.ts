import { randomBytes } from 'node:crypto';
import { startWebhookReceiver, type WebhookReceiver } from '@chorus/testing';
import { Webhook } from 'standardwebhooks';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import type { Payload } from './event-stream.ts';
import { type Platform, startPlatform } from './platform.ts';
import type { PlatformProcess } from './platform-process.ts';
import { poll } from './poll.ts';

const SECRET = `whsec_${randomBytes(32).toString('base64')}`;
const LANE = 'openai/words-3';
const JOBS = 20;

let platform: Platform;
let receiver: WebhookReceiver;

beforeAll(async () => {
  receiver = await startWebhookReceiver();
  platform = await startPlatform({
    textWorkers: 2,
    maintenance: 2,
    models: ['words-3'],
    env: {
      OPENAI_API_KEY: '', // operators store it
      OUTBOUND_ALLOW: '127.0.0.1/32',
      OPERATOR_WEBHOOK_URL: receiver.url,
      OPERATOR_WEBHOOK_SECRET: SECRET,
      PROVIDER_WAIT_MS: '30000',
    },
  });
});
afterAll(async () => {
  await platform?.stop();
  await receiver?.close();
});
beforeEach(() => platform.showLogsOnFailure());

const storeKey = (apiKey: string) => platform.client.call('PATCH', '/providers/openai', { body: { api_key: apiKey } });
const laneOf = async (): Promise<Payload | undefined> =>
  (await platform.client.get('/lanes')).body.data.find(({ lane }: Payload) => lane === LANE);

it('keeps work while the key is refused, tells operators once, and goes on with a new key', {
  timeout: 240_000,
}, async () => {
  const { client, fake } = platform;
  await storeKey('sk-the-first-key');
  await poll('workers list the model', async () =>
    (await client.get('/models')).body.data.some(({ id }: Payload) => id === LANE),
  );
  fake.limits.change({ keyAccepted: 'sk-the-second-key' });
  const started = await Promise.all(
    Array.from({ length: JOBS }, (_, number) => client.start({ message: `Job ${number}`, model: LANE })),
  );
  await poll('the lane is stopped', async () => (await laneOf())?.reason === 'key');
  const [stopped] = await receiver.count(1);
  if (!stopped) throw new Error('nothing came');
  expect(new Webhook(SECRET).verify(stopped.body, stopped.headers as Record<string, string>)).toMatchObject({
    type: 'provider.stopped',
    data: { provider: 'openai', model: 'words-3', lane: LANE, reason: 'key' },
  });

  // Neither a restart nor another bad key makes it another stop.
  for (const one of platform.maintenance as PlatformProcess[]) await one.end('SIGKILL');
  await platform.startMaintenance();
  await storeKey('sk-another-bad-key');
  await poll('the other key is refused, too', async () => fake.limits.counts.keyRefused > 1);
  await poll('the lane is stopped again', async () => {
    const lane = await laneOf();
    return lane?.reason === 'key' && !lane.half_open;
  });
  const [worker] = platform.textWorkers as [PlatformProcess];
  await worker.end('SIGKILL');
  expect(await laneOf()).toMatchObject({ waiting: expect.any(Number), until: null });

  await storeKey('sk-the-second-key');
  await poll('all jobs succeed', async () => {
    const jobs = await Promise.all(started.map(async ({ id }) => (await client.get(`/jobs/${id}`)).body.status));
    return jobs.every((status) => status === 'succeeded');
  });
  const received = await receiver.count(2);
  expect(received.map(({ body }) => JSON.parse(body).type)).toEqual(['provider.stopped', 'provider.resumed']);
  expect(await laneOf()).toMatchObject({ waiting: 0, reason: null });
  const { data } = (await client.get('/audit?limit=100')).body;
  const actions = data.map(({ action }: Payload) => action).filter((action: string) => /^provider\./.test(action));
  expect(actions).toEqual(['provider.resumed', 'provider.stopped']);
});

it('a stream outlasts the change of a key that has worked', { timeout: 60_000 }, async () => {
  const { client, fake } = platform;
  const ask = () => client.stream({ model: LANE, messages: [{ role: 'user', content: 'Hello?' }] });
  for await (const _ of await ask());
  fake.limits.change({ keyAccepted: 'sk-the-third-key' });
  const stream = await ask();
  await poll('the lane is stopped', async () => (await laneOf())?.reason === 'key');
  await storeKey('sk-the-third-key');
  let text = '';
  for await (const { data } of stream) text += data?.choices?.[0]?.delta?.content ?? '';
  expect(text.trim().split(' ')).toHaveLength(3);
});
