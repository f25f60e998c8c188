import { z } from 'zod';
import { assetFacts } from './assets.ts';

/** Where something stands on its page as it is read (turned upright): left, top, width, height in pixels of the page's size. */
const box = z.object({ x: z.number(), y: z.number(), width: z.number(), height: z.number() });

const confidence = z.number().min(0).max(1).nullable().describe('0 to 1; null where nothing was guessed');

export const ocrWord = z.object({ text: z.string(), box, confidence });
export type OcrWord = z.infer<typeof ocrWord>;

export const ocrLine = z.object({ text: z.string(), box, confidence, words: z.array(ocrWord) });
export type OcrLine = z.infer<typeof ocrLine>;

export const ocrPage = z.object({
  number: z.int().describe('From 1'),
  width: z.number().describe('Pixels; of a text layer, points'),
  height: z.number(),
  rotation: z.number().describe('Degrees clockwise by which the page was turned to be read'),
  source: z.enum(['text_layer', 'image']).describe('Whether its text stood in the file, or was read from its image'),
  text: z.string(),
  markdown: z.string(),
  confidence,
  lines: z.array(ocrLine).nullable().describe('Null where they were too many to be told here: the asset has them'),
});
export type OcrPage = z.infer<typeof ocrPage>;

/** What OCR found; its plain text stands beside it as a `text` item. */
export const ocrItem = z.object({
  type: z.literal('ocr'),
  markdown: z.string(),
  pages: z.array(ocrPage),
  page_count: z.int().describe('Of the whole file'),
  languages: z.array(z.string()),
  truncated: z.boolean().describe('Whether something was left out here for its size; the asset has all of it'),
  asset: assetFacts.nullable().describe('Everything as a JSON file'),
});
export type OcrItem = z.infer<typeof ocrItem>;
