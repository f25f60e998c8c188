import type { OcrLine, OcrPage } from '@chorus/contract';
import { ChorusError } from '@chorus/contract/errors';
import { type Box, confidenceOf, type Row } from '@chorus/documents/pdf';
import { findBlocks } from './find-blocks.ts';
import { toMarkdown, toText } from './write-page.ts';

/** Limit of text. No page for human readers has more. */
const MAX_WORDS = 50_000;
const MAX_CHARACTERS = 1_000_000;

export interface PageFacts extends Pick<OcrPage, 'number' | 'width' | 'height' | 'rotation' | 'source' | 'script'> {
  rows: Row[];
  headingSize: number;
}

/** @throws {ChorusError} payload_too_large for an implausible amount of text */
export function toPage({ rows, headingSize, ...facts }: PageFacts): OcrPage {
  const blocks = findBlocks(rows, { headingSize });
  const text = toText(blocks);
  const lines = rows.map(toLine);
  const words = lines.reduce((sum, line) => sum + line.words.length, 0);
  if (words > MAX_WORDS || text.length > MAX_CHARACTERS)
    throw new ChorusError(
      'payload_too_large',
      `Page ${facts.number} exceeds the limits of ${MAX_WORDS} words and ${MAX_CHARACTERS} characters.`,
    );
  const confidence = confidenceOf(lines.flatMap((line) => line.words));
  return { ...facts, text, markdown: toMarkdown(blocks), confidence, lines };
}

function toLine({ segments, box }: Row): OcrLine {
  const words = segments.flatMap((segment) => segment.words);
  return {
    text: words.map(({ text }) => text).join(' '),
    box: roundBox(box),
    confidence: confidenceOf(words),
    words: words.map((word) => ({ ...word, box: roundBox(word.box) })),
  };
}

function roundBox({ x, y, width, height }: Box): Box {
  const round = (value: number) => Math.round(value * 100) / 100;
  return { x: round(x), y: round(y), width: round(width), height: round(height) };
}
