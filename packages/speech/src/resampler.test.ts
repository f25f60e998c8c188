import { expect, test } from 'vitest';
import { Resampler } from './resampler.ts';

const tone = (hz: number, rate: number, seconds = 0.5) =>
  Float32Array.from({ length: rate * seconds }, (_, index) => 0.5 * Math.sin((2 * Math.PI * hz * index) / rate));

/** Pushes a sound in pieces of uneven lengths. */
function resample(samples: Float32Array, from: number, to: number): Float32Array {
  const resampler = new Resampler(from, to);
  const pieces: number[] = [];
  for (let at = 0, length = 1; at < samples.length; at += length, length = (length * 7) % 997)
    pieces.push(...resampler.push(samples.subarray(at, at + length)));
  return Float32Array.from([...pieces, ...resampler.end()]);
}

/** Returns the error power relative to the signal in decibels, ignoring edges. */
function noise(made: Float32Array, wanted: Float32Array): number {
  let difference = 0;
  let power = 0;
  for (let index = 400; index < wanted.length - 400; index++) {
    difference += ((made[index] ?? 0) - (wanted[index] as number)) ** 2;
    power += (wanted[index] as number) ** 2;
  }
  return 10 * Math.log10(difference / power);
}

test.each([
  [16_000, 24_000],
  [44_100, 24_000],
  [48_000, 24_000],
  [24_000, 16_000],
  [8_000, 24_000],
  [22_050, 24_000],
  [11_025, 24_000],
  [24_000, 24_000],
  [96_000, 24_000],
])('keeps a tone from %i at %i', (from, to) => {
  const made = resample(tone(1_000, from), from, to);
  const wanted = tone(1_000, to);
  expect(Math.abs(made.length - wanted.length)).toBeLessThanOrEqual(1);
  expect(noise(made, wanted)).toBeLessThan(-60);
});

test('removes frequencies above the lower rate', () => {
  const made = resample(tone(11_000, 48_000), 48_000, 16_000);
  const loudest = made.slice(300, -300).reduce((most, sample) => Math.max(most, Math.abs(sample)), 0);
  expect(loudest).toBeLessThan(0.001);
});

test('approximates unusual rates', () => {
  const made = resample(tone(1_000, 47_999), 47_999, 24_000);
  expect(Math.abs(made.length - 12_000)).toBeLessThanOrEqual(1);
  expect(noise(made, tone(1_000, 24_000))).toBeLessThan(-25);
});

test('returns nothing for nothing', () => {
  const resampler = new Resampler(48_000, 24_000);
  expect(resampler.push(new Float32Array(0))).toHaveLength(0);
  expect(resampler.end()).toHaveLength(0);
});
