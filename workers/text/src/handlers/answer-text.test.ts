import { expect, test } from 'vitest';
import { AnswerText } from './answer-text.ts';

test.each<[string, string[], string[]]>([
  ['whole pieces pass', ['a', '😀', ''], ['a', '😀', '', '']],
  ['halves of a character meet', ['a\ud83d', '\ude00b'], ['a', '😀b', '']],
  ['a half that no other follows', ['a\ud83d', 'b', '\ude00'], ['a', '\ufffdb', '\ufffd', '']],
  ['a half at the end', ['a\ud83d'], ['a', '\ufffd']],
  ['a first half after a first half', ['\ud83d', '\ud83d', '\ude00'], ['', '\ufffd', '😀', '']],
])('%s', (_name, pieces, shown) => {
  const answer = new AnswerText();
  expect([...pieces.map((piece) => answer.take(piece)), answer.rest()]).toEqual(shown);
  expect(answer.full).toBe(false);
});

test('an answer is cut at its longest, between characters', () => {
  const answer = new AnswerText(10);
  expect(answer.take('abcd')).toBe('abcd');
  expect(answer.full).toBe(false);
  expect(answer.take('e😀😀😀')).toBe('e');
  expect(answer.full).toBe(true);
  expect([answer.take('f'), answer.rest()]).toEqual(['', '']);
});
