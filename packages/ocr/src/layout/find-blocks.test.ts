import { readingOrder, type Segment, textOfRow } from '@chorus/documents/pdf';
import { expect, test } from 'vitest';
import { findBlocks } from './find-blocks.ts';
import { toMarkdown, toText } from './write-page.ts';

/** Builds a segment in a font whose letters are half as wide as high. */
function segment(text: string, x: number, y: number, size = 10, bold = false): Segment {
  let at = x;
  const words = text.split(' ').map((word) => {
    const box = { x: at, y, width: word.length * size * 0.5, height: size };
    at += box.width + size * 0.3;
    return { text: word, box, confidence: null };
  });
  return { words, box: { x, y, width: at - size * 0.3 - x, height: size }, size, bold };
}

const lines = (texts: string[], x: number, y: number, leading = 13) =>
  texts.map((text, index) => segment(text, x, y + index * leading));

const markdownOf = (segments: Segment[]) => toMarkdown(findBlocks(readingOrder(segments), { headingSize: 1.12 }));

const FOX = [
  'The quick brown fox jumps over the lazy',
  'dog, and is never seen again in the for-',
  'est where the hounds were.',
];

test('joins rows and hyphenated words, and splits paragraphs at blank lines', () => {
  const page = [...lines(FOX, 50, 100), ...lines(FOX, 50, 160)];
  const fox =
    'The quick brown fox jumps over the lazy dog, and is never seen again in the forest where the hounds were.';
  expect(markdownOf(page)).toBe(`${fox}\n\n${fox}`);
  expect(toText(findBlocks(readingOrder(page), { headingSize: 1.12 }))).toBe(`${FOX.join('\n')}\n\n${FOX.join('\n')}`);
});

test('finds paragraphs by indentation or a short last line', () => {
  const indented = [
    ...lines(FOX, 50, 100),
    segment('Then a second paragraph begins with this', 65, 139),
    segment('line, which goes on here.', 50, 152),
  ];
  expect(markdownOf(indented).split('\n\n')).toHaveLength(2);
  const short = [
    ...lines(
      [
        'It is a long line that fills all the width there',
        'and ends.',
        'Another one begins here and it is as long as the',
      ],
      50,
      100,
    ),
  ];
  expect(markdownOf(short).split('\n\n')).toHaveLength(2);
  const address = lines(['Date: 17 March', 'Customer: Harper and Sons, Mill Lane, Bristol', 'Terms: at once'], 50, 100);
  expect(markdownOf(address).split('\n\n')).toHaveLength(2);
});

test('sets heading levels by size, and treats single bold lines as headings', () => {
  const page = [
    segment('A report', 50, 40, 24),
    segment('Its part', 50, 80, 16),
    ...lines(FOX, 50, 110),
    segment('In bold', 50, 170, 10, true),
    ...lines(FOX, 50, 190),
  ];
  expect(
    markdownOf(page)
      .split('\n\n')
      .map((block) => block.slice(0, 9)),
  ).toEqual(['# A repor', '## Its pa', 'The quick', '### In bo', 'The quick']);
});

test('reads columns one after the other, below a shared headline', () => {
  const page = [
    segment('A headline over all of it', 50, 40, 20),
    ...lines(FOX, 50, 100),
    ...lines(
      [
        'Second column with text of its own',
        'that follows the first one, since nobody',
        'reads across the gap between.',
      ],
      300,
      100,
    ),
  ];
  const order = markdownOf(page);
  expect(order.indexOf('hounds')).toBeLessThan(order.indexOf('Second column'));
  expect(order.startsWith('# A headline')).toBe(true);
});

test('turns aligned cells into a table and escapes special characters', () => {
  const row = (cells: string[], y: number) => cells.map((cell, index) => segment(cell, 50 + index * 100, y));
  const page = [
    ...lines(FOX, 50, 40),
    ...row(['Region', 'Units', 'Sum'], 110),
    ...row(['North', '1,204', '48|60'], 126),
    ...row(['South', '987', '39'], 142),
  ];
  expect(markdownOf(page)).toContain(
    '\n\n| Region | Units | Sum |\n|---|---|---|\n| North | 1,204 | 48\\|60 |\n| South | 987 | 39 |',
  );
});

test('reads lists with depth, numbers, and continued lines', () => {
  const page = [
    segment('•', 50, 100),
    segment('First of the items, which goes on', 62, 100),
    segment('in a second line', 62, 113),
    segment('– deeper', 70, 130),
    segment('• back again', 50, 145),
    segment('1. one', 50, 170),
    segment('2) two', 50, 185),
    segment('a) lettered', 50, 200),
  ];
  expect(markdownOf(page)).toBe(
    '- First of the items, which goes on in a second line\n   - deeper\n- back again\n1. one\n2. two\n- a) lettered',
  );
});

test('escapes text that only looks like Markdown', () => {
  expect(markdownOf([segment('# 5 of the clients', 50, 50)])).toBe('\\# 5 of the clients');
});

test('puts labels and amounts on one row even if their columns are offset, and keeps text columns separate', () => {
  const textOf = (page: Segment[]) => readingOrder(page).map(textOfRow);
  const receipt = [...lines(['2 rolls', 'Butter', 'Sum'], 50, 100), ...lines(['1.40', '2.99', '4.39'], 200, 103)];
  expect(textOf(receipt)).toEqual(['2 rolls 1.40', 'Butter 2.99', 'Sum 4.39']);
  const policy = ['Amount of the deductible', 'Limit for each accident', 'Payable once a year by'];
  const long = [
    ...lines(policy, 50, 100),
    ...lines(['EUR 1,200,500.00', 'EUR 9,800,250.00', '2024-10-11 12:00'], 300, 101),
  ];
  expect(textOf(long)[2]).toBe('Payable once a year by 2024-10-11 12:00');
  expect(textOf([...lines(FOX, 50, 100), ...lines(FOX, 300, 102, 14)])).toEqual([...FOX, ...FOX]);
});

test('keeps an address together next to labels and values, and next to another address', () => {
  const address = ['Ada Lovelace', '12 St James Square', 'London SW1Y 4JH', 'United Kingdom'];
  const labels = ['Number:', 'Date:', 'Due:'];
  const values = ['RE-2024-0815', '3 May 2024', '17 May 2024'];
  const facts = labels.map((label, row) => `${label} ${values[row]}`);
  for (const [leading, offset] of [
    [13, 0],
    [17, 4],
  ] as const) {
    const page = [
      ...lines(address, 50, 100),
      ...lines(labels, 300, 100 + offset, leading),
      ...lines(values, 380, 102 + offset, leading),
    ];
    expect(readingOrder(page).map(textOfRow)).toEqual([...address, ...facts]);
    expect(markdownOf(page)).toContain(`| ${labels[0]} | ${values[0]} |`);
  }
  const other = ['Harper and Sons', '48 Mill Lane', 'Bristol BS1 6QA'];
  expect(readingOrder([...lines(address, 50, 100), ...lines(other, 300, 100)]).map(textOfRow)).toEqual([
    ...address,
    ...other,
  ]);
});

test('keeps the rows of a table whose second column is text', () => {
  const rows = [
    ['Item', 'Unit', 'Price'],
    ['Paper', 'box', '11.90'],
    ['Lamp 9 W', 'piece', '39.50'],
    ['Toner', 'piece', '85.99'],
  ];
  const page = rows.flatMap((cells, row) => cells.map((cell, at) => segment(cell, 50 + at * 160, 100 + row * 13)));
  expect(readingOrder(page).map(textOfRow)).toEqual(rows.map((cells) => cells.join(' ')));
});
