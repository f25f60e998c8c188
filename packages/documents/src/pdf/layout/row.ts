import type { OcrWord } from '@chorus/contract';

export type Box = OcrWord['box'];

export interface Segment {
  words: OcrWord[];
  box: Box;
  size: number;
  bold: boolean;
  /** Line found by the engine, which follows the curves of creased paper. Its segments share a row. */
  line?: number;
}

export interface Row {
  /** From left to right, separated by wide gaps. */
  segments: Segment[];
  box: Box;
  size: number;
  bold: boolean;
  /** Rows of different blocks never share a paragraph. */
  block: number;
}

export const textOfSegment = ({ words }: Segment) => words.map(({ text }) => text).join(' ');

export const textOfRow = ({ segments }: Row) => segments.map(textOfSegment).join(' ');

export function boxAround(boxes: readonly Box[]): Box {
  let [left, top, right, bottom] = [
    Number.POSITIVE_INFINITY,
    Number.POSITIVE_INFINITY,
    Number.NEGATIVE_INFINITY,
    Number.NEGATIVE_INFINITY,
  ];
  for (const { x, y, width, height } of boxes) {
    left = Math.min(left, x);
    top = Math.min(top, y);
    right = Math.max(right, x + width);
    bottom = Math.max(bottom, y + height);
  }
  return { x: left, y: top, width: right - left, height: bottom - top };
}

export function median(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
}

const CELL_GAP = 1.2;
/** Smaller gaps, relative to the font size, are within a word. */
const WORD_GAP = 0.08;
const MARKER_GAP = 4;
const MARKER = /^([•◦▪■●○‣·∙*–—-]|\(?\d{1,3}[.)]|\(?[a-z][.)])$/i;

export function toRow(segments: readonly Segment[], block: number): Row {
  const parts: Segment[] = [];
  for (const segment of [...segments].sort((one, other) => one.box.x - other.box.x)) {
    const last = parts.at(-1);
    const gap = last === undefined ? 0 : segment.box.x - last.box.x - last.box.width;
    const size = last === undefined ? 0 : Math.max(last.size, segment.size);
    const marked = parts.length === 1 && last !== undefined && MARKER.test(textOfSegment(last));
    if (last === undefined || gap > size * (marked ? MARKER_GAP : CELL_GAP)) {
      parts.push({ ...segment });
      continue;
    }
    parts[parts.length - 1] = {
      words: [...last.words, ...segment.words],
      box: boxAround([last.box, segment.box]),
      size: Math.max(last.size, segment.size),
      bold: last.bold && segment.bold,
    };
  }
  for (const part of parts) part.words = joinTouching(part.words, part.size);
  return {
    segments: parts,
    box: boxAround(parts.map(({ box }) => box)),
    size: Math.max(...parts.map(({ size }) => size)),
    bold: parts.every(({ bold }) => bold),
    block,
  };
}

/** Merges words that touch, since files split words where the font changes. */
export function joinTouching(words: readonly OcrWord[], size: number): OcrWord[] {
  const joined: OcrWord[] = [];
  for (const word of words) {
    const last = joined.at(-1);
    const gap = last === undefined ? size : word.box.x - last.box.x - last.box.width;
    if (last === undefined || Math.abs(gap) >= size * WORD_GAP) {
      joined.push(word);
      continue;
    }
    const confidence =
      last.confidence === null || word.confidence === null ? null : Math.min(last.confidence, word.confidence);
    joined[joined.length - 1] = { text: last.text + word.text, box: boxAround([last.box, word.box]), confidence };
  }
  return joined;
}

export function confidenceOf(words: readonly { text: string; confidence: number | null }[]): number | null {
  let sum = 0;
  let letters = 0;
  for (const { text, confidence } of words) {
    if (confidence === null) continue;
    sum += confidence * text.length;
    letters += text.length;
  }
  return letters === 0 ? null : Math.round((sum / letters) * 1_000) / 1_000;
}
