import { countTokens, tokensOf } from './count-tokens.ts';
import type { Span } from './sentences.ts';

/** How far back to look for a better cut, as a share of the piece. */
const SEARCHED_SHARE = 0.4;
const CLAUSES = new Set([...',;:、，；：'].map((sign) => sign.charCodeAt(0)));

/** Created on first use, since the first one in a process takes 30 ms. */
let words: Intl.Segmenter | undefined;

/** Cuts a span into pieces of at most `maxTokens`: after a clause, or a word, or between characters. */
export function cutSpan(text: string, { start, end }: Span, maxTokens: number): Span[] {
  if (countTokens(text, start, end) <= maxTokens) return start < end ? [{ start, end }] : [];
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

function farthestEnd(text: string, from: number, end: number, maxTokens: number): number {
  let tokens = 0;
  for (let at = from; at < end; at += 1) {
    tokens += tokensOf(text.charCodeAt(at));
    if (tokens > maxTokens && at > from + 1) return at;
  }
  return end;
}

function bestCut(text: string, from: number, farthest: number): number {
  const earliest = Math.max(Math.floor(farthest - (farthest - from) * SEARCHED_SHARE), from + 2);
  let behindBlank = 0;
  for (let at = farthest; at > earliest; at -= 1) {
    const isBlank = isBlankAt(text, at - 1);
    if (CLAUSES.has(text.charCodeAt(isBlank ? at - 2 : at - 1))) return at;
    if (isBlank && behindBlank === 0) behindBlank = at;
  }
  if (behindBlank > 0) return behindBlank;
  const best = lastWord(text, earliest, farthest);
  const splitsSurrogatePair = (text.charCodeAt(best - 1) & 0xfc00) === 0xd800 && best - 1 > from;
  return splitsSurrogatePair ? best - 1 : best;
}

/** Uses a segmenter because some scripts have no spaces. */
function lastWord(text: string, earliest: number, farthest: number): number {
  let best = farthest;
  words ??= new Intl.Segmenter('en', { granularity: 'word' });
  for (const { index } of words.segment(text.slice(earliest, farthest + 20))) {
    if (earliest + index > farthest) break;
    if (index > 0) best = earliest + index;
  }
  return best;
}

function isBlankAt(text: string, at: number): boolean {
  const code = text.charCodeAt(at);
  return code === 0x20 || (code >= 9 && code <= 13) || code === 0x3000;
}
