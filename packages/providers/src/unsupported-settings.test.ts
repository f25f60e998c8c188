import type { ProviderName } from '@chorus/contract';
import { expect, test } from 'vitest';
import { createProviders } from './providers.ts';
import { ask, closers, log, settingsOf, start } from './test-providers.ts';

/** Nothing listens there: finding unsupported settings must not need the provider. */
const NOWHERE = 'http://127.0.0.1:9';

async function unsupportedOf(provider: ProviderName, model: string): Promise<string[] | undefined> {
  const settings = settingsOf({ [provider]: { apiKey: 'sk-fake', baseUrl: NOWHERE } });
  const providers = createProviders(settings, { log });
  closers.push(() => providers.close());
  await providers.ready();
  const find = () => providers.models().find(({ id }) => id === `${provider}/${model}`);
  expect(find()).toBeDefined();
  // Checked in the background; a model that supports everything never gets the field.
  const chat = () => providers.models().filter(({ capabilities }) => capabilities.includes('chat'));
  await expect.poll(() => chat().some((each) => each.unsupported_settings !== undefined)).toBe(true);
  return find()?.unsupported_settings;
}

test('OpenAI’s reasoning models refuse sampling settings, others do not', async () => {
  const reasoning = ['temperature', 'top_p', 'presence_penalty', 'frequency_penalty'];
  expect((await unsupportedOf('openai', 'gpt-5'))?.sort()).toEqual(reasoning.sort());
  expect(await unsupportedOf('openai', 'gpt-4o')).toBeUndefined();
});

test('Claude refuses seeds and penalties, Gemini 2.5 only penalties', async () => {
  expect(await unsupportedOf('anthropic', 'claude-sonnet-4-5')).toEqual(
    expect.arrayContaining(['seed', 'presence_penalty', 'frequency_penalty']),
  );
  expect(await unsupportedOf('google', 'gemini-2.5-flash')).toEqual(['frequency_penalty', 'presence_penalty']);
});

test('a dropped setting fails the call, unless the caller is lenient', async () => {
  const { providers, fake } = await start();
  const { error, text } = await ask(providers, 'openai/gpt-5-words-3', { settings: { temperature: 0.2 } });
  expect(error).toMatchObject({
    code: 'invalid_request',
    message: expect.stringMatching(/^`temperature` is not supported by openai\/gpt-5-words-3/),
  });
  expect(text).toBe('');
  const call = { model: 'openai/gpt-5-words-3', messages: [{ role: 'user' as const, content: 'go' }], lenient: true };
  const options = { signal: new AbortController().signal, executionId: 'job_x', mayReset: true };
  let words = '';
  for await (const part of providers.streamChat({ ...call, settings: { temperature: 0.2 } }, options))
    if (part.type === 'text') words += part.text;
  expect(words).not.toBe('');
  expect(fake.requests.at(-1)?.body).not.toHaveProperty('temperature');
});
