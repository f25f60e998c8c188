import { BlockWriter } from './block-writer.ts';
import type { Block, DocumentLimits, PageText, ParsedDocument, ParseOptions } from './documents.ts';
import { formatPages } from './format-pages.ts';
import { readMarkdown } from './formats/markdown.ts';
import type { ParseEnd } from './parse-task.ts';

/** A PDF as far as its own text goes. */
export type LetteredDocument = ParseEnd & { blocks: Block[] };

/**
 * The document with what the pictures of its pages say, in its place: of a page that has a few letters of its own, whichever says more.
 *
 * @throws ChorusError `payload_too_large`, and what `readPages` throws
 */
export async function withPictures(
  path: string,
  { blocks, pictures, pageCount, warnings }: LetteredDocument,
  { readPages, languages, signal, onProgress }: ParseOptions,
  limits: DocumentLimits,
): Promise<Pick<ParsedDocument, 'blocks' | 'warnings'>> {
  if (pictures.length === 0) return { blocks, warnings };
  if (!readPages) return { blocks, warnings: [...warnings, notRead(pictures)] };
  const total = pageCount ?? pictures.length;
  const onPage = (done: number) => onProgress?.(total - pictures.length + done, total);
  const read = await readPages({ path, mimeType: 'application/pdf' }, pictures, { languages, signal, onPage });
  const known = new Set(read.map(({ number }) => number));
  const left = pictures.filter((number) => !known.has(number));
  const both = fuller(blocks, await blocksOfPages(read, limits), new Set(pictures));
  return { blocks: both, warnings: left.length === 0 ? warnings : [...warnings, notRead(left)] };
}

/** The blocks of pages that were read from pictures. It is Markdown of our own, or a model's: to find them costs no more than its length. */
export async function blocksOfPages(pages: readonly PageText[], { characters }: DocumentLimits): Promise<Block[]> {
  const blocks: Block[] = [];
  const writer = new BlockWriter(async (told) => void blocks.push(...told), characters);
  for (const { number, text } of pages) {
    writer.page = number;
    readMarkdown(text, writer);
    await writer.flush();
  }
  return blocks;
}

function fuller(own: readonly Block[], read: readonly Block[], pictures: ReadonlySet<number>): Block[] {
  const [ownLetters, readLetters] = [lettersByPage(own, pictures), lettersByPage(read, pictures)];
  const isReadFuller = (page: number) => (readLetters.get(page) ?? 0) > (ownLetters.get(page) ?? 0);
  return [
    ...own.filter(({ page }) => page === null || !pictures.has(page) || !isReadFuller(page)),
    ...read.filter(({ page }) => page !== null && isReadFuller(page)),
  ].toSorted((one, other) => (one.page ?? 0) - (other.page ?? 0));
}

function lettersByPage(blocks: readonly Block[], pages: ReadonlySet<number>): Map<number, number> {
  const letters = new Map<number, number>();
  for (const { page, text } of blocks)
    if (page !== null && pages.has(page))
      letters.set(page, (letters.get(page) ?? 0) + (text.match(/[\p{L}\p{N}]/gu)?.length ?? 0));
  return letters;
}

function notRead(pages: readonly number[]): string {
  const [first] = pages;
  return pages.length === 1
    ? `Page ${first} has little or no text of its own, and its picture was not read.`
    : `Pages ${formatPages(pages)} have little or no text of their own, and their pictures were not read.`;
}
