import type { Block } from './documents.ts';

/** Maximum length of a block, so that later steps never take long on one. */
const MAX_BLOCK_LENGTH = 20_000;
const PLACES = ['\n\n', '\n', '. ', '。', ' '];

/** Splits the text of a block. Pieces of a table repeat its header. */
export function splitBlock(type: Block['type'], text: string): string[] {
  if (text.length <= MAX_BLOCK_LENGTH) return [text];
  return type === 'table' ? splitTable(text) : splitText(text);
}

function splitTable(text: string): string[] {
  const [names = '', line = '', ...rows] = text.split('\n');
  const header = `${names}\n${line}`;
  if (header.length > MAX_BLOCK_LENGTH / 2 || !/^\|?[\s:|-]+$/.test(line)) return splitText(text);
  const pieces: string[] = [];
  let piece = header;
  for (const row of rows) {
    if (piece.length + row.length > MAX_BLOCK_LENGTH && piece !== header) {
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
  while (text.length - from > MAX_BLOCK_LENGTH) {
    const end = from + bestCut(text.slice(from, from + MAX_BLOCK_LENGTH));
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
  // Never cuts a surrogate pair.
  return /[\uD800-\uDBFF]$/.test(window) ? window.length - 1 : window.length;
}
