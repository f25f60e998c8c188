import { crc32 } from 'node:zlib';
import type { OcrPage } from '@chorus/contract';
import { createLogger } from '@chorus/runtime/log';
import { type PdfPage, writePdf } from '@chorus/testing';
import sharp from 'sharp';
import { afterAll, describe, expect, test } from 'vitest';
import { createOcr } from './create-ocr.ts';
import type { OpenedFile, ReadOptions } from './ocr.ts';
import { endlessPdf, lockedPdf, pdfBomb } from './test-hostile.ts';
import { drawPage, PIXELS_PER_POINT, scannedPage } from './test-pages.ts';

const log = createLogger({ name: 'test', level: 'silent' });
const ocr = createOcr({ processes: 1, log, limits: { pages: 20 } });
afterAll(() => ocr.close());

const readAll = (source: string | Uint8Array, type: string, options: ReadOptions = {}, by = ocr) =>
  Array.fromAsync(by.read(source, type, options));

async function swollenPng(side: number): Promise<Buffer> {
  const bytes = await sharp({ create: { width: 1, height: 1, channels: 3, background: '#fff' } })
    .png()
    .toBuffer();
  bytes.writeUInt32BE(side, 16);
  bytes.writeUInt32BE(side, 20);
  bytes.writeUInt32BE(crc32(bytes.subarray(12, 29)), 29);
  return bytes;
}

const fault = (work: Promise<unknown>) =>
  work.then(
    () => ({ code: 'none', message: '' }),
    ({ code, message }: { code: string; message: string }) => ({ code, message }),
  );

/** Small, so that OCR takes little time. */
const note: PdfPage = {
  width: 300,
  height: 140,
  marks: [
    { text: 'Rabbits at home', x: 30, y: 40, size: 20 },
    { text: 'They live in burrows, and come out', x: 30, y: 75, size: 11 },
    { text: 'at dusk to feed on 27 kinds of grass.', x: 30, y: 90, size: 11 },
  ],
};
const NOTE = 'Rabbits at home\n\nThey live in burrows, and come out\nat dusk to feed on 27 kinds of grass.';
const NOTE_MARKDOWN = '# Rabbits at home\n\nThey live in burrows, and come out at dusk to feed on 27 kinds of grass.';
const textPage = (text: string): PdfPage => ({ width: 300, height: 100, marks: [{ text, x: 30, y: 40 }] });

/** Returns the words of a page and their positions in points. */
const placesOf = ({ lines }: OcrPage, unit: number) =>
  (lines ?? []).flatMap(({ words }) =>
    words.map(({ text, box }) => ({ text, x: box.x / unit, y: box.y / unit, end: (box.x + box.width) / unit })),
  );

/** Expects each word at the position the PDF gives. */
async function expectPlaces(read: OcrPage | undefined, unit = 1): Promise<void> {
  const [declared] = await readAll(writePdf([note]), 'application/pdf');
  const [there, here] = [placesOf(declared as OcrPage, 1), placesOf(read as OcrPage, unit)];
  expect(here.map(({ text }) => text)).toEqual(there.map(({ text }) => text));
  for (const [index, { text, x, y, end }] of there.entries()) {
    const found = here[index] as (typeof here)[number];
    expect(Math.abs(found.x - x), `${text} begins`).toBeLessThan(3);
    expect(Math.abs(found.end - end), `${text} ends`).toBeLessThan(3);
    expect(Math.abs(found.y - y), `${text} stands`).toBeLessThan(8); // letters are lower than their line
  }
}

