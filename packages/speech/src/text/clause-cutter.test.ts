import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type Clause, ClauseCutter } from './clause-cutter.ts';

function cut(text: string, pieceLength = text.length): Clause[] {
  const cutter = new ClauseCutter();
  const clauses: Clause[] = [];
  for (let at = 0; at < text.length; at += pieceLength) clauses.push(...cutter.take(text.slice(at, at + pieceLength)));
  return [...clauses, ...cutter.rest()];
}
const texts = (text: string) => cut(text).map((clause) => clause.text);

test.each<[string, string, string[]]>([
  ['sentences', 'It is late. Go home! Why? Because.', ['It is late.', 'Go home!', 'Why?', 'Because.']],
  ['a short first clause', 'Well, as far as I know, it is so.', ['Well,', 'as far as I know, it is so.']],
  [
    'numbers',
    'Pi is 3.14159, and 1,000,000.5 is more. At 10:30 it is 2.5 km.',
    ['Pi is 3.14159, and 1,000,000.5 is more.', 'At 10:30 it is 2.5 km.'],
  ],
  [
    'abbreviations',
    'Dr. Smith met Mrs. Jones at St. Paul, e.g. on Sunday.',
    ['Dr. Smith met Mrs. Jones at St. Paul,', 'e.g. on Sunday.'],
  ],
  ['initials', 'J. R. R. Tolkien wrote it. So did I. Really.', ['J. R. R. Tolkien wrote it.', 'So did I.', 'Really.']],
  ['an abbreviation at the end', 'Apples, pears, etc. Then more.', ['Apples, pears, etc.', 'Then more.']],
  [
    'German',
    'Am 3. Oktober, d. h. z. B. heute, war Dr. Meier hier. Gut.',
    ['Am 3. Oktober, d. h. z. B. heute,', 'war Dr. Meier hier.', 'Gut.'],
  ],
  ['years at the end of sentences', 'It was 1999. Then came 2000.', ['It was 1999.', 'Then came 2000.']],
  ['Chinese and Japanese', '你好。今天天气很好！これはペンです。', ['你好。', '今天天气很好！', 'これはペンです。']],
  ['Spanish and Hindi', '¿Qué tal? यह अच्छा है। ठीक।', ['¿Qué tal?', 'यह अच्छा है।', 'ठीक।']],
  ['closing quotes', 'He said "Go." Then he went.', ['He said "Go."', 'Then he went.']],
  ['several signs', 'What?! No... Yes.', ['What?!', 'No...', 'Yes.']],
  ['addresses', 'See www.example.org/a.b for v1.2.3.', ['See www.example.org/a.b for v1.2.3.']],
  [
    'emphasis',
    'This is **very** important, *really* so: __it__ is ~~not~~.',
    ['This is very important,', 'really so: it is not.'],
  ],
  [
    'headings and lists',
    '# Title\n\n- one\n- two\n1. first\n2. second',
    ['Title', 'one', 'two', '1. first', '2. second'],
  ],
  [
    'links',
    'See [the docs](https://example.org/a_b(c)) and <https://example.com/x?y=z>.',
    ['See the docs and example.com.'],
  ],
  ['code', 'Run `npm test` now.\n```js\nconst a = 1; // No. Really.\n```\nDone.', ['Run npm test now.', 'Done.']],
  ['an unclosed code block', 'So:\n```\na\nb', ['So:']],
  ['tables', '| a | b |\n|---|---|\n| 1 | 2 |', ['a, b', '1, 2']],
  ['quotes, rules, and tags', '> Quoted.\n\n---\n\nIt<br>is <b>so</b>.', ['Quoted.', 'Itis so.']],
  ['references', 'It burned [1]. All of it [^2].', ['It burned.', 'All of it.']],
  ['unspoken characters', 'Yes 👍🏽 good 🎉!', ['Yes good !']],
  ['a name with underscores', 'Set max_tokens to 5.', ['Set max tokens to 5.']],
  ['escapes', '1 \\* 2 is 3 * 4', ['1 * 2 is 3 * 4']],
  ['nothing', ' \n\n --- \n', []],
])('%s', (_name, text, wanted) => {
  expect(texts(text)).toEqual(wanted);
});

