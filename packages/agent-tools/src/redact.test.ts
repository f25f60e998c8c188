import { expect, test } from 'vitest';
import { redactor } from './redact.ts';

const redact = redactor(['Bearer tok/secret+1', 'a"quoted secret"', 'true', '.*.*.*']);

test.each([
  ['the token TOK/secret+1 is wrong', 'the token [redacted] is wrong'],
  ['Bearer tok/secret+1', '[redacted]'],
  [encodeURIComponent('tok/secret+1'), '[redacted]'],
  [`x${btoa('tok/secret+1')}`, 'x[redacted]'],
  [Buffer.from('tok/secret+1').toString('hex'), '[redacted]'],
  [JSON.stringify({ a: 'a"quoted secret"' }), '{"a":"[redacted]"}'],
  // Words that are not secrets, and short values.
  ['a bearer token: true', 'a bearer token: true'],
  ['.*.*.* but nothing else', '[redacted] but nothing else'],
])('in %s', (text, expected) => {
  expect(redact(text)).toBe(expected);
});

test('without secrets, nothing changes', () => {
  expect(redactor([])('text')).toBe('text');
});
