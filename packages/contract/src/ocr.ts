import { z } from 'zod';
import { assetFacts } from './assets.ts';

/** Lines of one page, and words of one line. */
const MAX_PLACES = 1_000_000;

/** Where something stands on its upright page: left, top, width and height, in the units and from the top left corner of the page. */
const box = z.object({ x: z.number(), y: z.number(), width: z.number(), height: z.number() });

const confidence = z
  .number()
  .min(0)
  .max(1)
  .nullable()
  .describe('0 to 1; null where nothing was guessed, or nobody tells');

export const ocrWord = z.object({ text: z.string(), box, confidence });
export type OcrWord = z.infer<typeof ocrWord>;

export const ocrLine = z.object({ text: z.string(), box, confidence, words: z.array(ocrWord).max(MAX_PLACES) });
export type OcrLine = z.infer<typeof ocrLine>;

export const ocrPage = z.object({
  number: z.int().describe('From 1'),
  width: z.number().describe('Of the upright page: pixels of an image; points (1/72 inch) of a page of a PDF'),
  height: z.number(),
  rotation: z
    .number()
    .describe(
      'Degrees clockwise by which the page, as viewers show it, was turned about its centre to be upright; sizes and boxes are those after it. What is no multiple of 90 straightened a crooked page, and left its size as it was',
    ),
  source: z.enum(['text_layer', 'image']).describe('Whether its text stood in the file, or was read from its image'),
  text: z.string(),
  markdown: z.string(),
  confidence,
  lines: z
    .array(ocrLine)
    .max(MAX_PLACES)
    .nullable()
    .describe(
      'In reading order. Null where they are too many to be told here (the asset has them), or a model that sees read the page, which tells no places',
    ),
});
export type OcrPage = z.infer<typeof ocrPage>;

/** What OCR found; its plain text stands beside it as a `text` item. */
export const ocrItem = z.object({
  type: z.literal('ocr'),
  markdown: z.string().describe('Of the pages together, as much as has room here'),
  pages: z.array(ocrPage).max(1_000).describe('In order, as many as have room here'),
  page_count: z.int().describe('Of the whole file'),
  pages_left: z
    .string()
    .nullable()
    .describe(
      'What was asked for and not read, since no more than 1,000 pages are read at once: such as `1001-2400`, to be asked for as `pages`',
    ),
  languages: z.array(z.string()).max(8),
  truncated: z
    .boolean()
    .describe('Whether something that was read is left out here for its size; the asset has all of it'),
  asset: assetFacts
    .nullable()
    .describe('Where something is left out: a JSON file of `page_count`, `pages_left`, `languages` and all `pages`'),
});
export type OcrItem = z.infer<typeof ocrItem>;