test('cuts endless sentences between words, or anywhere', () => {
  const long = cut(`${'word '.repeat(200)}end`);
  expect(long.length).toBeGreaterThan(3);
  for (const { text } of long) expect(text).toMatch(/^\w+( \w+)*$/);
  const endless = cut('あ'.repeat(1_000));
  expect(endless.map(({ text }) => text).join('')).toBe('あ'.repeat(1_000));
  expect(Math.max(...endless.map(({ text }) => text.length))).toBeLessThan(300);
});

test('maps characters to their position in the answer', () => {
  const answer = 'One. The **big** [house](https://example.org) is `red`. End';
  for (const { text, positions, start, end } of cut(answer)) {
    expect(positions).toHaveLength(text.length);
    for (const [index, position] of positions.entries()) {
      expect(position).toBeGreaterThanOrEqual(start);
      expect(position).toBeLessThan(end);
      if (text[index] !== ' ') expect(answer[position]).toBe(text[index]);
    }
  }
});

const markdown = fc
  .array(
    fc.oneof(
      fc.constantFrom(
        '. ',
        '! ',
        ', ',
        '\n',
        '\n\n',
        '```',
        '`',
        '**',
        '*',
        '_',
        '[',
        '](',
        ')',
        '# ',
        '- ',
        '| ',
        '1. ',
        'Dr. ',
        '3.',
        'e.g. ',
        '😀',
        '。',
        '\ud83d',
        '"',
        '<',
        '>',
      ),
      fc.string({ maxLength: 12 }),
      fc.lorem({ maxCount: 8 }),
    ),
    { maxLength: 60 },
  )
  .map((parts) => parts.join(''));

test('does not depend on how the answer is split', () => {
  fc.assert(
    fc.property(markdown, fc.integer({ min: 1, max: 9 }), (text, length) => {
      expect(cut(text, length)).toEqual(cut(text));
    }),
    { seed: 7, numRuns: 300 },
  );
});

test('produces consecutive clauses within limits', () => {
  fc.assert(
    fc.property(markdown, (text) => {
      let before = 0;
      for (const { start, end, text: spoken, positions } of cut(text)) {
        expect(start).toBeGreaterThanOrEqual(before);
        expect(end).toBeGreaterThan(start);
        expect(end).toBeLessThanOrEqual(text.length);
        expect(spoken.length).toBeLessThanOrEqual(500);
        expect(positions).toEqual([...positions].sort((one, other) => one - other));
        before = end;
      }
    }),
    { seed: 7, numRuns: 300 },
  );
});

test('handles the longest answer in the smallest pieces quickly', () => {
  const began = performance.now();
  const lines = [
    'x'.repeat(4_000),
    `[${'a'.repeat(4_000)}`,
    '`'.repeat(4_000),
    '| '.repeat(2_000),
    '_'.repeat(4_000),
    '<a'.repeat(2_000),
    '-'.repeat(4_000),
  ];
  for (const line of lines) cut(line, 3);
  cut(`\`\`\`\n${'code '.repeat(4_000)}`, 5);
  expect(performance.now() - began).toBeLessThan(10_000);
});

test.each([
  ['It is late.', true],
  ['He said "Go!"', true],
  ['It is **very late.**', true],
  ['It is late', false],
  ['It was Dr.', false],
  ['It costs 3.', false],
  ['It costs 1234.', false],
  ['As `a.', false],
  ['See [the mill.', false],
  ['```ts\na.b.', false],
])('settles after a pause: %s', (text, isWhole) => {
  const cutter = new ClauseCutter();
  expect(cutter.take(text)).toEqual([]);
  expect(cutter.settle().map(({ start, end }) => [start, end])).toEqual(isWhole ? [[0, text.length]] : []);
  expect(cutter.settle()).toEqual([]);
});

test('never cuts within a number, an address or a time', () => {
  const cutter = new ClauseCutter();
  const answer = 'It is $1,234.56 at 3:45 p.m. on example.com now. Then 3.5% more, or 1,000.';
  const clauses = [...answer].flatMap((unit) => cutter.take(unit));
  expect([...clauses, ...cutter.rest()].map(({ text }) => text.trim())).toEqual([
    'It is $1,234.56 at 3:45 p.m. on example.com now.',
    'Then 3.5% more, or 1,000.',
  ]);
});
