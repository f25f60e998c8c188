import { expect, test } from 'vitest';
import { collapseIndents, collapseRuns, MAX_RUN } from './collapse-runs.ts';

const short = (text: string) => collapseRuns(text, MAX_RUN);

test.each<[string, string]>([
  ['nested quotes', '> '],
  ['brackets', '['],
  ['one letter', 'a'],
  ['one letter and spaces', 'a '],
  ['pairs', '[]'],
  ['a word', 'lorem '],
  ['a short line', '1, 2, 3, four\n'],
  ['surrogate pairs', '😀'],
  ['blanks', ' '],
])('shortens a run of %s anywhere and keeps the text around it', (_name, token) => {
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

test('shortens several runs, and runs of different tokens in a row', () => {
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
])('keeps %s', (_name, text) => {
  expect(short(text)).toBe(text);
});

test('takes linear time for runs and near-runs', () => {
  const near = Array.from({ length: 40_000 }, (_, at) => `${'a '.repeat(60)}${at}`).join('');
  const began = performance.now();
  short('> '.repeat(10_000_000));
  short(near);
  short('ab'.repeat(30).concat('c').repeat(100_000));
  // Far above the real time, but a quadratic algorithm would take hours.
  expect(performance.now() - began).toBeLessThan(60_000);
});

test('limits the indentation of lines', () => {
  expect(collapseIndents(`a\n${' '.repeat(900)}- b\n  - c`)).toBe(`a\n${' '.repeat(32)}- b\n  - c`);
});
