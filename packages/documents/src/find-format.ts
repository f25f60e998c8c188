import { extname } from 'node:path';
import { ChorusError } from '@chorus/contract/errors';
import type { DocumentFile } from './documents.ts';

/** How a file is read. A `package` is a ZIP archive of XML: DOCX, PPTX, XLSX, ODT, EPUB, and similar. */
export type Format = 'pdf' | 'package' | 'html' | 'markdown' | 'csv' | 'plain' | 'code';

export type FileFormat = Format | 'image';

const FORMATS_BY_TYPE = new Map<string, FileFormat>([
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

const CODE =
  'c cpp cs css go h ini java js json jsonl kt log lua php pl py r rb rs scala sh sql svelte swift toml ts tsx vue xml yaml yml'.split(
    ' ',
  );

/**
 * Extensions distinguish texts with similar bytes: Markdown that begins with a tag, or a list of names with commas.
 */
const FORMATS_BY_EXTENSION = new Map<string, Format>([
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
/** Unknown bytes may still be text in an unusual encoding. */
const UNKNOWN_TYPE = 'application/octet-stream';

/** Office files from before 2007, which are also the container of encrypted ones. */
const OLD_OFFICE = /^application\/(?:x-cfb|x-ole-storage|msword|vnd\.ms-(?:word|excel|powerpoint))$/;

type Named = Pick<DocumentFile, 'mimeType' | 'filename'>;

/** Returns how a file is read. Null: it is no document. */
export function formatOf({ mimeType, filename }: Named): FileFormat | null {
  const type = typeOf(mimeType);
  const format =
    FORMATS_BY_TYPE.get(type) ?? (PACKAGES.test(type) ? 'package' : type.startsWith('text/') ? 'plain' : undefined);
  const named = FORMATS_BY_EXTENSION.get(extname(filename ?? '').toLowerCase());
  const textual = type === UNKNOWN_TYPE || (format !== undefined && !['pdf', 'package', 'image'].includes(format));
  if (named !== undefined && textual) return named;
  return format ?? null;
}

function typeOf(mimeType: string): string {
  const [bare = ''] = mimeType.toLowerCase().split(';');
  return bare.trim();
}

/** @throws {ChorusError} unsupported_media_type */
export function findFormat(file: Named): FileFormat {
  const format = formatOf(file);
  if (format !== null) return format;
  const type = typeOf(file.mimeType);
  if (OLD_OFFICE.test(type))
    throw new ChorusError(
      'unsupported_media_type',
      'The file is from Office before 2007 or protected by a password. Save it as DOCX, XLSX, PPTX, or PDF without a password.',
    );
  throw new ChorusError(
    'unsupported_media_type',
    `Files of type ${type.slice(0, 100)} are not supported. Use PDF, DOCX, PPTX, XLSX, ODT, EPUB, HTML, Markdown, text, CSV, PNG, JPEG, TIFF, WebP, or audio.`,
  );
}
