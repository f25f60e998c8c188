import { expect, test } from 'vitest';
import { CROSSFADE_SAMPLES, crossfade } from './crossfade.ts';

test('fades from the end of the previous piece into the next', () => {
  const piece = crossfade(new Float32Array(CROSSFADE_SAMPLES).fill(1), new Float32Array(1_000).fill(-1));
  expect(piece[0]).toBeCloseTo(1, 1);
  expect(piece[CROSSFADE_SAMPLES / 2]).toBeCloseTo(0, 1);
  for (let at = 1; at < piece.length; at++) expect(Math.abs(piece[at]! - piece[at - 1]!)).toBeLessThan(0.01);
  expect(piece.subarray(CROSSFADE_SAMPLES)).toEqual(new Float32Array(1_000 - CROSSFADE_SAMPLES).fill(-1));
});

test('leaves the first piece unchanged', () => {
  const piece = Float32Array.of(0.1, 0.2);
  expect(crossfade(new Float32Array(), piece.slice())).toEqual(piece);
});
