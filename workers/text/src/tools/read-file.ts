import type { ReadFile } from '@chorus/agent-tools';
import type { Documents, PageText, ReadPages } from '@chorus/documents';
import type { Ocr } from '@chorus/ocr';

/** A tool's call is short, so only the first scanned pages are read. */
const MAX_SCANNED_PAGES = 20;
const NOT_READ = '(Scanned page, not read. Add the document to the knowledge to have all its pages read.)';

/** Reads documents in sandboxed processes, and images and scanned pages by OCR. */
export function readFileWith(documents: Pick<Documents, 'parse'>, ocr: Pick<Ocr, 'read'>): ReadFile {
  const readPages: ReadPages = async ({ path, mimeType }, pages, { signal, onPage, onFailure }) => {
    const range = pages === null ? null : pages.slice(0, MAX_SCANNED_PAGES).join(',');
    const options = {
      signal,
      pages: range,
      onFailure: ({ page, error }: { page: number; error: Error }) => onFailure?.(page, error.message),
    };
    const read: PageText[] = [];
    for await (const { number, markdown } of ocr.read(path, mimeType, options)) {
      read.push({ number, text: markdown });
      onPage?.(read.length);
      if (read.length >= MAX_SCANNED_PAGES) break;
    }
    const rest = pages?.slice(MAX_SCANNED_PAGES) ?? [];
    return [...read, ...rest.map((number) => ({ number, text: NOT_READ }))];
  };
  return (file, { signal }) => documents.parse(file, { signal, readPages });
}
