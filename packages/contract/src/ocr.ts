import { z } from 'zod';
import { assetFacts } from './assets.ts';

/** Maximum number of lines per page, and of words per line. */
const MAX_PLACES = 1_000_000;

/** A rectangle on the upright page, from its top left corner, in the page's units. */
const box = z.object({ x: z.number(), y: z.number(), width: z.number(), height: z.number() });

const confidence = z
  .number()
  .min(0)
  .max(1)
  .nullable()
  .describe('0 to 1; null if the text was not recognized by OCR, or the engine reports none');

export const ocrWord = z.object({ text: z.string(), box, confidence });
export type OcrWord = z.infer<typeof ocrWord>;

export const ocrLine = z.object({ text: z.string(), box, confidence, words: z.array(ocrWord).max(MAX_PLACES) });
export type OcrLine = z.infer<typeof ocrLine>;

export const ocrPage = z.object({
  number: z.int().describe('From 1'),
  width: z.number().describe('Of the upright page: pixels for images, points (1/72 inch) for PDF pages'),
  height: z.number(),
  rotation: z
    .number()
    .describe(
      'Degrees clockwise by which the displayed page was rotated about its center to be upright. Sizes and boxes are those after it. Other values than multiples of 90 straighten a skewed page, and keep its size',
    ),
  source: z.enum(['text_layer', 'image']).describe('Whether the text was embedded in the file, or read from its image'),
  text: z.string(),
  markdown: z.string(),
  confidence,
  script: z
    .string()
    .optional()
    .describe('Script that the page seems to be written in, if none of the `languages` is: for example `Han`'),
  lines: z
    .array(ocrLine)
    .max(MAX_PLACES)
    .nullable()
    .describe(
      'In reading order. Null: too many to include here (the asset has them), or a vision model read the page, which reports no positions',
    ),
});
export type OcrPage = z.infer<typeof ocrPage>;

/** The result of OCR. Its plain text is a separate `text` item. */
export const ocrItem = z.object({
  type: z.literal('ocr'),
  markdown: z.string().describe('Text of all pages, as far as it fits'),
  pages: z.array(ocrPage).max(1_000).describe('In order, as many as fit'),
  page_count: z.int().describe('Of the whole file'),
  pages_left: z
    .string()
    .nullable()
    .describe(
      'Requested pages that were not read, since one request reads at most 1,000 pages: for example `1001-2400`, to be sent as `pages`',
    ),
  languages: z.array(z.string()).max(8),
  truncated: z
    .boolean()
    .describe('Whether parts of the result were left out because of their size; the asset is complete'),
  asset: assetFacts
    .nullable()
    .describe('A JSON file with `page_count`, `pages_left`, `languages`, and all `pages`, if parts were left out'),
});
export type OcrItem = z.infer<typeof ocrItem>;
