import type { ProviderName } from '@chorus/contract';
import { expect, test } from 'vitest';
import { createProviders } from './providers.ts';
import { ask, callsTo, closers, log, settingsOf, start, startFake } from './test-providers.ts';

/** Nothing listens there, since finding unsupported settings must not need the provider. */
const NOWHERE = 'http://127.0.0.1:9';

async function modelsOf(provider: ProviderName): Promise<(model: string) => string[]> {
  const settings = settingsOf({ [provider]: { apiKey: 'sk-fake', baseUrl: NOWHERE } });
  const providers = createProviders(settings, { log });
  closers.push(() => providers.close());
  await providers.ready();
  return (model) => {
    const found = providers.models().find(({ id }) => id === `${provider}/${model}`);
    expect(found).toBeDefined();
    return (found?.unsupported_settings ?? []).toSorted();
  };
}

const SAMPLING = ['temperature', 'top_p', 'presence_penalty', 'frequency_penalty'];
const NO_LOGPROBS = ['logit_bias', 'logprobs', 'top_logprobs', 'verbosity'];

test('OpenAI’s reasoning models refuse sampling settings, others do not', async () => {
  const unsupported = await modelsOf('openai');
  const reasoning = [...SAMPLING, 'logit_bias', 'service_tier.scale'].sort();
  await expect.poll(() => unsupported('gpt-5')).toEqual(reasoning);
  await expect
    .poll(() => unsupported('gpt-5.1'))
    .toEqual(expect.arrayContaining(['presence_penalty', 'temperature.while_reasoning', 'top_p.while_reasoning']));
  await expect.poll(() => unsupported('gpt-4o')).toEqual(['service_tier.flex', 'service_tier.scale']);
});

test('Claude refuses seeds, penalties and probabilities', async () => {
  const unsupported = await modelsOf('anthropic');
  const tiers = ['service_tier.flex', 'service_tier.priority', 'service_tier.scale'];
  const refused = ['seed', 'presence_penalty', 'frequency_penalty', 'input_audio', ...NO_LOGPROBS, ...tiers].sort();
  await expect.poll(() => unsupported('claude-sonnet-4-5')).toEqual(refused);
});

test('Gemini refuses to disable parallel calls, and Gemini 2.5 also refuses penalties', async () => {
  const unsupported = await modelsOf('google');
  const refused = [
    'presence_penalty',
    'frequency_penalty',
    'parallel_tool_calls',
    ...NO_LOGPROBS,
    'service_tier.scale',
  ];
  await expect.poll(() => unsupported('gemini-2.5-flash')).toEqual(refused.sort());
});

test('Mistral refuses an effort for models that do not reason', async () => {
  const unsupported = await modelsOf('mistral');
  await expect
    .poll(() => unsupported('codestral-latest'))
    .toEqual(expect.arrayContaining(['reasoning_effort', 'input_audio']));
});

test('Groq refuses schemas and effort with Llama', async () => {
  const unsupported = await modelsOf('groq');
  await expect
    .poll(() => unsupported('llama-3.3-70b-versatile'))
    .toEqual(expect.arrayContaining(['reasoning_effort', 'response_format.json_schema', 'file', 'service_tier.scale']));
});

test('a compatible server may accept anything', async () => {
  const { providers } = await start({ models: ['llama3'] });
  await expect.poll(() => providers.models().some(({ id }) => id === 'compatible/llama3')).toBe(true);
  expect(providers.models().find(({ id }) => id === 'compatible/llama3')).not.toHaveProperty('unsupported_settings');
});

test('features that a model is known to refuse fail the call before it is sent', async () => {
  const { fake, providers } = await startFake('anthropic');
  const { error } = await ask(providers, 'anthropic/words-3', { settings: { logprobs: true } });
  expect(error).toMatchObject({
    code: 'invalid_request',
    message: '`logprobs` is not supported by anthropic/words-3',
  });
  expect(callsTo(fake)).toEqual([]);
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
