import { expect, test } from 'vitest';
import { parseAmount, parseRetryAfterMs, parseTimeMs, retryTimeInWords } from './retry-after.ts';

const now = Date.parse('2026-11-20T10:00:00Z');
const MONTH_MS = 31 * 24 * 3_600_000;

test.each([
  ['7', 7_000],
  ['0.5', 500],
  ['-3', 0],
  ['Fri, 20 Nov 2026 10:00:09 GMT', 9_000],
  ['Fri, 20 Nov 2026 09:00:00 GMT', 0],
  ['2026-11-20T10:01:00Z', 60_000],
  ['soon', null],
  ['', null],
  [undefined, null],
  ['1s', 1_000],
  ['6m0s', 360_000],
  ['120ms', 120],
  ['2m59.56s', 179_560],
  ['1h2m3s', 3_723_000],
  ['500µs', 1],
  ['56412.9s', 56_412_900],
  [String(now / 1000 + 30), 30_000],
  [String(now + 1_500), 1_500],
  ['99999999', MONTH_MS],
  ['9'.repeat(39), MONTH_MS],
  ['9'.repeat(1_000), null],
  ['NaN', null],
  ['Infinity', null],
  ['1s'.repeat(30), null],
  ['6m-', null],
])('%s', (header, ms) => {
  expect(parseTimeMs(header, now)).toBe(ms);
});

test.each([
  [{ 'retry-after-ms': '150', 'retry-after': '1' }, 150],
  [{ 'retry-after-ms': 'soon', 'retry-after': '1' }, 1_000],
  [{ 'retry-after': ['2', '9'] }, 2_000],
  [{ 'retry-after-ms': '-5' }, 0],
  [{}, null],
])('%o', (headers, ms) => {
  expect(parseRetryAfterMs(headers, now)).toBe(ms);
});

test.each([
  ['Please try again in 1.242s. Visit https://platform.openai.com', 1_242],
  ['Please try again in 7m12s.', 432_000],
  ['Please try again in 120ms.', 120],
  ['Please retry after 6 seconds.', 6_000],
  ['Please retry after 250 milliseconds.', 250],
  ['Please retry in 34.07424s.', 34_075],
  ['Please try again in a moment.', null],
  ['Please try again later.', null],
  [`Please try again in ${'9'.repeat(400)}s`, null],
])('%s', (message, ms) => {
  expect(retryTimeInWords(message, now)).toBe(ms);
});

test.each([
  ['12', 12],
  ['-1', -1],
  ['1e400', null],
  ['2e12', null],
  ['', null],
  [' ', null],
  [[], null],
])('the amount %j', (header, amount) => {
  expect(parseAmount(header)).toBe(amount);
});
