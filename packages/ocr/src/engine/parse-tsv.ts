import { confidenceOf } from '@chorus/documents/pdf';

export interface ReadWord {
  text: string;
  left: number;
  top: number;
  width: number;
  height: number;
  confidence: number;
}

export interface ReadLine {
  /** Lines of one block follow each other vertically. */
  block: number;
  words: ReadWord[];
}

/** Lines below this come from images or borders. */
const MIN_LINE_CONFIDENCE = 0.25;

/**
 * Parses tesseract's TSV output into lines: level, page, block, paragraph, line, word, left, top, width,
 * height, confidence, text.
 */
export function parseTsv(tsv: string): ReadLine[] {
  const lines: ReadLine[] = [];
  let current = '';
  for (const row of tsv.split('\n')) {
    const cells = row.split('\t');
    const text = cells[11]?.trim() ?? '';
    if (cells[0] !== '5' || text === '') continue;
    const number = (at: number) => Number(cells[at]) || 0;
    const line = cells.slice(2, 5).join('.');
    if (line !== current) {
      lines.push({ block: number(2), words: [] });
      current = line;
    }
    const confidence = Math.max(0, Math.min(1, Math.round(number(10) * 10) / 1_000));
    lines.at(-1)?.words.push({
      text,
      left: number(6),
      top: number(7),
      width: number(8),
      height: number(9),
      confidence,
    });
  }
  return lines.filter(({ words }) => (confidenceOf(words) ?? 0) >= MIN_LINE_CONFIDENCE);
}
