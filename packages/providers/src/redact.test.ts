import { expect, test } from 'vitest';
import { redact } from './redact.ts';

test.each([
  ['Incorrect API key provided: sk-proj-abcdef1234567890.', 'Incorrect API key provided: [key]'],
  ['key sk-ab***********wxyz is wrong', 'key [key] is wrong'],
  ['gsk_abcdefghijklmnop, AIzaSyA1234567890abc', '[key], [key]'],
  ['see https://user:pass@example.com/a?key=1 now', 'see [address] now'],
  ['Authorization: Bearer abc.def-123', 'Authorization: [credential]'],
  ['the secret is hunter2!', 'the secret is [key]!'],
  ['two\n  lines\tand tabs', 'two lines and tabs'],
])('%s', (text, clean) => {
  expect(redact(text, ['hunter2', null])).toBe(clean);
});

test('limits the length', () => {
  expect(redact('word '.repeat(100_000), [])).toHaveLength(300);
});

test('keeps plain words', () => {
  const text = "This model's maximum context length is 8192 tokens.";
  expect(redact(text, [null])).toBe(text);
});
