import { extname } from 'node:path';
import { ChorusError } from '@chorus/contract';
import type { DocumentFile } from './documents.ts';

/** How a file is read. `package`: a ZIP archive of XML, which itself tells what it is: DOCX, PPTX, XLSX, ODT, EPUB and their kin. */
export type Format = 'pdf' | 'package' | 'html' | 'markdown' | 'csv' | 'plain' | 'code';

/** Pictures are read by whoever reads pages. */
export type FileFormat = Format | 'image';

const OF_TYPES = new Map<string, FileFormat>([
  ['application/pdf', 'pdf'],
  ['application/epub+zip', 'package'],
  ['application/zip', 'package'],
  ['text/html', 'html'],
  ['application/xhtml+xml', 'html'],
  ['text/markdown', 'markdown'],
  ['text/x-markdown', 'markdown'],
  ['text/csv', 'csv'],
  ['text/tab-separated-values', 'csv'],
  ['text/plain', 'plain'],
  ['application/json', 'code'],
  ['application/x-ndjson', 'code'],
  ['application/xml', 'code'],
  ['text/xml', 'code'],
  ['image/png', 'image'],
  ['image/jpeg', 'image'],
  ['image/tiff', 'image'],
  ['image/webp', 'image'],
]);
const PACKAGES =
  /^application\/vnd\.(?:openxmlformats-officedocument|oasis\.opendocument|ms-(?:word|excel|powerpoint)\.\w+\.macroenabled)/i;

/** Endings of programs, and of what they read and write. */
const CODE =
  'c cpp cs css go h ini java js json jsonl kt log lua php pl py r rb rs scala sh sql svelte swift toml ts tsx vue xml yaml yml'.split(
    ' ',
  );

/** Names tell texts apart whose bytes look alike: a Markdown that begins with a tag, a list of names with commas. */
const OF_NAMES = new Map<string, Format>([
  ['.md', 'markdown'],
  ['.markdown', 'markdown'],
  ['.txt', 'plain'],
  ['.text', 'plain'],
  ['.csv', 'csv'],
  ['.tsv', 'csv'],
  ['.htm', 'html'],
  ['.html', 'html'],
  ['.xhtml', 'html'],
  ...CODE.map((ending) => [`.${ending}`, 'code'] as const),
]);
/** What looks like nothing known by its bytes may still be a text, in an encoding of its own. */
const UNKNOWN = 'application/octet-stream';

/** How Office wrote its files before, and how it locks those of today. */
const OLD_OFFICE = /^application\/(?:x-cfb|x-ole-storage|msword|vnd\.ms-(?:word|excel|powerpoint))$/;

/** @throws ChorusError `unsupported_media_type` */
export function findFormat({ mimeType, filename }: Pick<DocumentFile, 'mimeType' | 'filename'>): FileFormat {
  const [bare = ''] = mimeType.toLowerCase().split(';');
  const type = bare.trim();
  const format =
    OF_TYPES.get(type) ?? (PACKAGES.test(type) ? 'package' : type.startsWith('text/') ? 'plain' : undefined);
  const named = OF_NAMES.get(extname(filename ?? '').toLowerCase());
  const textual = type === UNKNOWN || (format !== undefined && !['pdf', 'package', 'image'].includes(format));
  if (named !== undefined && textual) return named;
  if (format !== undefined) return format;
  if (OLD_OFFICE.test(type))
    throw new ChorusError(
      'unsupported_media_type',
      'The file is of an Office before 2007, or locked by a password: save it as DOCX, XLSX, PPTX or PDF, without one.',
    );
  throw new ChorusError(
    'unsupported_media_type',
    `Files of the type ${type.slice(0, 100)} can not be read; PDF, DOCX, PPTX, XLSX, ODT, EPUB, HTML, Markdown, text, CSV, PNG, JPEG, TIFF and WebP can.`,
  );
}
