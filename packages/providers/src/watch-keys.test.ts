import type { StoredProviderKey } from '@chorus/contract';
import { announceSettings } from '@chorus/events';
import { startFakeOpenAI, startRedis, type TestRedis } from '@chorus/testing';
import { Redis } from 'ioredis';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { createProviders } from './providers.ts';
import { ask, log, settingsOf } from './test-providers.ts';
import { watchKeys, withStored } from './watch-keys.ts';

let server: TestRedis;
beforeAll(async () => {
  server = await startRedis();
});
afterAll(() => server.stop());

const key = (apiKey: string, over: Partial<StoredProviderKey> = {}): StoredProviderKey => ({
  provider: 'openai',
  apiKey,
  baseUrl: null,
  ...over,
});

/** Keys take effect within a second, as the console promises. */
const SOON = { timeout: 1_000, interval: 20 };

test('applies stored keys immediately: a first one, another one, and none', async () => {
  const fake = await startFakeOpenAI({ models: ['words-2'] });
  const redis = new Redis({ path: server.socketPath });
  const subscriber = redis.duplicate();
  let stored: StoredProviderKey[] = [];
  const store = { open: async () => stored };
  const environment = settingsOf({ openai: { apiKey: null, baseUrl: fake.url } });
  const providers = createProviders(environment, { log });
  let changes = 0;
  providers.onChange(() => {
    changes += 1;
  });
  const stop = await watchKeys(
    { redis, subscriber, store, log },
    environment,
    (settings) => void providers.configure(settings),
  );
  onTestFinished(async () => {
    stop();
    redis.disconnect();
    subscriber.disconnect();
    await Promise.all([providers.close(), fake.close()]);
  });
  const change = async (next: StoredProviderKey[]) => {
    stored = next;
    await announceSettings(redis, 'provider_keys');
  };
  const sources = () => providers.status().flatMap(({ name, source }) => (name === 'openai' ? [source] : []));
  expect(sources()).toEqual([]);

  await change([key('sk-the-first-key')]);
  await expect.poll(sources, SOON).toEqual(['stored']);
  expect((await ask(providers, 'openai/words-2')).text).toBe('w1 w2');
  await change([key('sk-another-key')]);
  const sent = async () => {
    await ask(providers, 'openai/words-2');
    return fake.requests.at(-1)?.headers.authorization;
  };
  await expect.poll(sent, SOON).toBe('Bearer sk-another-key');
  await change([]);
  await expect.poll(sources, SOON).toEqual([]);
  expect((await ask(providers, 'openai/words-2')).error).toMatchObject({ code: 'model_not_found' });
  expect(changes).toBeGreaterThanOrEqual(3);
});

test('a key or address in the environment takes precedence', () => {
  const own = settingsOf({
    openai: { apiKey: 'sk-of-environment', baseUrl: null },
    compatible: { apiKey: null, baseUrl: 'http://127.0.0.1:1/v1' },
    groq: { apiKey: null, baseUrl: 'http://127.0.0.1:2/v1' },
  });
  const other = key('sk-stored-one', { provider: 'compatible', baseUrl: 'http://127.0.0.1:3/v1' });
  const all = withStored(own, [key('sk-stored-one'), other, key('gsk-stored', { provider: 'groq' })]);
  expect([all.openai, all.compatible]).toEqual([own.openai, own.compatible]);
  expect(all.groq).toEqual({ apiKey: 'gsk-stored', baseUrl: 'http://127.0.0.1:2/v1', source: 'stored' });
});
