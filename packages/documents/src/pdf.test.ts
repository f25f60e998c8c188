import { type PdfPage, writePdf } from '@chorus/testing';
import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import type { ReadPages } from './documents.ts';
import { inShort, startTestParser, type TestParser } from './test-parsing.ts';

let parser: TestParser;
beforeAll(async () => {
  parser = await startTestParser();
});
afterAll(() => parser.close());

/** Builds lines from the top of a page, 12 points each. The first ones may be headings. */
function pageOf(lines: { text: string; size?: number; x?: number; gap?: number }[]): PdfPage {
  let y = 40;
  const marks = lines.map(({ text, size = 10, x = 60, gap = 0 }) => {
    y += size * 1.3 + gap;
    return { text, x, y, size, font: size > 10 ? ('bold' as const) : ('regular' as const) };
  });
  return { marks };
}
const tableOf = ([head = [], ...rows]: readonly (readonly string[])[]) =>
  `table: ${[head, head.map(() => '---'), ...rows].map((row) => `| ${row.join(' | ')} |`).join('\n')}`;
const body = (...texts: string[]) => texts.map((text, index) => ({ text, gap: index === 0 ? 8 : 0 }));
/** A page covered by an image, as from a scanner. */
const pictured: PdfPage = {
  marks: [
    {
      jpeg: await sharp({ create: { width: 20, height: 30, channels: 3, background: '#888' } })
        .jpeg()
        .toBuffer(),
      pixels: [20, 30],
      x: 0,
      y: 0,
      width: 595,
      height: 842,
    },
  ],
};