describe('reading', () => {
  test('reads images page by page, even upside down and inverted, with positions on the upright page', async () => {
    const upright = await (await drawPage(note)).png().toBuffer();
    const other = await sharp(upright).rotate(180).negate({ alpha: false }).png().toBuffer();
    const tiff = await sharp([upright, other], { join: { animated: true } })
      .tiff()
      .toBuffer();
    const opened: OpenedFile[] = [];
    const pages = await readAll(tiff, 'image/tiff', { onOpen: (file) => opened.push(file) });
    expect(opened).toEqual([{ pageCount: 2, pages: [1, 2], pagesLeft: null }]);
    expect(pages.map(({ number, rotation }) => [number, rotation])).toEqual([
      [1, 0],
      [2, 180],
    ]);
    for (const page of pages) {
      expect(page).toMatchObject({ width: 600, height: 280, source: 'image', text: NOTE, markdown: NOTE_MARKDOWN });
      expect(page.confidence).toBeGreaterThan(0.8);
      await expectPlaces(page, PIXELS_PER_POINT);
    }
  });

  test('reads a PDF by text layer or OCR, with positions in points', async () => {
    const { marks } = await scannedPage(note);
    const [jpeg] = marks as [Extract<PdfPage['marks'][number], { jpeg: Uint8Array }>];
    const sideways = { ...jpeg, jpeg: await sharp(jpeg.jpeg).rotate(270).toBuffer() };
    const scan = {
      width: 140,
      height: 300,
      marks: [{ ...sideways, pixels: [280, 600] as [number, number], width: 140, height: 300 }],
    };
    const [own, read] = await readAll(writePdf([note, scan]), 'application/pdf');
    expect(own).toMatchObject({
      number: 1,
      width: 300,
      height: 140,
      rotation: 0,
      source: 'text_layer',
      confidence: null,
    });
    expect(own).toMatchObject({ text: NOTE, markdown: NOTE_MARKDOWN });
    expect(own?.lines?.[0]?.words[0]).toMatchObject({ text: 'Rabbits', confidence: null, box: { x: 30 } });
    expect(read).toMatchObject({ number: 2, width: 300, height: 140, rotation: 90, source: 'image', text: NOTE });
    await expectPlaces(read);
  });

  test('leaves a receipt in capitals upright, and reads its amounts and small print', async () => {
    const line = (left: string, right: string, index: number) => [
      { text: left, x: 20, y: 60 + index * 16, size: 9 },
      { text: right, x: 170, y: 60 + index * 16, size: 9 },
    ];
    const bought = [
      ['MILK 1L', '2.40'],
      ['EGGS 12', '3.15'],
      ['OIL 500ML', '7.80'],
      ['TOTAL', '13.35'],
    ] as const;
    const receipt: PdfPage = {
      width: 220,
      height: 150,
      marks: [
        { text: 'GREEN MARKET', x: 50, y: 30, size: 16 },
        ...bought.flatMap(([left, right], index) => line(left, right, index)),
      ],
    };
    // On a dark table
    const photo = (await drawPage(receipt)).extend({
      top: 150,
      bottom: 150,
      left: 400,
      right: 400,
      background: '#333',
    });
    const [page] = await readAll(await photo.jpeg({ quality: 60 }).toBuffer(), 'image/jpeg');
    expect(page?.rotation).toBe(0);
    expect(page?.text.split(/\s+/)).toEqual([
      'GREEN',
      'MARKET',
      ...bought.flatMap((cells) => cells.flatMap((cell) => cell.split(' '))),
    ]);
  });

  test.each([
    [1, 1],
    [500, 1],
    [1, 500],
  ])('finds no text in an image of %d x %d pixels', async (width, height) => {
    const image = sharp({ create: { width, height, channels: 3, background: '#000' } });
    expect(await readAll(await image.png().toBuffer(), 'image/png')).toMatchObject([{ width, height, text: '' }]);
  });

  test('reads the text layer of rotated PDF pages', async () => {
    const [page] = await readAll(writePdf([{ ...textPage('lying on its side'), rotate: 90 }]), 'application/pdf');
    expect(page).toMatchObject({
      width: 300,
      height: 100,
      rotation: 270,
      text: 'lying on its side',
      source: 'text_layer',
    });
  });

  test('sends pages without text to a vision model', async () => {
    const seen: number[] = [];
    const pages = await readAll(
      writePdf([textPage('its own'), await scannedPage(note), { marks: [] }]),
      'application/pdf',
      {
        languages: ['xxx'],
        async transcribe({ number, bytes, mimeType }) {
          const { width, height, format } = await sharp(bytes).metadata();
          expect([mimeType, format, Math.round((width / height) * 10)]).toEqual(['image/jpeg', 'jpeg', 21]);
          seen.push(number);
          return { text: 'seen', markdown: '*seen*' };
        },
      },
    );
    expect(seen).toEqual([2]);
    expect(pages.map(({ text }) => text)).toEqual(['its own', 'seen', '']); // blank pages are not sent
    expect(pages[1]).toEqual({
      number: 2,
      width: 300,
      height: 140,
      rotation: 0,
      source: 'image',
      text: 'seen',
      markdown: '*seen*',
      confidence: null,
      lines: null,
    });
  });

  test('stops at the page limit and reports the pages left, which can be read later', async () => {
    const many = writePdf(Array.from({ length: 10_000 }, (_, index) => textPage(`Page ${index + 1}`)));
    const opened: OpenedFile[] = [];
    const onOpen = (file: OpenedFile) => opened.push(file);
    const first = await readAll(many, 'application/pdf', { onOpen });
    expect(first.map(({ text }) => text)).toEqual(Array.from({ length: 20 }, (_, index) => `Page ${index + 1}`));
    expect(opened[0]).toMatchObject({ pageCount: 10_000, pagesLeft: '21-10000' });
    const some = await readAll(many, 'application/pdf', { onOpen, pages: '9990-20000,3', after: 9_997 });
    expect(some.map(({ text }) => text)).toEqual(['Page 9998', 'Page 9999', 'Page 10000']);
    expect(opened[1]).toMatchObject({
      pages: [3, ...Array.from({ length: 11 }, (_, index) => 9_990 + index)],
      pagesLeft: null,
    });
    const none = await fault(readAll(many, 'application/pdf', { pages: '20000' }));
    expect(none).toEqual({ code: 'invalid_request', message: expect.stringContaining('10000 pages') });
  });
});

