import { expect, test } from 'vitest';
import { costOf } from './prices.ts';

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

test('cost: a dated name is the model without the date', () => {
  expect(costOf('openai/gpt-4o-2024-08-06', tokens({ input: 1_000_000 }))).toBe(2.5);
  expect(costOf('anthropic/claude-sonnet-4-5-20250929', tokens({ output: 1_000_000 }))).toBe(15);
});

test('cost: unknown is null, never a guess', () => {
  expect(costOf('openai/gpt-99', tokens({ input: 1 }))).toBeNull();
  expect(costOf('compatible/gpt-4o', tokens({ input: 1 }))).toBeNull();
  expect(costOf('google/gemini-2.5-pro', tokens({ input: 200_001 }))).toBeNull();
  expect(costOf('groq/llama-3.1-8b-instant', tokens({ input: 10, cached: 5 }))).toBeNull();
});
