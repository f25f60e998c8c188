import { expect, test } from 'vitest';
import { toFloats } from './pcm16.ts';
import { shapePhrase } from './shape-phrase.ts';

const RATE = 24_000;
const LEAD = 0.03 * RATE;
const silence = (samples: number) => new Float32Array(samples);
const sound = (samples: number) => new Float32Array(samples).fill(0.5);
const together = (...parts: Float32Array[]) => Float32Array.from(parts.flatMap((part) => [...part]));

async function shaped(pieces: Float32Array[], phrase: string) {
  const samples = toFloats(Buffer.concat(await Array.fromAsync(shapePhrase(pieces, phrase))));
  return {
    first: samples.findIndex((sample) => sample > 0.1),
    last: samples.findLastIndex((sample) => sample > 0.1),
    length: samples.length,
  };
}

test('surrounds a phrase with the silence that its punctuation requires, however it is split', async () => {
  const all = together(silence(8_000), sound(3_000), silence(2_000), sound(3_000), silence(9_000));
  for (const size of [500, 4_000, 25_000]) {
    const pieces = Array.from({ length: Math.ceil(all.length / size) }, (_, at) =>
      all.slice(at * size, (at + 1) * size),
    );
    const { first, last, length } = await shaped(pieces, 'Hello there.');
    // Keeps no more leading silence than the first audible piece has.
    expect(first).toBeLessThanOrEqual(LEAD);
    expect(last - first).toBe(7_999);
    expect(length - last - 1).toBe(0.32 * RATE);
  }
  expect((await shaped([sound(100)], 'Hello,')).length).toBe(100 + 0.16 * RATE);
});

test('returns nothing for silence', async () => {
  expect((await shaped([silence(1_000), silence(1_000)], 'Hm.')).length).toBe(0);
});
