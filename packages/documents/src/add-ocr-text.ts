import { ChorusError } from '@chorus/contract/errors';
import { BlockWriter } from './block-writer.ts';
import type { Block, DocumentLimits, PageText, ParsedDocument, ParseOptions } from './documents.ts';
import { readMarkdown } from './formats/markdown.ts';
import type { ParseEnd } from './parse-task.ts';
import { isPictureMark } from './pictures/marked-block.ts';

export type TextLayerDocument = ParseEnd & { blocks: Block[] };

/**
 * Adds the text of scanned pages in place. If a page has both, keeps the longer text.
 *
 * @throws {ChorusError} invalid_request if pages without other text cannot be read; payload_too_large, and errors
 * of `readPages`
 */
export async function addOcrText(
  path: string,
  { blocks, pictures, pageCount, warnings }: TextLayerDocument,
  { readPages, languages, signal, onProgress }: ParseOptions,
  limits: DocumentLimits,
): Promise<Pick<ParsedDocument, 'blocks' | 'warnings'>> {
  if (pictures.length === 0) return { blocks, warnings };
  if (!readPages) return { blocks, warnings: [...warnings, notRead(pictures)] };
  const total = pageCount ?? pictures.length;
  const onPage = (done: number) => onProgress?.(total - pictures.length + done, total);
  const reasons = new Map<number, string>();
  const onFailure = (page: number, reason: string) => reasons.set(page, reason);
  const doubts: string[] = [];
  const onWarning = (warning: string) => doubts.push(warning);
  const file = { path, mimeType: 'application/pdf' };
  const read = await readPages(file, pictures, { languages, signal, onPage, onFailure, onWarning });
  const known = new Set(read.map(({ number }) => number));
  const left = pictures.filter((number) => !known.has(number));
  const letters = lettersByPage(blocks, new Set(left));
  const lost = left.filter((number) => !letters.get(number));
  if (lost.length > 0) throw unreadable(lost, reasons);
  const both = fuller(blocks, await blocksOfPages(read, limits), new Set(pictures));
  return { blocks: both, warnings: [...warnings, ...doubts, ...(left.length === 0 ? [] : [notRead(left)])] };
}

function unreadable(pages: readonly number[], reasons: ReadonlyMap<number, string>): ChorusError {
  const [names, them] = pages.length === 1 ? ['Page', 'it'] : ['Pages', 'them'];
  const reason = reasons.get(pages[0] as number);
  return new ChorusError(
    'invalid_request',
    `${names} ${formatPages(pages)} could not be read.${reason ? ` ${reason}` : ''} Try again, or upload the document without ${them}.`,
  );
}

/** Returns the blocks of pages read by OCR. Their Markdown is ours or a model's, so parsing takes linear time. */
export async function blocksOfPages(pages: readonly PageText[], { characters }: DocumentLimits): Promise<Block[]> {
  const blocks: Block[] = [];
  const writer = new BlockWriter(
    async (sent) => void blocks.push(...sent.filter((block) => !isPictureMark(block))),
    characters,
  );
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
    ? `Page ${first} has little or no text, and its image was not read.`
    : `Pages ${formatPages(pages)} have little or no text, and their images were not read.`;
}

/** Formats page numbers as ranges, such as `1-3, 7`, with an ellipsis after twenty. */
function formatPages(pages: readonly number[]): string {
  const ranges: [first: number, last: number][] = [];
  for (const page of pages) {
    const range = ranges.at(-1);
    if (range?.[1] === page - 1) range[1] = page;
    else ranges.push([page, page]);
  }
  const shown = ranges.slice(0, 20).map(([first, last]) => (first === last ? `${first}` : `${first}-${last}`));
  return [...shown, ...(ranges.length > shown.length ? ['…'] : [])].join(', ');
}
