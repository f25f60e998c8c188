import { expect, test } from 'vitest';
import { languageCode } from './language-code.ts';

test.each([
  ['en', 'en'],
  ['English', 'en'],
  ['german', 'de'],
  ['eng', 'en'],
  ['pt-BR', 'pt-BR'],
  ['no such language', null],
  ['', null],
  [undefined, null],
])('%s is %s', (reported, code) => {
  expect(languageCode(reported)).toBe(code);
});
