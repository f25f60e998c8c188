import { describe, expect, test } from 'vitest';
import { sentencesOf } from './sentences.ts';

const texts = (text: string) => sentencesOf(text).map((sentence) => sentence.text);

test.each([
  ['He met Dr. Smith at 5 p.m. on Monday. They spoke.', ['He met Dr. Smith at 5 p.m. on Monday.', 'They spoke.']],
  [
    'John F. Kennedy was born in 1917. J. R. R. Tolkien was not.',
    ['John F. Kennedy was born in 1917.', 'J. R. R. Tolkien was not.'],
  ],
  [
    'The U.S. Army left. It went home to the U.S. The end.',
    ['The U.S. Army left.', 'It went home to the U.S.', 'The end.'],
  ],
  ['See Fig. 3 and No. 7, e.g. Table 2. It costs $3.50!', ['See Fig. 3 and No. 7, e.g. Table 2.', 'It costs $3.50!']],
  ['“Is it?” he asked. “It is.” Nobody spoke.', ['“Is it?” he asked.', '“It is.”', 'Nobody spoke.']],
  ['山的高度是8848米。它在哪里？在亚洲！', ['山的高度是8848米。', '它在哪里？', '在亚洲！']],
  ['هل هذا صحيح؟ نعم.', ['هل هذا صحيح؟', 'نعم.']],
  ['Das kostet z.B. Geld. Er kam.', ['Das kostet z.B. Geld.', 'Er kam.']],
  ['no end', ['no end']],
  ['', []],
  [' \n\t ', []],
])('%s', (text, expected) => {
  expect(texts(text)).toEqual(expected);
});

test('ends sentences at blank lines, headings, rows, and list items, but not at line breaks', () => {
  const text =
    '# The Title\nA sentence that goes\non here. Another\r\none.\n\n- first\n  goes on\n- second\n\n| a | b |\n| 1 | 2 |';
  expect(texts(text)).toEqual([
    '# The Title',
    'A sentence that goes\non here.',
    'Another\r\none.',
    '- first\n  goes on',
    '- second',
    '| a | b |',
    '| 1 | 2 |',
  ]);
});

describe('any text', () => {
  const samples = [
    'One. Two?  Three!\n\nFour',
    `${'word '.repeat(500)}end.`,
    'x'.repeat(2_000),
    `a${'😀'.repeat(1_500)}`,
    '。'.repeat(50),
    '. . . . A. B. C.',
    '| 1 | 2 |\n'.repeat(100),
    '\ud800 broken. \udc00 Still.',
  ];
  test.each(samples)('%#: has exact offsets without gaps or overlaps', (text) => {
    let end = 0;
    let rest = '';
    for (const sentence of sentencesOf(text)) {
      expect(text.slice(sentence.start, sentence.end)).toBe(sentence.text);
      expect(sentence.text.trim()).toBe(sentence.text);
      expect(sentence.text.length).toBeGreaterThan(0);
      expect(sentence.text.length).toBeLessThanOrEqual(600);
      expect(sentence.start).toBeGreaterThanOrEqual(end);
      expect(sentence.text.isWellFormed()).toBe(text.isWellFormed() || sentence.text.isWellFormed());
      rest += text.slice(end, sentence.start);
      end = sentence.end;
    }
    expect((rest + text.slice(end)).trim()).toBe('');
  });

  test('handles a megabyte without sentence ends in less than quadratic time', () => {
    expect(sentencesOf('word '.repeat(200_000)).length).toBeGreaterThan(1_600);
    expect(sentencesOf('x'.repeat(1_000_000))).toHaveLength(1_667);
  });
});
