import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { inShort, startTestParser, type TestParser } from './test-parsing.ts';

let parser: TestParser;
beforeAll(async () => {
  parser = await startTestParser();
});
afterAll(() => parser.close());

describe('Markdown', () => {
  test('reads both kinds of headings, lists, code, quotes, and tables as written', async () => {
    const written = `---
title: "On rabbits"
tags: [a]
---
Rabbits
=======

They live in **burrows**,
and come out at dusk.
- not only
- there

## Food [again](https://example.org) ##
1. Grass

   \`\`\`sh
   # no heading
   \`\`\`
2. Hay
lazily on

\`\`\`ts
const a = '# no heading';

- no list
\`\`\`

> Quick
goes on

| a | b |
|---|:-:|
| 1 | \`x\` |

    indented code

***

<p align="center"><b>Centred</b></p>
<!-- nobody
reads this -->
Last ![pic](data:image/png;base64,${'A'.repeat(200)})
`;
    const read = await parser.parse('README.md', written, { mimeType: 'text/html' });
    expect(read.title).toBe('On rabbits');
    expect(inShort(read)).toEqual([
      '# Rabbits',
      'paragraph: They live in **burrows**,\nand come out at dusk.',
      'list: - not only\n- there',
      '## Food again',
      'list: 1. Grass\n\n   ```sh\n   # no heading\n   ```\n2. Hay\nlazily on',
      "code: const a = '# no heading';\n\n- no list",
      'quote: Quick\ngoes on',
      'table: | a | b |\n|---|:-:|\n| 1 | `x` |',
      'code: indented code',
      'paragraph: Centred\n\nLast ![pic]()',
    ]);
  });

  test('does not take a rule for unclosed front matter, and continues an unclosed fence to the end', async () => {
    const read = await parser.parse('a.md', '---\nFirst\n\n~~~\ncode\n');
    expect(inShort(read)).toEqual(['paragraph: First', 'code: code']);
  });
});

describe('HTML', () => {
  test('reads the content of a page without menus, scripts, and hidden parts', async () => {
    const page = `<!doctype html><html><head><meta charset="utf-8"><title> Rabbits
      at home </title><style>p { color: red }</style></head><body>
      <header><h1>The Site</h1></header><nav><ul><li><a href="/">Home</a></li></ul></nav>
      <div class="menu"><ul><li><a href="/a">A page</a></li><li><a href="/b">Another page</a></li></ul></div>
      <h1><a href="#r">#</a>Rabbits<br>at&nbsp;home</h1>
      <p>They live in <b>bur</b>rows &amp;
         warrens.<script>alert(1)</script></p><p hidden>secret</p><p style="display: none">hidden</p>
      Loose text
      <ol start="3"><li>Grass<ul><li>fresh</li></ul></li><li><p>Hay</p><p>and more of it</p></li></ol>
      <pre><code>if (a &lt; b)
  c();</code></pre>
      <blockquote><p>Quick they are.</p></blockquote>
      <table><caption>Prices</caption><tr><th>Kind</th><th>Price</th></tr><tr><td>Hay<br>bale</td><td>7</td></tr></table>
      <table><tr><td><h2>Within</h2><p>a frame</p></td></tr></table>
      <footer>Imprint</footer></body></html>`;
    const read = await parser.parse('a.html', page);
    expect(read.title).toBe('Rabbits at home');
    expect(inShort(read)).toEqual([
      '# Rabbits at home',
      'paragraph: They live in burrows & warrens.',
      'paragraph: Loose text',
      'list: 3. Grass\n  - fresh\n4. Hay\n   and more of it',
      'code: if (a < b)\n  c();',
      'quote: Quick they are.',
      'paragraph: Prices',
      'table: | Kind | Price |\n| --- | --- |\n| Hay bale | 7 |',
      '## Within',
      'paragraph: a frame',
    ]);
  });

  test('reads only the marked content, but a menu if there is nothing else', async () => {
    const main =
      '<p>Teaser.</p><main><article><header><h1>Rabbits</h1></header><p>They live in burrows.</p></article></main><p>x</p>';
    expect(inShort(await parser.parse('a.html', `<body>${main}</body>`))).toEqual([
      '# Rabbits',
      'paragraph: They live in burrows.',
    ]);
    const index = '<ul><li><a href="a">Apples</a></li><li><a href="b">Bananas</a></li></ul>';
    expect(inShort(await parser.parse('b.html', index))).toEqual(['list: - Apples\n- Bananas']);
  });
});

test.each([
  [
    'reads commas, quotes, and line breaks within cells',
    'name,text\r\n"Doe, J.","said ""no""\r\ntwice"\r\nB|b,\r\n',
    ['| name | text |', '| --- | --- |', '| Doe, J. | said "no" twice |', '| B\\|b |  |'],
  ],
  [
    'semicolons',
    'a;b;c\n1,5;2;3\n"2,5";2;3',
    ['| a | b | c |', '| --- | --- | --- |', '| 1,5 | 2 | 3 |', '| 2,5 | 2 | 3 |'],
  ],
  ['tabs', 'a\tb\n1\t2\n', ['| a | b |', '| --- | --- |', '| 1 | 2 |']],
])('CSV with %s', async (_name, written, lines) => {
  expect(inShort(await parser.parse('a.csv', written))).toEqual([`table: ${lines.join('\n')}`]);
});

test('splits a long CSV into pieces that each have the header', async () => {
  const rows = Array.from({ length: 6_000 }, (_, index) => `${index},${'word '.repeat(10)}`);
  const progress: number[] = [];
  const { blocks } = await parser.parse('a.csv', `number,text\n${rows.join('\n')}`, {
    onProgress: (done, total) => progress.push(done / total),
  });
  expect(blocks.length).toBeGreaterThan(2);
  for (const { text } of blocks) expect(text).toMatch(/^\| number \| text \|\n\| --- \| --- \|\n\| \d+ \| word/);
  expect(blocks.flatMap(({ text }) => text.split('\n').slice(2))).toHaveLength(6_000);
  expect(progress.at(-1)).toBe(1);
  expect(progress).toEqual(progress.toSorted((a, b) => a - b));
});

test('splits text at blank lines, keeps columns, and reads source code and data as code', async () => {
  const written = 'First line\nsecond line\n\n\nName    Price\nHay     7\nGrass   0\n';
  expect(inShort(await parser.parse('a.txt', written))).toEqual([
    'paragraph: First line\nsecond line',
    'code: Name    Price\nHay     7\nGrass   0',
  ]);
  const program = await parser.parse('a.py', 'def run():\n\n  eat()\n', { mimeType: 'text/plain' });
  expect(inShort(program)).toEqual(['code: def run():\n\n  eat()']);
  expect(inShort(await parser.parse('a.json', '{\n  "a": 1\n}'))).toEqual(['code: {\n  "a": 1\n}']);
});
