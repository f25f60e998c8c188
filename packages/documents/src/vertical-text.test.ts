import { assemblePdf } from '@chorus/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { verticalParagraphs } from './pdf/index.ts';
import { inShort, startTestParser, type TestParser } from './test-parsing.ts';

let parser: TestParser;
beforeAll(async () => {
  parser = await startTestParser();
});
afterAll(() => parser.close());

interface Run {
  text: string;
  x: number;
  y: number;
  size?: number;
}

/** Writes a page in a Japanese font of the reader, from top to bottom or from left to right. */
function japanesePdf(runs: readonly Run[], direction: 'V' | 'H'): Buffer {
  const hex = (text: string) => `<${Buffer.from(text, 'utf16le').swap16().toString('hex')}>`;
  const content = runs
    .map(({ text, x, y, size = 14 }) => `BT /F ${size} Tf ${x} ${842 - y} Td ${hex(text)} Tj ET`)
    .join('\n');
  const objects = [
    '<< /Type /Catalog /Pages 2 0 R >>',
    '<< /Type /Pages /Count 1 /Kids [3 0 R] >>',
    '<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents 4 0 R /Resources << /Font << /F 5 0 R >> >> >>',
    `<< /Length ${content.length} >>\nstream\n${content}\nendstream`,
    `<< /Type /Font /Subtype /Type0 /BaseFont /HeiseiMin-W3 /Encoding /UniJIS-UCS2-${direction} /DescendantFonts [6 0 R] >>`,
    '<< /Type /Font /Subtype /CIDFontType0 /BaseFont /HeiseiMin-W3 /CIDSystemInfo << /Registry (Adobe) /Ordering (Japan1) /Supplement 2 >> /DW 1000 /FontDescriptor 7 0 R >>',
    '<< /Type /FontDescriptor /FontName /HeiseiMin-W3 /Flags 4 /FontBBox [0 -200 1000 900] /ItalicAngle 0 /Ascent 900 /Descent -200 /CapHeight 700 /StemV 80 >>',
  ];
  return assemblePdf(objects.map((body) => Buffer.from(body)));
}

const LINES = [
  '吾輩は猫である。名前はまだ無い。どこで生れたか',
  'とんと見当がつかぬ。何でも薄暗いじめじめした所',
  'で泣いていた事だけは記憶している。',
  '吾輩はここで始めて人間というものを見た。',
];

test('reads vertical columns from right to left, without ruby text', async () => {
  const columns = LINES.map((text, at) => ({ text, x: 520 - at * 26, y: at === 3 ? 76 : 62 }));
  const read = await parser.parse(
    'a.pdf',
    japanesePdf([...columns, { text: 'わがはい', x: 532, y: 62, size: 6 }], 'V'),
  );
  expect(inShort(read)).toEqual([`paragraph: ${LINES.slice(0, 3).join('')}`, `paragraph: ${LINES[3]}`]);
});

test('reads the upper tier of vertical columns first', () => {
  const tier = (lines: string[], top: number) =>
    lines.flatMap((line, column) =>
      [...line].map((text, at) => ({ text, x: 520 - column * 26, y: top + at * 14, width: 14, height: 14 })),
    );
  const words = [...tier(LINES.slice(2), 420), ...tier(LINES.slice(0, 2), 62)];
  const textItems = words.map((word) => ({ ...word, fontSize: 14, words: [word] }));
  expect(verticalParagraphs({ textItems })?.join('')).toBe(LINES.join(''));
});

test.each([18, 24])('does not change horizontal lines %i points apart', async (pitch) => {
  const rows = LINES.map((text, at) => ({ text, x: 60, y: 60 + at * pitch }));
  const read = await parser.parse('a.pdf', japanesePdf(rows, 'H'));
  expect(
    inShort(read)
      .join('')
      .replaceAll(/\s|paragraph:/g, ''),
  ).toBe(LINES.join(''));
});
