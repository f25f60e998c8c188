import { z } from 'zod';
import { defineKind } from '../define-kind.ts';
import { delivery, modelName } from '../delivery.ts';
import { pageRanges } from '../document.ts';
import { textItem } from '../execution.ts';
import { mediaSource, oneSource, sourceFields, sourceName } from '../iris.ts';
import { ocrItem } from '../ocr.ts';

/** `POST /iris/ocr`. In `multipart/form-data`, a part `file` replaces `asset_id` and `url`. */
export const ocrRequest = z
  .strictObject({
    ...sourceFields,
    languages: z
      .array(z.string().regex(/^[a-z]{3}(_[a-z]+){0,2}$/i, { error: 'must be a language code such as eng' }))
      .min(1)
      .max(5)
      .optional()
      .describe('ISO 639-2 codes, the most likely first. Default: eng'),
    pages: pageRanges.optional().describe('For example `1-3,7`. Default: all'),
    model: modelName.optional().describe('`embedded/ocr`, or a vision model'),
    ...delivery,
  })
  .refine(oneSource.check, oneSource.error);
export type OcrRequest = z.infer<typeof ocrRequest>;

export const irisOcr = defineKind({
  kind: 'iris.ocr',
  surface: 'iris',
  pool: 'vision',
  label: 'OCR',
  path: '/iris/ocr',
  route: {
    summary: 'Read text from an image or document',
    description:
      'For PDF, PNG, JPEG, TIFF and WebP. The text is streamed page by page. The result has every page with its lines and words, their boxes and confidence, and as Markdown.',
    file: { as: 'asset_id' },
  },
  request: ocrRequest,
  input: z.object({
    /** `embedded/ocr`, or `provider/model` of a vision model. */
    model: z.string(),
    source: mediaSource,
    /** ISO 639-2 codes, the most likely first. */
    languages: z.array(z.string()).min(1).max(8),
    /** For example `1-3,7`. Null: all. */
    pages: z.string().nullable(),
  }),
  output: z.discriminatedUnion('type', [textItem, ocrItem]),
  subjectOf: ({ source }) => sourceName(source),
  capability: 'ocr',
  timeoutMs: 3_600_000,
  batchable: true,
});
export type IrisOcrInput = z.infer<typeof irisOcr.input>;
