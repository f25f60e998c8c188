import { expect, test } from 'vitest';
import { hasVersion, requestedRange } from './byte-range.ts';

const ETAG = '"abc"';

test.each([
  ['bytes=0-0', { start: 0, end: 0 }],
  ['bytes=0-99', { start: 0, end: 99 }],
  ['bytes=10-', { start: 10, end: 99 }],
  ['bytes=90-1000', { start: 90, end: 99 }],
  ['bytes=-10', { start: 90, end: 99 }],
  ['bytes=-1000', { start: 0, end: 99 }],
  ['Bytes= 5-6 ', { start: 5, end: 6 }],
  ['bytes=100-', 'unsatisfiable'],
  ['bytes=-0', 'unsatisfiable'],
  ['bytes=999999999999999-', 'unsatisfiable'],
  ['bytes=9-5', 'all'],
  ['bytes=0-1,3-4', 'all'],
  ['bytes=-', 'all'],
  ['bytes=a-b', 'all'],
  ['bytes=0x1-2', 'all'],
  ['bytes=99999999999999999999-', 'all'],
  ['items=0-1', 'all'],
  [`bytes=${'0-1,'.repeat(5_000)}`, 'all'],
  [undefined, 'all'],
] as const)('of 100 bytes %s', (range, expected) => {
  expect(requestedRange({ range, ifRange: undefined }, 100, ETAG)).toEqual(expected);
});

test.each([
  [ETAG, { start: 1, end: 2 }],
  ['"another"', 'all'],
  [`W/${ETAG}`, 'all'],
  ['Sat, 21 Nov 2026 00:00:00 GMT', 'all'],
])('serves a range only for the version %s', (ifRange, expected) => {
  expect(requestedRange({ range: 'bytes=1-2', ifRange }, 100, ETAG)).toEqual(expected);
});

test.each([
  [undefined, false],
  ['*', true],
  [ETAG, true],
  [`"x", W/${ETAG}`, true],
  ['"x"', false],
  ['abc', false],
])('a client that has %s', (given, expected) => {
  expect(hasVersion(given, ETAG)).toBe(expected);
});
