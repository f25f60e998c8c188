import type { Block } from './documents.ts';

/** A block has so many characters at most, so that whoever goes on with it is never long at one. */
const LONGEST_BLOCK = 20_000;
/** Where a text is cut best, the best places first: behind them. */
const PLACES = ['\n\n', '\n', '. ', '。', ' '];

/** The text of a block in as many as it takes; the pieces of a table each have its header. */
export function splitBlock(type: Block['type'], text: string): string[] {
  if (text.length <= LONGEST_BLOCK) return [text];
  return type === 'table' ? splitTable(text) : splitText(text);
}

function splitTable(text: string): string[] {
  const [names = '', line = '', ...rows] = text.split('\n');
  const header = `${names}\n${line}`;
  // A header that is a table of its own is not said again and again.
  if (header.length > LONGEST_BLOCK / 2 || !/^\|?[\s:|-]+$/.test(line)) return splitText(text);
  const pieces: string[] = [];
  let piece = header;
  for (const row of rows) {
    if (piece.length + row.length > LONGEST_BLOCK && piece !== header) {
      pieces.push(piece);
      piece = header;
    }
    piece += `\n${row}`;
  }
  return [...pieces, piece];
}

function splitText(text: string): string[] {
  const pieces: string[] = [];
  let from = 0;
  while (text.length - from > LONGEST_BLOCK) {
    const end = from + bestCut(text.slice(from, from + LONGEST_BLOCK));
    pieces.push(text.slice(from, end));
    from = end;
  }
  return [...pieces, text.slice(from)];
}

function bestCut(window: string): number {
  for (const place of PLACES) {
    const at = window.lastIndexOf(place);
    if (at > window.length / 2) return at + place.length;
  }
  // No pair is torn apart.
  return /[\uD800-\uDBFF]$/.test(window) ? window.length - 1 : window.length;
}
