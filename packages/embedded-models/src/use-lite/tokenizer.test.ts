import { expect, test } from 'vitest';
import { Tokenizer } from './tokenizer.ts';

const reserved = Array.from({ length: 6 }, (_, at): [string, number] => [`<${at}>`, 0]);
const tokenizer = new Tokenizer([
  ...reserved,
  ['▁', -2],
  ['▁th', -3],
  ['▁the', -2],
  ['e', -4],
  ['s', -4],
  ['es', -5],
  ['▁these', -12],
  ['fi', -3],
]);

test.each([
  ['the', [8]],
  ['thes', [8, 10]],
  ['these', [8, 10, 9]],
  ['the the', [8, 8]],
  ['', [6]],
  ['the☃s', [8, 10]],
  ['☃☃', [6]],
  ['ﬁ', [6, 13]],
])('splits %s into its likeliest pieces, and drops unknown text', (text, numbers) => {
  expect(tokenizer.encode(text)).toEqual(numbers);
});

test('takes time linear in the length', () => {
  expect(tokenizer.encode('the '.repeat(50_000))).toHaveLength(50_001);
  expect(tokenizer.encode('☃'.repeat(200_000))).toEqual([6]);
});
