import { expect, test } from 'vitest';
import { countOpposites } from './opposites.ts';

const count = (question: string, sentence: string) => countOpposites(question.split(' '), sentence.split(' '));

test.each([
  ['the smallest park', 'the largest park'],
  ['the least populous city', 'the most populous city'],
  ['a small harbor', 'a large harbor'],
  ['an unsuccessful launch', 'a successful launch'],
  ['an endothermic reaction', 'an exothermic reaction'],
  ['when it was repealed', 'enacted in 1855'],
])('finds the opposite: %s, %s', (question, sentence) => {
  expect(count(question, sentence)).toBe(1);
});

test.each([
  ['the largest park', 'the largest park'],
  ['the largest park', 'neither the largest nor the smallest park'],
  ['the north and the south', 'the south'],
  ['which form', 'to inform them'],
  ['its cover', 'to discover it'],
])('finds no opposite: %s, %s', (question, sentence) => {
  expect(count(question, sentence)).toBe(0);
});
