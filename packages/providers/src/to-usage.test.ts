import { expect, test } from 'vitest';
import { toUsage } from './to-usage.ts';

const usage = (raw: object) => ({
  inputTokens: { total: 100, noCache: 80, cacheRead: 20, cacheWrite: undefined },
  outputTokens: { total: 30, text: 20, reasoning: 10 },
  raw: raw as Record<string, never>,
});

test('totals include cached, reasoning and audio tokens', () => {
  const counts = {
    input_tokens: 100,
    output_tokens: 30,
    total_tokens: 130,
    cached_input_tokens: 20,
    reasoning_tokens: 10,
    audio_input_tokens: 7,
  };
  const openai = { prompt_tokens_details: { audio_tokens: 7 }, completion_tokens_details: { audio_tokens: 3 } };
  expect(toUsage('compatible/x', usage(openai))).toEqual({ ...counts, audio_output_tokens: 3, cost_usd: null });
  const google = {
    promptTokensDetails: [
      { modality: 'TEXT', tokenCount: 93 },
      { modality: 'AUDIO', tokenCount: 7 },
    ],
  };
  expect(toUsage('google/gemini-2.0-flash', usage(google))).toEqual({ ...counts, cost_usd: 0.0000247 });
});

test('leaves out tokens that a provider does not count', () => {
  const nothing = { total: undefined, noCache: undefined, cacheRead: undefined, cacheWrite: undefined };
  const none = { inputTokens: nothing, outputTokens: { total: undefined, text: undefined, reasoning: undefined } };
  expect(toUsage('compatible/x', none)).toEqual({ input_tokens: 0, output_tokens: 0, total_tokens: 0, cost_usd: null });
  expect(toUsage('compatible/x', usage({ prompt_tokens_details: 'odd' }))).not.toHaveProperty('audio_input_tokens');
});

test('converts invalid numbers to counts', () => {
  const odd = {
    inputTokens: { total: 1.5, noCache: 1.5, cacheRead: -1, cacheWrite: undefined },
    outputTokens: { total: 1e300, text: undefined, reasoning: undefined },
  };
  expect(toUsage('compatible/x', odd)).toEqual({
    input_tokens: 2,
    output_tokens: 1e9,
    total_tokens: 1e9 + 2,
    cost_usd: null,
  });
});