describe('refusals', () => {
  const png = () => drawPage(note).then((page) => page.png().toBuffer());
  test.each<[string, () => Promise<Uint8Array> | Uint8Array, string, string, RegExp]>([
    ['another type', () => Buffer.from('hello'), 'text/plain', 'unsupported_media_type', /PDF, PNG, JPEG, TIFF, WebP/],
    ['a file of another type than declared', async () => writePdf([note]), 'image/png', 'invalid_request', /not a PNG/],
    [
      'an SVG',
      () => Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"/>'),
      'image/webp',
      'invalid_request',
      /not a WebP/,
    ],
    ['a truncated image', async () => (await png()).subarray(0, 3_000), 'image/png', 'invalid_request', /cut off/],
    [
      'an image of 100 megapixels',
      () => swollenPng(10_000),
      'image/png',
      'payload_too_large',
      /limit is 80 megapixels/,
    ],
    [
      'a truncated PDF',
      () => writePdf([note]).subarray(0, 300),
      'application/pdf',
      'invalid_request',
      /damaged or cut off/,
    ],
    ['a PDF with a password', lockedPdf, 'application/pdf', 'invalid_request', /encrypted/],
  ])('%s', async (_name, make, type, code, message) => {
    const refused = await fault(readAll(await make(), type));
    expect(refused).toEqual({ code, message: expect.stringMatching(message) });
  });

  // Takes five seconds of CPU time. Documents have the same limit and test it with every run.
  test.runIf(process.env.CHORUS_SOAK)('a PDF that expands', async () => {
    const refused = await fault(readAll(await pdfBomb(), 'application/pdf'));
    expect(refused).toEqual({ code: 'invalid_request', message: expect.stringMatching(/1500 MB|s of CPU time/) });
  });

  test('times out on an endless PDF and keeps its children usable afterwards', async () => {
    const hasty = createOcr({ processes: 1, log, limits: { pageMs: 1_500 } });
    const refused = await fault(readAll(endlessPdf(), 'application/pdf', {}, hasty));
    expect(refused).toEqual({ code: 'timeout', message: expect.stringContaining('1.5 s') });
    const pages = await readAll(writePdf([textPage('still here')]), 'application/pdf', {}, hasty);
    expect(pages[0]?.text).toBe('still here');
    await hasty.close();
  });

  test('refuses oversized files, and missing languages with a list of those available', async () => {
    const small = createOcr({ processes: 1, log, limits: { fileBytes: 100 } });
    const large = await fault(readAll(writePdf([note]), 'application/pdf', {}, small));
    expect(large).toEqual({ code: 'payload_too_large', message: expect.stringContaining('limit is 100 bytes') });
    const foreign = await fault(readAll(writePdf([note]), 'application/pdf', { languages: ['eng', 'tlh'] }));
    expect(foreign).toEqual({
      code: 'invalid_request',
      message: expect.stringMatching(/^Language not available: tlh\. Available: eng\. To add it, .*tesseract-ocr-tlh/),
    });
  });
});

test('stops the work on abort, or when the caller stops iterating', async () => {
  const controller = new AbortController();
  const reason = new Error('enough');
  const endless = readAll(endlessPdf(), 'application/pdf', { signal: controller.signal });
  setTimeout(() => controller.abort(reason), 300);
  await expect(endless).rejects.toBe(reason);
  for await (const page of ocr.read(writePdf([note, note, note]), 'application/pdf')) {
    expect(page.number).toBe(1);
    break;
  }
  expect(await readAll(writePdf([note]), 'application/pdf')).toHaveLength(1);
});
