import { expect, test } from 'vitest';
import { RunningMeans } from './running-means.ts';

test('needs enough speech, and weighs it by length', () => {
  const means = new RunningMeans();
  means.learn(Float32Array.of(1, 10), 40);
  expect(means.knownFor(20)).toBeNull();
  means.learn(Float32Array.of(3, 20), 40);
  const known = means.knownFor(20);
  expect([...known!.values]).toEqual([2, 15]);
  expect(known?.share).toBe(0.8);
});

test('gives old speech little weight', () => {
  const means = new RunningMeans();
  means.learn(Float32Array.of(100), 400);
  for (let phrase = 0; phrase < 100; phrase++) means.learn(Float32Array.of(1), 100);
  expect(means.knownFor(1)?.values[0]).toBeCloseTo(1, 3);
});
