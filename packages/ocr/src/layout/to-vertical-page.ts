import type { OcrPage } from '@chorus/contract';
import { boxAround, median, type Segment } from '@chorus/documents/pdf';
import { type PageFacts, toPage } from './to-page.ts';

/** A later beginning, and an earlier end, in widths of a column, begin and end a paragraph. */
const INDENT = 0.7;
const SHORT = 2;

/** Builds a page of columns from right to left, whose words are not separated by spaces. */
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
