import { z } from 'zod';
import { defineKind } from '../define-kind.ts';
import { delivery } from '../delivery.ts';
import { documentItem } from '../document.ts';
import { textItem } from '../execution.ts';
import { mediaSource, oneSource, sourceFields, sourceName } from '../iris.ts';
import { ocrRequest } from './iris-ocr.ts';

const { pages, languages } = ocrRequest.shape;

/** Maximum length of the text in one result, in characters. */
const MAX_READ_CHARS = 100_000;

/** `POST /console/knowledge/read` */
const request = z
  .strictObject({
    ...sourceFields,
    pages: pages.describe('For example `1-3,7`. Default: all. Documents without pages ignore it'),
    languages: languages.describe('Of scanned pages, as ISO 639-2 codes, the most likely first. Default: eng'),
    offset: z.int().min(0).max(50_000_000).default(0).describe('Characters to skip'),
    max_chars: z.int().min(1_000).max(MAX_READ_CHARS).default(40_000).describe('Maximum length of the text'),
    ...delivery,
  })
  .refine(oneSource.check, { path: ['asset_id'], error: 'send exactly one of `asset_id` and `url`' });

/** Reads a document once, without adding it to the scope's knowledge. */
export const knowledgeRead = defineKind({
  kind: 'knowledge.read',
  surface: 'knowledge',
  pool: 'knowledge',
  label: 'Reading',
  path: '/console/knowledge/read',
  route: {
    summary: 'Read a document',
    description:
      'Returns the text of a file or public page as Markdown, without adding it to your documents: PDF, DOCX, PPTX, XLSX, ODT, EPUB, HTML, Markdown, text, CSV, and images. ' +
      'The output is a `text` item, and a `document` item with `next_offset` if the text was cut. Of scanned pages, at most 50 are read; `warnings` name the others.',
    refuses: ['url_not_allowed'],
  },
  request,
  input: z.object({
    source: mediaSource,
    pages: z.string().nullable(),
    languages: z.array(z.string()).max(8),
    offset: z.int(),
    max_chars: z.int(),
  }),
  output: z.discriminatedUnion('type', [textItem, documentItem]),
  subjectOf: ({ source }) => sourceName(source),
  capability: null,
  usesPlace: () => true,
  timeoutMs: 1_800_000,
  batchable: false,
});
