import { expect, test } from 'vitest';
import { phrasesOf } from './phrases.ts';

test('splits text into sentences', () => {
  expect(phrasesOf('Good morning. How are you?  I hope well!')).toEqual([
    'Good morning.',
    'How are you?',
    'I hope well!',
  ]);
  expect(phrasesOf('It costs 3.50 today.')).toEqual(['It costs 3.50 today.']);
  expect(phrasesOf(' … – ')).toEqual([]);
});

test('makes the first phrase short and the next ones longer, and loses nothing', () => {
  const clause = 'and the boats lay still in the harbor, ';
  const text = `${clause.repeat(12).trim().slice(0, -1)}.`;
  const phrases = phrasesOf(text);
  expect(phrases.join(' ')).toBe(text);
  expect(phrases[0]).toBe('and the boats lay still in the harbor,');
  for (const [at, phrase] of phrases.entries()) expect(phrase.length).toBeLessThanOrEqual(Math.min(160, 45 * 2 ** at));
  expect(phrases.length).toBeLessThan(7);
});

test('cuts between words without clauses, and inside endless words', () => {
  const words = Array.from({ length: 60 }, (_, at) => `word${at}`).join(' ');
  expect(phrasesOf(words).join(' ')).toBe(words);
  const endless = 'a'.repeat(1_000);
  expect(phrasesOf(endless).join('')).toBe(endless);
});
