import { type ChatMessage, PROVIDERS, type ProviderName, type SamplingSettings } from '@chorus/contract';
import { createLogger } from '@chorus/log';
import { type FakeOpenAI, type FakeOpenAIOptions, startFakeOpenAI } from '@chorus/testing';
import { afterEach } from 'vitest';
import type { FallbackPart } from './fallback.ts';
import type { ChatPart, ProviderSettings } from './provider-port.ts';
import { createProviders, type Providers, type ProvidersOptions } from './providers.ts';

const KEY = 'sk-fake-secret-0123456789';
export const log = createLogger({ name: 'test', level: 'silent' });
/** What each test leaves to be ended after it. */
export const closers: (() => unknown)[] = [];

afterEach(async () => {
  await Promise.all(closers.splice(0).map((close) => close()));
});

/** Every provider off but those named. */
export function settingsOf(
  on: Partial<Record<ProviderName, ProviderSettings>>,
): Record<ProviderName, ProviderSettings> {
  const off = Object.fromEntries(PROVIDERS.map((name) => [name, { apiKey: null, baseUrl: null }]));
  return { ...(off as Record<ProviderName, ProviderSettings>), ...on };
}

/** A fake provider, and `openai` and `compatible` configured to ask it. */
export async function start(options: FakeOpenAIOptions & Partial<ProvidersOptions> = {}) {
  const fake = await startFakeOpenAI(options);
  const { idleTimeoutMs, fallbacks, gateOf } = options;
  const settings = settingsOf({
    openai: { apiKey: KEY, baseUrl: fake.url },
    compatible: { apiKey: KEY, baseUrl: fake.url },
  });
  const providers = createProviders(settings, {
    log,
    ...(idleTimeoutMs !== undefined && { idleTimeoutMs }),
    ...(fallbacks !== undefined && { fallbacks }),
    ...(gateOf !== undefined && { gateOf }),
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

/** Asks once and gives all that came, an error too. */
export async function ask(
  providers: Providers,
  model: string,
  more: {
    messages?: ChatMessage[];
    settings?: SamplingSettings;
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
      signal = new AbortController().signal,
      mayReset = true,
      endsAt,
    } = more;
    const options = { signal, executionId: 'job_test', mayReset, ...(endsAt !== undefined && { endsAt }) };
    for await (const part of providers.streamChat({ model, messages, settings }, options)) parts.push(part);
  } catch (thrown) {
    error = thrown;
  }
  return { text: parts.map((part) => (part.type === 'text' ? part.text : '')).join(''), parts, error };
}

/** The chat calls that the fake saw; lists of models come in between at their own time. */
export function calls(fake: FakeOpenAI) {
  return fake.requests.filter(({ path }) => path !== '/v1/models');
}
