import { expect, test } from 'vitest';
import { hearSpeech } from './hear-speech.ts';
import type { Decoded } from './moonshine.ts';

const second = new Float32Array(16_000).fill(0.1);

function decoding(...answers: Partial<Decoded>[]) {
  const asked: Float32Array[] = [];
  const moonshine = async (samples: Float32Array) => {
    asked.push(samples);
    return { text: 'words', confidence: -0.1, isLoop: false, ...answers[asked.length - 1] };
  };
  return { asked, hear: (samples: Float32Array) => hearSpeech(moonshine, samples) };
}

test('decodes short speech again, louder and surrounded by silence, until it is clear', async () => {
  const { asked, hear } = decoding({ text: 'mouth', confidence: -0.5 }, { text: 'mouse', confidence: -0.1 });
  expect(await hear(second)).toEqual({ text: 'mouse', confidence: -0.1 });
  expect(asked).toHaveLength(2);
  expect(asked[1]!.length).toBe(1.8 * 16_000);
  expect(Math.max(...asked[1]!)).toBeCloseTo(0.9);
  expect(asked[1]![0]).toBe(0);
});

test('decodes longer speech again only if the model is unsure', async () => {
  const long = new Float32Array(48_000).fill(0.1);
  const { asked, hear } = decoding();
  await hear(long);
  expect(asked).toHaveLength(1);
  const unsure = decoding({ confidence: -0.6 }, { confidence: -0.6 });
  await unsure.hear(long);
  expect(unsure.asked).toHaveLength(2);
});

test('prefers text without repetition, and shortens it if both repeat', async () => {
  const loop = { text: 'Turkey turkey turkey turkey tur', isLoop: true };
  expect(await decoding(loop, { text: 'Turkey.', confidence: -2 }, loop, loop).hear(second)).toMatchObject({
    text: 'Turkey.',
  });
  expect(await decoding(loop, loop, loop, loop).hear(second)).toEqual({ text: 'Turkey', confidence: -1.5 });
});

test('has no confidence in songs', async () => {
  const song = { text: '♪ La la ♪' };
  expect(await decoding(song, song, song, song).hear(second)).toEqual({ text: 'La la', confidence: -1.5 });
});
