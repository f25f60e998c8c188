import { expect, test } from 'vitest';
import { AnswerText } from './answer-text.ts';

test.each<[string, string[], string[]]>([
  ['passes whole pieces', ['a', '😀', ''], ['a', '😀', '', '']],
  ['joins the halves of a character', ['a\ud83d', '\ude00b'], ['a', '😀b', '']],
  ['replaces a first half without a second', ['a\ud83d', 'b', '\ude00'], ['a', '\ufffdb', '\ufffd', '']],
  ['replaces a half at the end', ['a\ud83d'], ['a', '\ufffd']],
  ['replaces a first half before another first half', ['\ud83d', '\ud83d', '\ude00'], ['', '\ufffd', '😀', '']],
])('%s', (_name, pieces, shown) => {
  const answer = new AnswerText();
  expect([...pieces.map((piece) => answer.take(piece)), answer.rest()]).toEqual(shown);
  expect(answer.full).toBe(false);
});

test('truncates an answer at the limit, between characters', () => {
  const answer = new AnswerText(10);
  expect(answer.take('abcd')).toBe('abcd');
  expect(answer.full).toBe(false);
  expect(answer.take('e😀😀😀')).toBe('e');
  expect(answer.full).toBe(true);
  expect([answer.take('f'), answer.rest()]).toEqual(['', '']);
});
