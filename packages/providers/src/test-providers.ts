import { type ChatMessage, type ChatSettings, PROVIDERS, type ProviderName } from '@chorus/contract';
import { createLogger } from '@chorus/runtime/log';
import {
  type FakeOpenAI,
  type FakeOpenAIOptions,
  type FakeProvider,
  type FakeProviderName,
  fakeVector,
  startFakeOpenAI,
  startFakeProvider,
} from '@chorus/testing';
import { afterEach } from 'vitest';
import type { FallbackPart } from './fallback.ts';
import type { ChatPart, PromptCache, ProviderSettings } from './provider-port.ts';
import { createProviders, type Providers, type ProvidersOptions } from './providers.ts';

const KEY = 'sk-fake-secret-0123456789';
export const log = createLogger({ name: 'test', level: 'silent' });
export const closers: (() => unknown)[] = [];

afterEach(async () => {
  await Promise.all(closers.splice(0).map((close) => close()));
});

/** Disables all providers except the given ones. */
export function settingsOf(
  on: Partial<Record<ProviderName, ProviderSettings>>,
): Record<ProviderName, ProviderSettings> {
  const off = Object.fromEntries(PROVIDERS.map((name) => [name, { apiKey: null, baseUrl: null }]));
  return { ...(off as Record<ProviderName, ProviderSettings>), ...on };
}

/** Starts a fake provider with `openai` and `compatible` configured to call it. */
export async function start(options: FakeOpenAIOptions & Partial<ProvidersOptions> = {}) {
  const fake = await startFakeOpenAI(options);
  const { idleTimeoutMs, fallbacks, gate, observer } = options;
  const settings = settingsOf({
    openai: { apiKey: KEY, baseUrl: fake.url },
    compatible: { apiKey: KEY, baseUrl: fake.url },
  });
  const providers = createProviders(settings, {
    log,
    ...(idleTimeoutMs !== undefined && { idleTimeoutMs }),
    ...(fallbacks !== undefined && { fallbacks }),
    ...(gate !== undefined && { gate }),
    ...(observer !== undefined && { observer }),
  });
  closers.push(() => providers.close(), fake.close);
  await providers.ready();
  return { fake, providers };
}

interface Answer {
  text: string;
  parts: (ChatPart | FallbackPart)[];
  error: unknown;
}

export async function ask(
  providers: Providers,
  model: string,
  more: {
    messages?: ChatMessage[];
    settings?: ChatSettings;
    cache?: PromptCache;
    signal?: AbortSignal;
    mayReset?: boolean;
    endsAt?: number;
  } = {},
): Promise<Answer> {
  const parts: Answer['parts'] = [];
  let error: unknown = null;
  try {
    const {
      messages = [{ role: 'user', content: 'one two' }],
      settings = {},
      cache,
      signal = new AbortController().signal,
      mayReset = true,
      endsAt,
    } = more;
    const options = { signal, executionId: 'job_test', mayReset, ...(endsAt !== undefined && { endsAt }) };
    for await (const part of providers.streamChat({ model, messages, settings, ...(cache && { cache }) }, options))
      parts.push(part);
  } catch (thrown) {
    error = thrown;
  }
  return { text: parts.map((part) => (part.type === 'text' ? part.text : '')).join(''), parts, error };
}

/** The fake's chat requests, without requests for model lists. */
export function calls(fake: FakeOpenAI) {
  return fake.requests.filter(({ path }) => path !== '/v1/models');
}

/** Fake keys that tests search for where keys must not appear. */
export const PLANTED_KEY = 'planted-0123456789abcdef-key';

/** Starts a fake of one provider, and configures that provider to call it. */
export async function startFake(
  name: FakeProviderName,
  options: Partial<ProvidersOptions> & NonNullable<Parameters<typeof startFakeProvider>[1]> = {},
): Promise<{ fake: FakeProvider; providers: Providers }> {
  const { script } = options;
  const fake = await startFakeProvider(name, { apiKey: options.apiKey ?? PLANTED_KEY, ...(script && { script }) });
  const own = settingsOf({ [name]: { apiKey: PLANTED_KEY, baseUrl: fake.url } });
  const providers = createProviders(own, { log, ...options });
  closers.push(() => providers.close(), fake.close);
  await providers.ready();
  return { fake, providers };
}

/** The fake's requests except for its model list. */
export function callsTo(fake: FakeProvider) {
  return fake.requests.filter(({ method, path }) => method !== 'GET' || !path.endsWith('/models'));
}

/** Returns the scaled form of the fakes' vector for a text. */
export function expectedVector(text: string, dimensions?: number): Float32Array {
  const vector = Float32Array.from(fakeVector(text, dimensions));
  const length = Math.sqrt(vector.reduce((sum, value) => sum + value * value, 0));
  return vector.map((value) => value / length);
}
