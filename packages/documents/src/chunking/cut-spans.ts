import { countTokens } from './count-tokens.ts';
import type { Span } from './sentences.ts';

/** How far back from where it must be cut a better place is looked for, as a share of the piece. */
const SEARCHED = 0.4;
/** Where a clause ends; then where a word does. */
const PLACES = [/[,;:、，；：]\s*$/u, /\s$/u];

const words = new Intl.Segmenter('en', { granularity: 'word' });

/** A span in pieces of at most so many tokens: cut behind a clause, else a word, else anywhere but within a character. */
export function cutSpan(text: string, { start, end }: Span, maxTokens: number): Span[] {
  const pieces: Span[] = [];
  let from = start;
  while (from < end) {
    const farthest = farthestEnd(text, from, end, maxTokens);
    const to = farthest === end ? end : bestCut(text, from, farthest);
    pieces.push({ start: from, end: to });
    from = to;
  }
  return pieces;
}

/** How far so many tokens reach; one character at least. */
function farthestEnd(text: string, from: number, end: number, maxTokens: number): number {
  let tokens = 0;
  for (let at = from; at < end; at += 1) {
    tokens += countTokens(text, at, at + 1);
    if (tokens > maxTokens && at > from + 1) return at;
  }
  return end;
}

function bestCut(text: string, from: number, farthest: number): number {
  const earliest = Math.floor(farthest - (farthest - from) * SEARCHED);
  for (const place of PLACES)
    for (let at = farthest; at > earliest; at -= 1) if (place.test(text.slice(at - 2, at))) return at;
  // Scripts without blanks: a dictionary knows their words.
  let best = farthest;
  const around = text.slice(earliest, farthest + 20);
  for (const { index } of words.segment(around)) {
    if (earliest + index > farthest) break;
    if (index > 0) best = earliest + index;
  }
  const isTorn = /[\uD800-\uDBFF]$/.test(text.slice(from, best));
  return isTorn ? best - 1 || from + 2 : best;
}
