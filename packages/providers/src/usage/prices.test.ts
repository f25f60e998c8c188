import { type Demand, mostTokens } from '@chorus/contract';
import { expect, test } from 'vitest';
import { estimateImage } from '../estimate-image.ts';
import { mostCostOf } from './most-cost.ts';
import { costOf, costOfImage, costOfSpeech, costOfTranscript, costOfVideo, isPriced, usePrices } from './prices.ts';

const tokens = (some: Partial<Parameters<typeof costOf>[1]>) => ({
  input: 0,
  cached: 0,
  written: 0,
  output: 0,
  ...some,
});

test('cost: each kind of token at its own price', () => {
  expect(costOf('openai/gpt-4o', tokens({ input: 1_000_000, output: 100_000 }))).toBe(3.5);
  expect(costOf('openai/gpt-4o', tokens({ input: 1_000_000, cached: 400_000 }))).toBe(2);
  expect(costOf('anthropic/claude-haiku-4-5', tokens({ input: 1_000, cached: 500, written: 400, output: 10 }))).toBe(
    0.0007,
  );
  expect(costOf('openai/gpt-5-nano', tokens({ input: 3 }))).toBe(0.00000015);
});

test('cost: a dated name costs the same as the model without the date', () => {
  expect(costOf('openai/gpt-4o-2024-08-06', tokens({ input: 1_000_000 }))).toBe(2.5);
  expect(costOf('anthropic/claude-sonnet-4-5-20250929', tokens({ output: 1_000_000 }))).toBe(15);
});

test('cost: unknown is null, never a guess', () => {
  expect(costOf('openai/gpt-99', tokens({ input: 1 }))).toBeNull();
  expect(costOf('compatible/gpt-4o', tokens({ input: 1 }))).toBeNull();
  expect(costOf('google/gemini-2.5-pro', tokens({ input: 200_001 }))).toBeNull();
  expect(costOf('groq/llama-3.1-8b-instant', tokens({ input: 10, cached: 5 }))).toBeNull();
});

test.each([
  ['openai/gpt-4o', { input: 1_000_000, cached: 400_000, output: 100_000 }, 1.5],
  ['anthropic/claude-haiku-4-5', { input: 1_000, cached: 500, written: 400, output: 10 }, 0.00035],
  ['google/gemini-2.5-flash', { input: 1_000_000, output: 100_000 }, 0.275],
  // Cached input costs as much as other input of a batch.
  ['groq/llama-3.1-8b-instant', { input: 1_000_000, cached: 1_000_000 }, 0.025],
  ['compatible/gpt-4o', { input: 1_000 }, null],
])('cost in a batch: %s', (model, some, cost) => {
  expect(costOf(model, { ...tokens(some), inBatch: true })).toBe(cost);
});

test('cost: input images have their own price', () => {
  const gpt = 'openai/gpt-image-1';
  expect(costOf(gpt, tokens({ input: 1_000, ofImages: 400, output: 100 }))).toBe(0.011);
  expect(costOf(gpt, tokens({ input: 1_000, ofImages: null, output: 100 }))).toBeNull();
});

test('cost: audio has its own price, or an unknown one', () => {
  expect(costOf('google/gemini-2.5-flash', tokens({ input: 1_000_000, ofAudio: 400_000 }))).toBe(0.58);
  expect(costOf('openai/gpt-4o', tokens({ input: 10, ofAudio: 1 }))).toBeNull();
  expect(costOf('google/gemini-2.5-flash', tokens({ output: 10, speaks: true }))).toBeNull();
});

test('cost: images and videos by count, size, or second', () => {
  const square = { width: 1024, height: 1024 };
  expect(costOfImage('openai/dall-e-3', null)).toBe(0.04);
  expect(costOfImage('openai/dall-e-3', { width: 1792, height: 1024 })).toBe(0.08);
  expect(costOfImage('openai/dall-e-3', { width: 10, height: 10 })).toBeNull();
  expect(costOfImage('fal/fal-ai/flux/dev', { width: 1_920, height: 1_080 })).toBeNull(); // 2.07 or 1.98 megapixels
  expect(costOfImage('fal/fal-ai/flux/dev', { width: 1_024, height: 768 })).toBe(0.025);
  expect(costOfImage('fal/fal-ai/flux/dev', { width: 1_500, height: 1_000 })).toBe(0.05);
  expect(costOfImage('fal/fal-ai/flux-pro/kontext', square)).toBe(0.04);
  expect(costOfImage('fal/fal-ai/unknown', square)).toBeNull();
  expect(costOfVideo('google/veo-3.0-generate-001', 8)).toBe(3.2);
  expect(costOfVideo('google/veo-3.0-generate-001', null)).toBeNull();
  expect(costOfVideo('fal/fal-ai/hunyuan-video', null)).toBe(0.4);
  expect(costOfVideo('fal/unknown', 8)).toBeNull();
});

test('cost: speech by characters, for any voice; transcripts by time, with a minimum', () => {
  expect(costOfSpeech('openai/tts-1', 'é😀 '.repeat(1_000))).toBe(0.045);
  expect(costOfSpeech('deepgram/aura-2-helena-en', 'a'.repeat(1_000))).toBe(0.03);
  expect(costOfSpeech('deepgram/aura-asteria-en', 'a'.repeat(1_000))).toBe(0.015);
  expect(costOfSpeech('openai/gpt-4o-mini-tts', 'a')).toBeNull();
  expect(costOfTranscript('openai/whisper-1', 60)).toBe(0.006);
  expect(costOfTranscript('groq/whisper-large-v3', 1)).toBe(costOfTranscript('groq/whisper-large-v3', 10));
  expect(costOfTranscript('openai/whisper-1', null)).toBeNull();
  expect(costOfTranscript('embedded/moonshine', 60)).toBeNull();
});

