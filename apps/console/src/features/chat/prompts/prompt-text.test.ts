import { expect, test } from 'vitest';
import { fillIn, promptQuery, variablesOf } from './prompt-text.ts';

test('finds variables and fills them in, once each and as they are', () => {
  const content = 'Translate {{ text }} into {{language}}. {{text}} is {not one}, nor is {{}}.';
  expect(variablesOf(content)).toEqual(['text', 'language']);
  const filled = fillIn(content, new Map([['text', '$& {{language}}']]));
  expect(filled).toBe('Translate $& {{language}} into {{language}}. $& {{language}} is {not one}, nor is {{}}.');
});

test('searches prompts while the message is a slash and words', () => {
  expect(['/', '/sum of', '/usr/bin', 'a /b', '/a\nb'].map(promptQuery)).toEqual(['', 'sum of', null, null, null]);
});
