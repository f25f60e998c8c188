import type { LayoutBlock, ParsedPage } from '@llamaindex/liteparse';
import { lettersOf, textOf } from './letters.ts';

type Page = Pick<ParsedPage, 'text' | 'blocks'>;

/** Line of the plain layout. Its cells are separated by wide gaps. */
interface Line {
  cells: string[];
  isLost: boolean;
}

/** Maximum number of lines to search, which would otherwise take too long. No real page has more. */
const MAX_CHARACTERS = 50_000;

/**
 * Adds lines that the layout analysis has lost, such as the first row of labels and amounts next to an address. A table
 * after them is rewritten from its lines.
 *
 * @param repeated Lines on several pages, which were left out as headers or footers.
 */
export function withLostLines({ text, blocks = [] }: Page, repeated: ReadonlySet<string>): LayoutBlock[] {
  if (text.length > MAX_CHARACTERS) return blocks;
  const known = blocks.map((block) => lettersOf(textOf(block)));
  const all = known.join(' ');
  const lines = linesOf(text).map((cells): Line => {
    const isLost = cells.some((cell) => isContent(cell) && isMissing(cell, all));
    return { cells, isLost: isLost && !repeated.has(keyOf(cells)) };
  });
  if (!lines.some(({ isLost }) => isLost)) return blocks;
  const repaired: LayoutBlock[] = [];
  let next = 0;
  const takeUntil = (end: number) => {
    repaired.push(...blocks.slice(next, end));
    next = Math.max(next, end);
  };
  for (let at = 0; at < lines.length; at += 1) {
    if (!lines[at]!.isLost) continue;
    let end = at;
    while (lines[end]?.isLost) end += 1;
    const behind = lines[end];
    const place =
      behind === undefined ? -1 : known.findIndex((letters, index) => index >= next && holds(letters, behind));
    takeUntil(place < 0 ? blocks.length : place);
    if (blocks[place]?.kind === 'table') {
      while (end < lines.length && holds(known[place]!, lines[end]!)) end += 1;
      next = place + 1;
    }
    repaired.push(...blocksOf(lines.slice(at, end)));
    at = end - 1;
  }
  takeUntil(blocks.length);
  return repaired;
}

/** Returns the keys of lines that are on several pages, such as headers with a page number. */
export function repeatedLines(pages: readonly Pick<Page, 'text'>[]): Set<string> {
  const seen = new Set<string>();
  const repeated = new Set<string>();
  for (const { text } of pages) {
    const ofPage = new Set(linesOf(text).map(keyOf));
    for (const letters of ofPage) (seen.has(letters) ? repeated : seen).add(letters);
  }
  return repeated;
}

const linesOf = (text: string): string[][] =>
  text.split('\n').flatMap((line) => (line.trim() === '' ? [] : [line.trim().split(/\s{2,}/)]));

/** Page numbers are left out on purpose. */
const isContent = (cell: string): boolean => /[\p{L}\p{N}]/u.test(cell) && !/^\W*\d{1,4}\W*$/.test(cell);

/** Returns whether most words of a cell are missing. Otherwise they may only be in another order. */
function isMissing(cell: string, all: string): boolean {
  if (all.includes(lettersOf(cell))) return false;
  const words = cell
    .split(' ')
    .map(lettersOf)
    .filter((letters) => letters !== '');
  return words.filter((letters) => !all.includes(letters)).length * 2 >= words.length;
}

/** Identifies a line, ignoring page numbers. */
const keyOf = (cells: readonly string[]): string =>
  lettersOf(cells.join(' ').replace(/^\W*\d{1,4}\b|\b\d{1,4}\W*$/g, ''));

const holds = (letters: string, { cells }: Line): boolean => cells.every((cell) => letters.includes(lettersOf(cell)));

/** Writes lines with the same number of cells as a table, and others as paragraphs. */
function blocksOf(lines: readonly Line[]): LayoutBlock[] {
  const [width = 0] = lines.map(({ cells }) => cells.length);
  const isTable = lines.length > 1 && width > 1 && lines.every(({ cells }) => cells.length === width);
  if (isTable)
    return [{ kind: 'table', rows: lines.map(({ cells }) => cells.map((text) => ({ text }))) } as LayoutBlock];
  return lines.map(({ cells }) => ({ kind: 'paragraph', text: cells.join(' ') }));
}
