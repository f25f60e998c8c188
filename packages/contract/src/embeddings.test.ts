import { expect, test } from 'vitest';
import { parseBounded } from './bounded.ts';
import { describeIssues } from './describe-issues.ts';
import { embedding } from './kinds/embedding.ts';

const refusals = (input: unknown) => {
  const parsed = parseBounded(embedding.request, { input });
  return parsed.success ? [] : describeIssues(parsed.error.issues, 'body');
};

test.each([
  ['', 'body.input', 'must not be empty'],
  [[], 'body.input', 'must have 1 to 2,048 items'],
  [['a', 'b', ''], 'body.input.2', 'must not be empty'],
  [[1, 2], 'body.input.0', 'set check_embedding_ctx_length=False'],
  [[[1, 2]], 'body.input.0', 'lists of token numbers are not supported'],
  [['a', null], 'body.input.1', 'must be a string'],
  [{}, 'body.input', 'must be a string or an array'],
  [Array(2_049).fill('a'), 'body.input', 'must have at most 2,048 items'],
  [['a'.repeat(1_500_000), 'b'.repeat(600_000)], 'body.input', 'at most 2,000,000 characters in all'],
])('refuses %j', (input, path, message) => {
  expect(refusals(input)[0]).toEqual({ path, message: expect.stringContaining(message) });
});

test('accepts a text, or 2,048 texts', () => {
  expect(refusals(' ')).toEqual([]);
  expect(refusals(Array(2_048).fill('a'))).toEqual([]);
});

test.each([
  [['short'], 1],
  [Array(65).fill('short'), 2],
  [['a'.repeat(100_000)], 4],
])('costs more turns the more there is to embed', (texts, turns) => {
  expect(embedding.cost?.({ model: 'embedded/use-lite', texts, dimensions: null })).toBe(turns);
});
