import { expect, test } from 'vitest';
import { speechParts } from './speech-parts.ts';

test('reads the words of Markdown, without its marks, code, and citations', () => {
  const markdown = [
    '# The **mill**\n\nSee [the page](https://example.org) [1].\nIt `turns`!\n',
    '- one\n- two\n\n```js\nrun();\n```\n\n| a | b |\n| --- | --- |\n| 1 | 2 |\n\n> quoted\n\n***\n<b>bold</b>',
  ].join('\n');
  expect(speechParts(markdown)).toEqual([
    'The mill.\nSee the page.\nIt turns!\none.\ntwo.\na, b.\n1, 2.\nquoted.\nbold.',
  ]);
  expect(speechParts('```\ncode\n```')).toEqual([]);
});

test('splits long texts after sentences, and words without a space anywhere', () => {
  const parts = speechParts(Array.from({ length: 400 }, (_, at) => `Sentence number ${at}.`).join(' '));
  expect(parts.length).toBeGreaterThan(2);
  for (const part of parts) expect(part).toMatch(/^Sentence number .{0,3000}\.$/s);
  expect(parts.join(' ')).toContain('Sentence number 399.');
  expect(speechParts('x'.repeat(7_000)).map(({ length }) => length)).toEqual([3_000, 3_000, 1_001]);
});
