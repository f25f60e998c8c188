import { countTokens } from './count-tokens.ts';
import { cutSpan } from './cut-spans.ts';

/** Maximum share of the header in a piece. Longer headers are not repeated. */
const HEADER_SHARE = 0.5;

export function cutTable(text: string, targetTokens: number, maxTokens: number): string[] {
  const lines = text.split('\n');
  const header = /^\|?[\s:|-]+$/.test(lines[1] ?? '') ? lines.slice(0, 2).join('\n') : '';
  const headerTokens = countTokens(header);
  const isRepeated = header !== '' && headerTokens <= maxTokens * HEADER_SHARE;
  const rows = isRepeated ? lines.slice(2) : lines;
  const room = isRepeated ? headerTokens : 0;
  const pieces: string[] = [];
  let piece: string[] = [];
  let tokens = room;
  const close = () => {
    if (piece.length > 0) pieces.push([...(isRepeated ? [header] : []), ...piece].join('\n'));
    piece = [];
    tokens = room;
  };
  for (const row of rows) {
    for (const { start, end } of cutSpan(row, { start: 0, end: row.length }, maxTokens - room)) {
      const part = row.slice(start, end);
      const partTokens = countTokens(part);
      if (tokens + partTokens > targetTokens) close();
      piece.push(part);
      tokens += partTokens;
    }
  }
  close();
  return pieces;
}
