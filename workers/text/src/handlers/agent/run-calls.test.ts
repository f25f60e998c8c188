import { expect, test } from 'vitest';
import { parseArguments } from './run-calls.ts';

test.each([
  ['', {}],
  [' null', {}],
  ['{"a":[1]}', { a: [1] }],
  ['[1]', null],
  ['1', null],
  ['{"a"', null],
])('%j are the arguments %j', (text, parsed) => {
  expect(parseArguments(text)).toEqual(parsed);
});
