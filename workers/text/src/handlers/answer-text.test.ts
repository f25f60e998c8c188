import { expect, test } from 'vitest';
import { AnswerRoom, AnswerText } from './answer-text.ts';

test.each<[string, string[], string[]]>([
  ['passes whole pieces', ['a', '😀', ''], ['a', '😀', '', '']],
  ['joins the halves of a character', ['a\ud83d', '\ude00b'], ['a', '😀b', '']],
  ['replaces a first half without a second', ['a\ud83d', 'b', '\ude00'], ['a', '\ufffdb', '\ufffd', '']],
  ['replaces a half at the end', ['a\ud83d'], ['a', '\ufffd']],
  ['replaces a first half before another first half', ['\ud83d', '\ud83d', '\ude00'], ['', '\ufffd', '😀', '']],
])('%s', (_name, pieces, shown) => {
  const room = new AnswerRoom();
  const answer = new AnswerText(room);
  expect([...pieces.map((piece) => answer.take(piece)), answer.rest()]).toEqual(shown);
  expect(room.full).toBe(false);
});

test('truncates an answer at the limit, between characters', () => {
  const room = new AnswerRoom(10);
  const answer = new AnswerText(room);
  expect(answer.take('abcd')).toBe('abcd');
  expect(room.full).toBe(false);
  expect(answer.take('e😀😀😀')).toBe('e');
  expect(room.full).toBe(true);
  expect([answer.take('f'), answer.rest()]).toEqual(['', '']);
});

test('all parts of an answer share its room', () => {
  const room = new AnswerRoom(10);
  const [text, reasoning] = [new AnswerText(room), new AnswerText(room)];
  expect(text.take('abcd')).toBe('abcd');
  expect(room.takeWhole(3)).toBe(true);
  expect(reasoning.take('efgh')).toBe('e');
  expect(room.takeWhole(1)).toBe(false);
  expect(text.take('f')).toBe('');
});