describe('the text layer', () => {
  test('reads headings, paragraphs, items, and tables with pages, and joins a paragraph across a page break', async () => {
    const pages = [
      pageOf([
        { text: 'Rabbits at home', size: 22 },
        ...body('They live in burrows that they dig', 'by themselves, with many rooms.'),
        { text: 'What they eat', size: 16, gap: 12 },
        ...body('• grass of the fields', '• hay'),
        ...body('', '', 'At night they come out and go far across the fields of the'),
      ]),
      pageOf([
        ...body('neighbours, whose dogs are asleep_then by * day.'),
        { text: 'What they fear', size: 16, gap: 12 },
        ...body('Foxes.'),
      ]),
    ];
    const read = await parser.parse('a.pdf', writePdf(pages));
    expect(read).toMatchObject({ title: 'Rabbits at home', pageCount: 2, warnings: [] });
    expect(read.blocks.map(({ page }) => page)).toEqual([1, 1, 1, 1, 1, 2, 2]);
    expect(inShort(read).map((line) => line.replace(/^#+/, '#'))).toEqual([
      '# Rabbits at home',
      'paragraph: They live in burrows that they dig by themselves, with many rooms.',
      '# What they eat',
      'list: - grass of the fields\n- hay',
      'paragraph: At night they come out and go far across the fields of the neighbours, whose dogs are asleep_then by * day.',
      '# What they fear',
      'paragraph: Foxes.',
    ]);
  });

  test('loses no labels and amounts next to an address, and keeps each pair together', async () => {
    const at = (text: string, x: number, y: number) => ({ text, x, y, size: 10 });
    const address = ['Ada Lovelace', '12 St James Square', 'London SW1Y 4JH', 'United Kingdom'];
    const facts = [
      ['Invoice number:', 'RE-2024-0815'],
      ['Invoice date:', '3 May 2024'],
      ['Amount due:', '1,469.06 EUR'],
      ['Due by:', '17 May 2024'],
    ] as const;
    const marks = [
      { text: 'Mill and Sons', x: 60, y: 60, size: 16, font: 'bold' as const },
      ...address.map((line, row) => at(line, 60, 100 + row * 13)),
      ...facts.flatMap(([label, value], row) => [at(label, 360, 102 + row * 16), at(value, 470, 102 + row * 16)]),
      at('Dear customer, thank you for your order. We charge the services of the month of April.', 60, 190),
    ];
    const [, block, table, text] = inShort(await parser.parse('a.pdf', writePdf([{ marks }])));
    expect(block).toBe(`paragraph: ${address.join(' ')}`);
    expect(table).toBe(tableOf(facts));
    expect(text).toContain('Dear customer');
  });

  test('keeps amounts next to their labels at any distance and offset, and reads columns of text', async () => {
    const items = [
      ['Item', 'Quantity', 'Price', 'Amount'],
      ['Paper, A4', '12', '11.99', '143.88'],
      ['Desk lamp', '1', '39.50', '39.50'],
    ];
    const sums = [
      ['Subtotal', '183.38'],
      ['VAT 20%', '36.68'],
      ['Total due', '220.06 EUR'],
    ];
    const one = [
      'In the year 1861 they counted 312 rabbits',
      'there, and in 1862 there were 4,100 of them',
      'on 12 fields.',
    ];
    const other = [
      'By 1870 all the 12 fields were bare, and the',
      'last of 9,800 hares left for the hills of the',
      'north.',
    ];
    const at = (text: string, x: number, y: number) => ({ text, x, y, size: 10 });
    const marks = [
      at('We charge these items, which you ordered in May:', 60, 40),
      ...items.flatMap((row, line) => row.map((text, cell) => at(text, 60 + cell * 140, 90 + line * 17))),
      ...sums.flatMap(([label, sum], line) => [at(label!, 60, 160 + line * 18), at(sum!, 470, 162.5 + line * 18)]),
      ...one.map((line, row) => at(line, 60, 260 + row * 12)),
      ...other.map((line, row) => at(line, 310, 262 + row * 12)),
    ];
    const read = inShort(await parser.parse('a.pdf', writePdf([{ marks }])));
    expect(read.slice(1, 3)).toEqual([tableOf(items), tableOf(sums)]);
    expect(
      read
        .slice(3)
        .join(' ')
        .replaceAll(/\s*paragraph: /g, ' ')
        .trim(),
    ).toBe([...one, ...other].join(' '));
  });

  test('leaves out a header that every page repeats', async () => {
    const text = (page: number) =>
      body(`The rabbits of page ${page} eat`, 'grass and hay in the morning,', 'and sleep at noon.');
    const pages = Array.from({ length: 6 }, (_, page) =>
      pageOf([
        { text: `Rabbits at home, revised edition ${page + 1}` },
        ...text(page + 1).map((line, at) => ({ ...line, gap: at === 0 ? 40 : 0 })),
      ]),
    );
    const read = inShort(await parser.parse('a.pdf', writePdf(pages))).join('\n');
    expect(read).toContain('The rabbits of page 6 eat');
    expect(read).not.toContain('revised edition');
  });

  test('reads five hundred pages with progress, and drops no line as a header if there is nothing else', async () => {
    const pages = Array.from({ length: 500 }, (_, index) => pageOf([{ text: `Page ${index + 1} says only this` }]));
    const progress: [number, number][] = [];
    const read = await parser.parse('a.pdf', writePdf(pages), { onProgress: (...step) => progress.push(step) });
    expect(read.pageCount).toBe(500);
    expect(read.blocks.map(({ page, text }) => `${page} ${text}`)).toEqual(
      pages.map((_, index) => `${index + 1} Page ${index + 1} says only this`),
    );
    expect(progress.at(-1)).toEqual([500, 500]);
  });
});

describe('pages that are images', () => {
  const scan = writePdf([
    pageOf(body('Some text of its own.')),
    pictured,
    { marks: [] },
    pictured,
    pageOf(body('The end.')),
  ]);

  test('reads them with `readPages` in their place, and skips an empty page', async () => {
    const readPages = vi.fn<ReadPages>(async (_file, pages, { onPage, onWarning }) => {
      onPage?.(1);
      onWarning?.('Page 2 is faint.');
      return (pages ?? []).map((number) => ({
        number,
        text: number === 3 ? '' : `# Scan ${number}\n\nRead from its picture.`,
      }));
    });
    const progress: number[] = [];
    const read = await parser.parse('a.pdf', scan, {
      readPages,
      languages: ['deu'],
      onProgress: (done) => progress.push(done),
    });
    expect(read.blocks.map(({ page, type, text }) => `${page} ${type} ${text}`)).toEqual([
      '1 paragraph Some text of its own.',
      '2 heading Scan 2',
      '2 paragraph Read from its picture.',
      '4 heading Scan 4',
      '4 paragraph Read from its picture.',
      '5 paragraph The end.',
    ]);
    expect(readPages).toHaveBeenCalledOnce();
    const [file, pages, options] = readPages.mock.calls[0] ?? [];
    expect(file).toMatchObject({ mimeType: 'application/pdf' });
    expect(pages).toEqual([2, 3, 4]);
    expect(options).toMatchObject({ languages: ['deu'] });
    expect(progress.at(-1)).toBe(3);
    expect(read.warnings).toEqual(['Page 2 is faint.']);
  });

  test('warns about pages that were not read', async () => {
    const read = await parser.parse('a.pdf', scan);
    expect(read.warnings).toEqual(['Pages 2-4 have little or no text, and their images were not read.']);
    const readPages: ReadPages = async () => [{ number: 2, text: 'Read.' }];
    expect(await parser.fault('b.pdf', scan, { readPages })).toMatchObject({
      code: 'invalid_request',
      message: 'Pages 3-4 could not be read. Try again, or upload the document without them.',
    });
    expect(await parser.fault('b.pdf', writePdf([pictured]))).toMatchObject({
      code: 'invalid_request',
      message: 'The file has no text. Page 1 has little or no text, and its image was not read.',
    });
  });

  test('keeps a page with a stamp whose image was not read, with a warning', async () => {
    const stamped: PdfPage = { marks: [...pictured.marks, { text: 'Received on 3 May by Ada', x: 60, y: 60 }] };
    const readPages: ReadPages = async (_file, _pages, { onFailure }) => {
      onFailure?.(1, 'Page 1 took too long.');
      onFailure?.(2, 'Page 2 took too long.');
      return [];
    };
    const read = await parser.parse('a.pdf', writePdf([stamped]), { readPages });
    expect(read.warnings).toEqual(['Page 1 has little or no text, and its image was not read.']);
    expect(await parser.fault('a.pdf', writePdf([stamped, pictured]), { readPages })).toEqual({
      code: 'invalid_request',
      message: 'Page 2 could not be read. Page 2 took too long. Try again, or upload the document without it.',
    });
  });

  test('uses the longer text of a page with a stamp on an image', async () => {
    const stamped: PdfPage = { marks: [...pictured.marks, { text: 'Received on 3 May by Ada', x: 60, y: 60 }] };
    const file = writePdf([stamped, stamped]);
    const readPages: ReadPages = async () => [
      { number: 1, text: 'Received' },
      { number: 2, text: 'Received on 3 May by Ada\n\nDear Sir, here is all that the letter says.' },
    ];
    const read = await parser.parse('a.pdf', file, { readPages });
    expect(read.blocks.map(({ page, text }) => `${page} ${text}`)).toEqual([
      '1 Received on 3 May by Ada',
      '2 Received on 3 May by Ada',
      '2 Dear Sir, here is all that the letter says.',
    ]);
    const alone = await parser.parse('a.pdf', file);
    expect(alone.blocks.map(({ page }) => page)).toEqual([1, 2]);
  });

  test('reads an image with one or several pages', async () => {
    const readPages: ReadPages = async (file, pages, { onWarning }) => {
      expect([file.mimeType, pages]).toEqual(['image/png', null]);
      onWarning?.('Page 1 is faint.');
      return [
        { number: 1, text: '| a | b |\n| --- | --- |\n| 1 | 2 |' },
        { number: 2, text: '---\nNo front matter' },
      ];
    };
    const read = await parser.parse('a.png', 'any bytes', { readPages });
    expect(read).toMatchObject({ title: null, pageCount: 2, warnings: ['Page 1 is faint.'] });
    expect(inShort(read)).toEqual(['table: | a | b |\n| --- | --- |\n| 1 | 2 |', 'paragraph: No front matter']);
    expect(await parser.fault('a.png', 'any bytes')).toMatchObject({ code: 'unsupported_media_type' });
  });
});
