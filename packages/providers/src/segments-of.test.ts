import { expect, test } from 'vitest';
import { segmentsOf } from './segments-of.ts';

/** Creates words of half a second each, after these pauses. */
function words(...spoken: [text: string, pause?: number][]) {
  let at = 0;
  return spoken.map(([text, pause = 0.1]) => {
    const startSecond = at + pause;
    at = startSecond + 0.5;
    return { text, startSecond, endSecond: at };
  });
}

test('ends a segment with a sentence, at a pause, and before it gets too long', () => {
  expect(segmentsOf(words(['It'], ['rains.'], ['Then'], ['snow', 1]))).toEqual([
    { text: 'It rains.', startSecond: 0.1, endSecond: expect.closeTo(1.2) },
    { text: 'Then', startSecond: expect.closeTo(1.3), endSecond: expect.closeTo(1.8) },
    { text: 'snow', startSecond: expect.closeTo(2.8), endSecond: expect.closeTo(3.3) },
  ]);
  const long = segmentsOf(words(...Array.from({ length: 40 }, (): [string] => ['words'])));
  expect(long.every(({ text }) => text.length <= 90)).toBe(true);
  expect(long.map(({ text }) => text).join(' ')).toBe('words '.repeat(40).trim());
  expect(segmentsOf([])).toEqual([]);
});
