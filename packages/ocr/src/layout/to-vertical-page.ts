import type { OcrPage } from '@chorus/contract';
import { boxAround, median, type Segment } from '@chorus/documents/pdf';
import { type PageFacts, toPage } from './to-page.ts';

/** How far a line's start or end must be indented, in column widths, to begin or end a paragraph. */
const INDENT = 0.7;
const SHORT = 2;

/** Builds a page from columns, from right to left, without spaces between words. */
export function toVerticalPage(
  facts: Omit<PageFacts, 'rows' | 'headingSize'>,
  columns: readonly (readonly Segment[])[],
): OcrPage {
  const rows = columns.map((segments, block) => ({
    segments: [...segments],
    box: boxAround(segments.map(({ box }) => box)),
    size: median(segments.map(({ box }) => box.width)),
    bold: false,
    block,
  }));
  const page = toPage({ ...facts, rows, headingSize: Number.POSITIVE_INFINITY });
  const lines = (page.lines ?? []).map((line) => ({ ...line, text: line.words.map(({ text }) => text).join('') }));
  const em = median(rows.map(({ box }) => box.width));
  const top = Math.min(...rows.map(({ box }) => box.y));
  const bottom = Math.max(...rows.map(({ box }) => box.y + box.height));
  const paragraphs: string[] = [];
  for (const [at, { text, box }] of lines.entries()) {
    const before = lines[at - 1]?.box;
    const isNew = before === undefined || box.y > top + em * INDENT || before.y + before.height < bottom - em * SHORT;
    paragraphs.push(isNew ? text : `${paragraphs.pop()}${text}`);
  }
  const text = paragraphs.join('\n\n');
  return { ...page, text, markdown: text, lines };
}
