import { expect, test } from 'vitest';
import { shortCosine, shorten } from './short-vector.ts';

let seed = 11;
const random = () => {
  seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648;
  return seed / 2_147_483_648 - 0.5;
};

function short(...vectors: Float32Array[]): Int16Array {
  const many = new Int16Array(vectors.reduce((sum, { length }) => sum + length, 0));
  vectors.forEach((vector, at) => {
    shorten(vector, many, at * vector.length);
  });
  return many;
}

function cosine(one: Float32Array, other: Float32Array): number {
  const dot = one.reduce((sum, value, at) => sum + value * (other[at] ?? 0), 0);
  return dot / (Math.hypot(...one) * Math.hypot(...other));
}

test.each([1, 2, 3, 5, 384, 511, 3_072])(
  'computes cosines of vectors with %i dimensions and any length',
  (dimensions) => {
    for (const length of [1, 1e-18, 1e18]) {
      const [one, two, three] = Array.from({ length: 3 }, () =>
        Float32Array.from({ length: dimensions }, () => random() * length),
      );
      const many = short(
        two!,
        three!,
        one!.map((value) => -value),
      );
      const asked = short(one!);
      const expected = [cosine(one!, two!), cosine(one!, three!), -1];
      expected.forEach((exact, at) => {
        expect(Math.abs(shortCosine(asked, many, at * dimensions) - exact)).toBeLessThan(2e-4);
      });
      expect(shortCosine(asked, asked, 0)).toBeCloseTo(1, 3);
    }
  },
);

test('returns no similarity for a zero vector', () => {
  const asked = short(Float32Array.of(1, 2, 3, 4, 5));
  for (const value of [0, Number.NaN, Number.POSITIVE_INFINITY]) {
    const many = short(new Float32Array(5).fill(value));
    expect([...many, shortCosine(asked, many, 0)]).toEqual([0, 0, 0, 0, 0, 0]);
  }
});
