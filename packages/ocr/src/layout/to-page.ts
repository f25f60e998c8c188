import { ChorusError, type OcrLine, type OcrPage } from '@chorus/contract';
import { confidenceOf } from './confidence.ts';
import { findBlocks } from './find-blocks.ts';
import type { Box, Row } from './row.ts';
import { toMarkdown, toText } from './write-page.ts';

/** No page that people read has more. */
const MAX_WORDS = 50_000;
const MAX_CHARACTERS = 1_000_000;

export interface PageFacts extends Pick<OcrPage, 'number' | 'width' | 'height' | 'rotation' | 'source'> {
  /** In reading order. */
  rows: Row[];
  /** How much larger than the usual type headings are. */
  headingSize: number;
}

/** @throws ChorusError `payload_too_large` for a page with more on it than people read */
export function toPage({ rows, headingSize, ...facts }: PageFacts): OcrPage {
  const blocks = findBlocks(rows, { headingSize });
  const text = toText(blocks);
  const lines = rows.map(toLine);
  const words = lines.reduce((sum, line) => sum + line.words.length, 0);
  if (words > MAX_WORDS || text.length > MAX_CHARACTERS)
    throw new ChorusError(
      'payload_too_large',
      `Page ${facts.number} holds more than is read of one page: ${MAX_WORDS} words, ${MAX_CHARACTERS} characters.`,
    );
  const confidence = confidenceOf(lines.flatMap((line) => line.words));
  return { ...facts, text, markdown: toMarkdown(blocks), confidence, lines };
}

function toLine({ segments, box }: Row): OcrLine {
  const words = segments.flatMap((segment) => segment.words);
  return {
    text: words.map(({ text }) => text).join(' '),
    box: rounded(box),
    confidence: confidenceOf(words),
    words: words.map((word) => ({ ...word, box: rounded(word.box) })),
  };
}

/** To hundredths: what is finer tells nothing. */
function rounded({ x, y, width, height }: Box): Box {
  const round = (value: number) => Math.round(value * 100) / 100;
  return { x: round(x), y: round(y), width: round(width), height: round(height) };
}
