import { expect, test } from 'vitest';
import { plainText } from './plain-text.ts';

test.each([
  ['# Title\n\nSome **bold**, *slanted* and `code`.', 'Title\n\nSome bold, slanted and code.'],
  ['- one\n- two\n\n1. three', '- one\n- two\n\n1. three'],
  ['| a | b \\| c |\n|---|:-:|\n| 1 | **2** |', 'a\tb | c\n1\t2'],
  ['> quoted, see [the page](https://example.org)', 'quoted, see the page'],
  ['snake_case_name, 2 * 3 * 4, \\# 5 and a_b', 'snake_case_name, 2 * 3 * 4, # 5 and a_b'],
  ['```\nlet x = 1\n```', 'let x = 1'],
])('%j', (markdown, text) => {
  expect(plainText(markdown)).toBe(text);
});

test('is fast for any text', () => {
  // CPU time, because other processes slow the machine.
  const before = process.cpuUsage();
  for (const sign of ['**a ', '[', '`a', '_a ', '| --', '#', '[a](']) plainText(sign.repeat(100_000 / sign.length));
  const { user, system } = process.cpuUsage(before);
  expect((user + system) / 1_000).toBeLessThan(20_000);
});
