import { expect, test } from 'vitest';
import { collapseIndents, collapseRuns, LONGEST_RUN } from './collapse-runs.ts';

const short = (text: string) => collapseRuns(text, LONGEST_RUN);

test.each<[string, string]>([
  ['quotations within each other', '> '],
  ['brackets', '['],
  ['one letter', 'a'],
  ['one letter and blanks', 'a '],
  ['pairs', '[]'],
  ['a word', 'lorem '],
  ['a short line', '1, 2, 3, four\n'],
  ['characters of two units', '😀'],
  ['blanks', ' '],
])('a run of %s is shortened wherever it stands, and what is around it stays', (_name, token) => {
  const run = token.repeat(Math.ceil(10_000 / token.length));
  for (const [before, after] of [
    ['', ''],
    ['The beginning. ', ' The end, 42.'],
    ['x'.repeat(77), 'Z'],
    ['Wo ist der Bär? 😁', '😁 Dort!'],
  ] as const) {
    const collapsed = short(before + run + after);
    expect(collapsed.length).toBeLessThan(before.length + after.length + 160);
    expect(collapsed.startsWith(before)).toBe(true);
    expect(collapsed.endsWith(after)).toBe(true);
    expect(collapsed.isWellFormed()).toBe(true);
    expect(collapsed).toContain(token);
  }
});

test('several runs, and runs of different tokens behind each other', () => {
  const text = `Start${'['.repeat(5_000)}middle${'> '.repeat(5_000)}${'a '.repeat(5_000)}end`;
  const collapsed = short(text);
  expect(collapsed.length).toBeLessThan(400);
  expect(collapsed).toMatch(/^Start\[+middle(> )+(a )+end$/);
});

test.each<[string, string]>([
  ['prose', 'The quick brown fox jumps over the lazy dog, and then it rests a while. '.repeat(3) + 'It is over.'],
  ['a rule', `Title\n${'='.repeat(300)}\nText`],
  ['a table of contents', `Chapter one ${'.'.repeat(120)} 7\nChapter two ${'.'.repeat(118)} 19`],
  ['numbers', Array.from({ length: 3_000 }, (_, at) => at).join(', ')],
  ['code', Array.from({ length: 400 }, (_, at) => `  if (a[${at}] === ${at * 3}) return b;`).join('\n')],
  ['Chinese', Array.from({ length: 4_000 }, (_, at) => String.fromCodePoint(0x4e00 + ((at * 7919) % 5_000))).join('')],
  [
    'a long line of repeated sentences',
    Array.from({ length: 40 }, (_, at) => `Step ${at}: wash, rinse, repeat.`).join(' '),
  ],
])('%s stays as it is', (_name, text) => {
  expect(short(text)).toBe(text);
});

test('time is linear in the length, for runs and for what nearly is one', () => {
  const near = Array.from({ length: 40_000 }, (_, at) => `${'a '.repeat(60)}${at}`).join('');
  const began = performance.now();
  short('> '.repeat(10_000_000));
  short(near);
  short('ab'.repeat(30).concat('c').repeat(100_000));
  // Far above what it takes; a quadratic one would take hours.
  expect(performance.now() - began).toBeLessThan(60_000);
});

test('lines are indented no deeper than anybody reads', () => {
  expect(collapseIndents(`a\n${' '.repeat(900)}- b\n  - c`)).toBe(`a\n${' '.repeat(32)}- b\n  - c`);
});
