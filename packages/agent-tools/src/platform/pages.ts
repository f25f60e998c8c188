import { clip } from '../untrusted-text.ts';

/** A document as text, in blocks like those of `packages/documents`. */
export interface ReadableDocument {
  title: string | null;
  pageCount: number | null;
  blocks: readonly { type: string; level?: number; text: string; page: number | null }[];
  warnings: readonly string[];
}

/** Texts without pages are cut into parts of about this length. */
const PART_CHARS = 8_000;
/** Maximum text in one result. */
const RESULT_CHARS = 40_000;

/** Returns the pages of a document as Markdown, or parts of similar length if it has none. */
export function pagesOf({ blocks, pageCount }: ReadableDocument): string[] {
  const texts = blocks.map(({ type, level = 1, text, page }) => ({
    page,
    text: type === 'heading' ? `${'#'.repeat(Math.min(6, level))} ${text}` : type === 'code' ? fenced(text) : text,
  }));
  if (pageCount === null) return partsOf(texts.map(({ text }) => text));
  const pages: string[][] = Array.from({ length: pageCount }, () => []);
  let last = 1;
  for (const { page, text } of texts) {
    last = Math.min(Math.max(page ?? last, 1), pageCount);
    pages[last - 1]?.push(text);
  }
  return pages.map((parts) => parts.join('\n\n'));
}

/** Cuts texts into parts, between paragraphs where possible. */
export function partsOf(texts: readonly string[]): string[] {
  const parts: string[] = [];
  let current = '';
  for (const text of texts.flatMap(pieces)) {
    if (current !== '' && current.length + text.length > PART_CHARS) {
      parts.push(current);
      current = '';
    }
    current = current === '' ? text : `${current}\n\n${text}`;
  }
  return current === '' ? parts : [...parts, current];
}

function pieces(text: string): string[] {
  const cut: string[] = [];
  for (let rest = text; rest !== ''; ) {
    const piece = clip(rest, PART_CHARS);
    cut.push(piece);
    rest = rest.slice(piece.length);
  }
  return cut;
}

/**
 * Returns as many of the requested pages as fit, after a line that lists them.
 * @param range For example `3` or `2-5`. Absent: from the first page.
 * @returns Null for a range that is not in the document.
 */
export function pickPages(pages: readonly string[], range: string | undefined): { text: string; where: string } | null {
  const parsed = /^(\d{1,6})\s*(?:[-–]\s*(\d{1,6}))?$/.exec(range ?? '1-999999');
  if (parsed === null) return null;
  const first = Number(parsed[1]);
  const last = Math.min(Number(parsed[2] ?? parsed[1]), pages.length);
  if (first < 1 || first > last) return null;
  const picked: string[] = [];
  let chars = 0;
  let number = first;
  for (; number <= last; number += 1) {
    const page = clip(pages[number - 1] ?? '', RESULT_CHARS);
    if (picked.length > 0 && chars + page.length > RESULT_CHARS) break;
    picked.push(pages.length === 1 ? page : `[Page ${number}]\n${page}`);
    chars += page.length;
  }
  const end = number - 1;
  const more = end < pages.length ? ` More: pages ${end + 1}-${pages.length}.` : '';
  return { text: picked.join('\n\n'), where: `Pages ${first}-${end} of ${pages.length}.${more}` };
}

function fenced(text: string): string {
  const longest = Math.max(2, ...[...text.matchAll(/`+/g)].map(([run]) => run.length));
  const fence = '`'.repeat(longest + 1);
  return `${fence}\n${text}\n${fence}`;
}
