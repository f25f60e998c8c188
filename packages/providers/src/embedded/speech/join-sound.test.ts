import { expect, test } from 'vitest';
import { PASSING, passOver } from './join-sound.ts';

test('a piece begins like the one before it ended, and goes on like itself', () => {
  const piece = passOver(new Float32Array(PASSING).fill(1), new Float32Array(1_000).fill(-1));
  expect(piece[0]).toBeCloseTo(1, 1);
  expect(piece[PASSING / 2]).toBeCloseTo(0, 1);
  for (let at = 1; at < piece.length; at++) expect(Math.abs(piece[at]! - piece[at - 1]!)).toBeLessThan(0.01);
  expect(piece.subarray(PASSING)).toEqual(new Float32Array(1_000 - PASSING).fill(-1));
});

test('the first piece of all is as it is', () => {
  const piece = Float32Array.of(0.1, 0.2);
  expect(passOver(new Float32Array(), piece.slice())).toEqual(piece);
});
