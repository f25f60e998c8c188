import { APICallError } from '@ai-sdk/provider';
import { type FakeProviderName, startFakeOpenAI, startFakeProvider } from '@chorus/testing';
import { expect, onTestFinished, test } from 'vitest';
import { readLimits } from './limit-headers.ts';
import { toFailure } from './provider-failure.ts';

// The fakes' limits are what we read from their headers and refusals.

const CHAT = { model: 'words-1', max_tokens: 9, messages: [{ role: 'user', content: 'Hi' }], stream: true };
const limits = { requestsPerMinute: 2, tokensPerMinute: 10_000, retryAfterS: 7 };
const perMinute = { limit: 2, remaining: 0, perMs: 60_000 };

test.each<[name: FakeProviderName | 'openai', path: string, body: object, requests: object | null]>([
  ['openai', '/chat/completions', CHAT, perMinute],
  ['anthropic', '/messages', CHAT, perMinute],
  ['mistral', '/chat/completions', CHAT, perMinute],
  ['groq', '/chat/completions', CHAT, { limit: 2_880, remaining: 2_878, perMs: 86_400_000 }],
  ['google', '/models/words-1:streamGenerateContent', { contents: [{ role: 'user', parts: [{ text: 'Hi' }] }] }, null],
  ['fal', '/fal-ai/flux', { prompt: 'Hi' }, null],
  ['elevenlabs', '/v1/text-to-speech/voice', { text: 'Hi', model_id: 'x' }, null],
  ['deepgram', '/v1/speak?model=x', { text: 'Hi' }, null],
])('%s', async (name, path, body, requests) => {
  const fake = name === 'openai' ? await startFakeOpenAI({ limits }) : await startFakeProvider(name, { limits });
  onTestFinished(() => fake.close());
  const ask = async () => {
    const headers = { 'content-type': 'application/json' };
    const response = await fetch(fake.url + path, { method: 'POST', headers, body: JSON.stringify(body) });
    return { status: response.status, headers: Object.fromEntries(response.headers), text: await response.text() };
  };
  const failed = async () => {
    const { status: statusCode, headers: responseHeaders, text: responseBody } = await ask();
    const request = { message: '', url: '', requestBodyValues: {} };
    const error = new APICallError({ ...request, statusCode, responseHeaders, responseBody });
    return toFailure(error, { provider: name, secrets: [] });
  };
  await ask();
  const read = readLimits((await ask()).headers, Date.now());
  if (requests === null) expect(read).toBeNull();
  else expect(read).toMatchObject({ requests, tokens: { limit: 10_000, perMs: 60_000 } });

  const slow = await failed();
  expect(slow).toMatchObject({ class: 'slow_down', error: { code: 'provider_rate_limited' } });
  expect(slow.retryAfterMs).toBeGreaterThanOrEqual(7_000);
  fake.limits.change({ away: true });
  expect(await failed()).toMatchObject({ class: 'away', error: { code: 'provider_unavailable' } });
  fake.limits.change({ away: false, keyAccepted: false });
  expect(await failed()).toMatchObject({ class: 'stopped', stopReason: 'key' });
});
