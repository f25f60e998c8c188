import { expect, test } from 'vitest';
import { DIMENSIONS } from './encoder-graph.ts';
import { loadUseLite } from './use-lite.ts';

/** Reference output of the package that the weights come from: token counts and vector starts. */
const TOKENS = 16;
const FIRST = [
  [0.038685, 0.050444, -0.045524, 0.056079, -0.060077, -0.055097],
  [-0.052017, 0.057855, 0.056901, 0.044562, 0.039916, 0.052757],
];

test('matches the vectors of the model in TensorFlow.js', async () => {
  const { encode } = await loadUseLite();
  const { vectors, tokens } = await encode(['How old are you?', 'The bridge was built in 1884 by an engineer.']);
  expect(vectors).toHaveLength(2 * DIMENSIONS);
  expect(tokens).toBe(TOKENS);
  for (const [row, first] of FIRST.entries())
    for (const [place, value] of first.entries()) expect(vectors[row * DIMENSIONS + place]).toBeCloseTo(value, 5);
});
