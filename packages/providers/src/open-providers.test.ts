import type { StoredProviderKey } from '@chorus/contract';
import { announceSettings, connectRedis } from '@chorus/events';
import { startFakeOpenAI, startRedis, type TestRedis } from '@chorus/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openProviders } from './open-providers.ts';
import { ask, closers, log, settingsOf } from './test-providers.ts';

const LANE = 'openai/words-2';
const GOOD = 'sk-the-second-key';

let server: TestRedis;
beforeAll(async () => {
  server = await startRedis();
});
afterAll(() => server.stop());

const storedKey = (apiKey: string): StoredProviderKey => ({ provider: 'openai', apiKey, baseUrl: null });

/** Starts several processes with a fake provider that refuses the stored key. */
async function startProcesses(count: number) {
  const fake = await startFakeOpenAI({ models: ['words-2'], limits: { keyAccepted: GOOD } });
  closers.push(fake.close);
  let stored = [storedKey('sk-the-first-key')];
  const connect = () => {
    const connection = connectRedis({ url: server.url, cluster: false }, 'worker');
    connection.on('error', () => undefined);
    closers.push(() => connection.disconnect());
    return connection;
  };
  const environment = settingsOf({ openai: { apiKey: null, baseUrl: fake.url } });
  const providers = Object.fromEntries(
    Object.entries(environment).map(([name, settings]) => [name, { ...settings, maxConcurrency: null }]),
  ) as Parameters<typeof openProviders>[0]['providers'];
  const config = {
    providers,
    modelLimits: new Map<string, number>(),
    providerIdleTimeoutMs: 10_000,
    embeddedModelPath: null,
    modelsFolder: '/nonexistent',
    chat: { fallbacks: [] },
    modelPrices: [],
  };
  const database = { providerKeys: { open: async () => stored } };
  const processes = await Promise.all(
    Array.from({ length: count }, async () => {
      const opened = await openProviders(config, { redis: connect(), subscriber: connect(), database, log });
      closers.unshift(() => opened.close());
      return opened;
    }),
  );
  const redis = connect();
  return {
    processes,
    reasonOf: async () => (await processes[0]?.lanes.read([LANE]))?.[0]?.reason,
    change: async (apiKey: string) => {
      stored = [storedKey(apiKey)];
      await announceSettings(redis, 'provider_keys');
    },
  };
}

test('a new key resumes the lanes of its provider in all processes', async () => {
  const { processes, change, reasonOf } = await startProcesses(3);
  const texts = async () => {
    const answers = await Promise.all(processes.map((providers) => ask(providers, LANE)));
    return answers.map(({ text, error }) => text || (error as { code: string }).code);
  };
  await expect.poll(reasonOf).toBeNull();
  expect(await texts()).toEqual(Array(3).fill('provider_auth'));
  await expect.poll(reasonOf).toBe('key');
  await change('sk-another-bad-key');
  await expect.poll(texts, { timeout: 20_000 }).toEqual(Array(3).fill('provider_auth'));
  await change(GOOD);
  await expect.poll(texts, { timeout: 20_000 }).toEqual(Array(3).fill('w1 w2'));
  expect(await reasonOf()).toBeNull();
});

test('a call that began with the former key does not stop its lane for good', async () => {
  const { processes, change, reasonOf } = await startProcesses(1);
  const [providers] = processes;
  if (!providers) throw new Error('no process');
  await change(GOOD);
  await expect.poll(async () => (await ask(providers, LANE)).text, { timeout: 20_000 }).toBe('w1 w2');
  const pass = await providers.lanes.enter(LANE, {
    signal: new AbortController().signal,
    maxWaitMs: 5_000,
    user: 'one',
  });
  pass.stopped('key');
  pass.leave();
  await expect.poll(reasonOf).toBe('key');
  await expect.poll(async () => (await ask(providers, LANE)).text, { timeout: 20_000 }).toBe('w1 w2');
});