test("cost: the operator's prices override the list, for all input", () => {
  usePrices([
    { model: 'compatible/own', input: 1, output: 2 },
    { model: 'openai/gpt-4o', input: 3, output: 4 },
  ]);
  try {
    expect(costOf('compatible/own', tokens({ input: 1_000_000, cached: 400_000, output: 1_000_000 }))).toBe(3);
    expect(costOf('openai/gpt-4o-2024-08-06', tokens({ input: 1_000_000 }))).toBe(3);
    expect(['compatible/own', 'compatible/other', 'fal/fal-ai/flux/dev'].map(isPriced)).toEqual([true, false, true]);
  } finally {
    usePrices([]);
  }
});

test('cost: an image that was not waited for, by its size or by the maximum of tokens', () => {
  const call = { prompt: 'a'.repeat(400) };
  expect(estimateImage({ ...call, model: 'openai/dall-e-3' })).toMatchObject({ cost_usd: 0.04, estimated: true });
  const reference = { bytes: new Uint8Array(), mediaType: 'image/png' };
  const mini = estimateImage({ ...call, model: 'openai/gpt-image-1-mini', references: [reference] });
  expect(mini).toMatchObject({ input_tokens: 1_600, output_tokens: 6_240, cost_usd: 0.05387 });
  expect(estimateImage({ ...call, model: 'fal/unknown' }).cost_usd).toBeNull();
});

test('cost: the default prices of the operator count what has no price, except for models that run here', () => {
  usePrices([], { tokens: { input: 1, output: 4 }, image: 0.5, videoSecond: 0.1, speech: 10, transcriptHour: 3_600 });
  try {
    expect(costOf('compatible/own', tokens({ input: 1_000_000, cached: 400_000, output: 1_000_000 }))).toBe(5);
    // Its list has no price for longer inputs.
    expect(costOf('google/gemini-2.5-pro', tokens({ input: 1_000_000 }))).toBe(1);
    expect(costOf('openai/gpt-4o', tokens({ input: 1_000_000 }))).toBe(2.5);
    expect(costOf('embedded/local', tokens({ input: 1 }))).toBeNull();
    expect([costOfImage('fal/fal-ai/unknown', null), costOfImage('embedded/canvas', null)]).toEqual([0.5, null]);
    expect(costOfVideo('fal/unknown', 8)).toBe(0.8);
    expect(costOfSpeech('openai/gpt-4o-mini-tts', 'a'.repeat(1_000))).toBe(0.01);
    expect(costOfTranscript('elevenlabs/scribe', 2)).toBe(2);
  } finally {
    usePrices([]);
  }
});

test.each<[string, Demand, number | null]>([
  ['output of a limit', { of: 'tokens', models: ['openai/gpt-4o'], input: 1_000_000, output: 100_000 }, 3.5],
  ['the longest output', { of: 'tokens', models: ['openai/gpt-4o'], input: 0, output: null }, 0.16384],
  ['dearest input', { of: 'tokens', models: ['anthropic/claude-haiku-4-5'], input: 1_000_000, output: 0 }, 1.25],
  [
    'the dearest fallback',
    { of: 'tokens', models: ['openai/gpt-5-nano', 'x/y', 'openai/gpt-4o'], input: 1e6, output: 0 },
    2.5,
  ],
  ['no price', { of: 'tokens', models: ['compatible/x'], input: 1, output: 1 }, null],
  ['images by tokens', { of: 'images', model: 'openai/gpt-image-1-mini', count: 2, size: null, input: 100 }, 0.10034],
  ['images of any size', { of: 'images', model: 'openai/dall-e-3', count: 3, size: null, input: 1 }, 0.24],
  [
    'images of one size',
    { of: 'images', model: 'openai/dall-e-3', count: 1, size: { width: 1_024, height: 1_024 }, input: 1 },
    0.04,
  ],
  [
    'images by megapixels',
    { of: 'images', model: 'fal/fal-ai/flux/dev', count: 1, size: { width: 2_000, height: 1_001 }, input: 1 },
    0.075,
  ],
  ['video', { of: 'video', model: 'google/veo-3.0-generate', seconds: 8 }, 3.2],
  ['speech', { of: 'speech', model: 'openai/tts-1', characters: 1_000 }, 0.015],
  ['a transcript', { of: 'transcript', model: 'openai/whisper-1', seconds: 60 }, 0.006],
])('the most that a call can cost: %s', (_, demand, most) => {
  const cost = mostCostOf(demand);
  if (most === null) expect(cost).toBeNull();
  else expect(cost).toBeCloseTo(most, 9);
});

test('the most that a prompt can have: a token for each byte, and files by their kind', () => {
  const image = { type: 'image_url', image_url: { url: `data:image/png;base64,${'A'.repeat(4_000_000)}` } };
  const pdf = { type: 'file', file: { file_data: `data:application/pdf;base64,${'A'.repeat(400_000)}` } };
  const of = (content: unknown) => mostTokens([{ role: 'user', content }]);
  expect(of('漢字')).toBeGreaterThanOrEqual(6);
  expect(of('a'.repeat(10_000))).toBeLessThan(10_100);
  expect(of([{ type: 'text', text: 'a' }, image])).toBeLessThan(50_100);
  expect(of([pdf])).toBeLessThan(460_000);
  expect(of([{ type: 'file', file: { file_data: 'A'.repeat(40_000_000) } }])).toBeLessThan(1_000_100);
});
