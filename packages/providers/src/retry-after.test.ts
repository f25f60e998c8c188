import { expect, test } from 'vitest';
import { parseRetryAfter } from './failure-facts.ts';

const now = Date.parse('2026-11-20T10:00:00Z');

test.each([
  ['7', 7],
  ['0.5', 0.5],
  ['-3', 0],
  ['Fri, 20 Nov 2026 10:00:09 GMT', 9],
  ['Fri, 20 Nov 2026 09:00:00 GMT', 0],
  ['soon', null],
  ['', null],
  [undefined, null],
])('%s', (header, seconds) => {
  expect(parseRetryAfter(header, now)).toBe(seconds);
});
