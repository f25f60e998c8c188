import { expect, test } from 'vitest';
import { findBlocks } from './find-blocks.ts';
import { joinColumns } from './join-columns.ts';
import { readingOrder } from './reading-order.ts';
import { type Segment, textOfRow, toRow } from './row.ts';
import { toMarkdown, toText } from './write-page.ts';

/** Builds a segment in a typeface whose letters are half as wide as high. */
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

test('sets heading levels by size, and takes single bold lines as headings', () => {
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

test('rejoins rows of a receipt that were read by column, and keeps text columns apart', () => {
  const column = (texts: string[], x: number, block: number) =>
    texts.map((text, index) => toRow([segment(text, x, 100 + index * 13)], block));
  const receipt = [...column(['2 rolls', 'Butter', 'Sum'], 50, 1), ...column(['1.40', '2.99', '4.39'], 200, 2)];
  expect(joinColumns(receipt).map(textOfRow)).toEqual(['2 rolls 1.40', 'Butter 2.99', 'Sum 4.39']);
  const article = [...column(FOX, 50, 1), ...column(FOX, 300, 2)];
  expect(joinColumns(article).map(textOfRow)).toEqual([...FOX, ...FOX]);
});
