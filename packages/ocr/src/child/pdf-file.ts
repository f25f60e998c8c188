import { ChorusError } from '@chorus/contract/errors';
import {
  openPdf,
  type ParsedPage,
  readingOrder,
  scoreTextLayer,
  type TextItem,
  toSegments,
  verticalParagraphs,
} from '@chorus/documents/pdf';
import sharp from 'sharp';
import { toRaster } from '../image/raster.ts';
import { toPage } from '../layout/to-page.ts';
import type { PageLayer, TaskAnswers } from '../page-tasks.ts';
import { type OpenedPage, toDisplayImage } from './image-file.ts';

const POINTS_PER_INCH = 72;
/** Resolutions for OCR and for display. Lowered if a page would have too many pixels. */
const READ_DPI = 300;
const DISPLAY_DPI = 200;
const MAX_PIXELS = 20_000_000;
/** Minimum size of a heading in a text layer, where sizes are exact, relative to body text. */
const HEADING_SIZE = 1.12;

const OPTIONS = { keepHeadersFooters: true, emitWordBoxes: true };

export async function countPdf(path: string): Promise<number> {
  const { totalPages } = await parse(path, [1]);
  if (totalPages === 0) throw new ChorusError('invalid_request', 'The PDF has no pages.');
  return totalPages;
}

export async function readLayers(path: string, pages: number[]): Promise<PageLayer[]> {
  const parsed = new Map((await parse(path, pages)).pages.map((page) => [page.pageNum, page]));
  const layers: PageLayer[] = [];
  for (const number of pages) {
    const page = parsed.get(number);
    // A page that cannot be parsed may still be rendered.
    layers.push(page === undefined ? empty(number) : await layerOf(path, page));
  }
  return layers;
}

export async function openPdfPage(path: string, page: number): Promise<OpenedPage> {
  const { png, width, height } = await draw(path, page, READ_DPI);
  const raster = await toRaster(sharp(png).flatten({ background: '#fff' }).greyscale());
  return { raster, width, height };
}

export async function renderPdfPage(path: string, page: number): Promise<TaskAnswers['picture']> {
  const { png, width, height, blank } = await draw(path, page, DISPLAY_DPI);
  return { bytes: await toDisplayImage(sharp(png).flatten({ background: '#fff' })), width, height, blank };
}

async function draw(
  path: string,
  page: number,
  finest: number,
): Promise<{ png: Buffer; width: number; height: number; blank: boolean }> {
  const [size] = (await parse(path, [page])).pages;
  if (size === undefined) throw new ChorusError('invalid_request', `Page ${page} of the PDF is damaged.`);
  const { width, height } = size;
  const dpi = Math.min(finest, Math.sqrt(MAX_PIXELS / (width * height)) * POINTS_PER_INCH);
  const [drawn] = await openPdf({ ...OPTIONS, dpi }, (pdf) => pdf.screenshot(path, [page]));
  if (drawn === undefined) throw new ChorusError('invalid_request', `Page ${page} of the PDF cannot be rendered.`);
  return { png: drawn.imageBuffer, width, height, blank: drawn.isSolidFill };
}

const parse = (path: string, pages: number[], turned: { page: number; angle: 0 | 90 | 180 | 270 }[] = []) =>
  openPdf({ ...OPTIONS, targetPages: pages.join(','), pageOrientationCorrections: turned }, (pdf) => pdf.parse(path));

const empty = (number: number): PageLayer => ({
  number,
  page: toPage({ number, width: 0, height: 0, rotation: 0, source: 'text_layer', rows: [], headingSize: 1 }),
  score: 'nothing',
});

async function layerOf(path: string, page: ParsedPage): Promise<PageLayer> {
  const angle = angleOf(page.textItems);
  const [upright = page] =
    angle === 0 ? [page] : (await parse(path, [page.pageNum], [{ page: page.pageNum, angle }])).pages;
  const { pageNum: number, width, height } = upright;
  const rows = readingOrder(upright.textItems.flatMap(toSegments));
  const facts = { number, width, height, rotation: (360 - angle) % 360, source: 'text_layer' } as const;
  const vertical = verticalParagraphs(upright)?.join('\n\n');
  const rowwise = toPage({ ...facts, rows, headingSize: HEADING_SIZE });
  const read = vertical === undefined ? rowwise : { ...rowwise, text: vertical, markdown: vertical, lines: null };
  return { number, page: read, score: scoreTextLayer(page, read.text) };
}

function angleOf(items: readonly TextItem[]): 0 | 90 | 180 | 270 {
  const letters = { 0: 0, 90: 0, 180: 0, 270: 0 };
  for (const { text, rotation = 0 } of items) {
    const quarter = (((Math.round(rotation / 90) * 90) % 360) + 360) % 360;
    letters[quarter as keyof typeof letters] += text.trim().length;
  }
  const most = Math.max(...Object.values(letters));
  return ([0, 90, 180, 270] as const).find((angle) => letters[angle] === most) ?? 0;
}
