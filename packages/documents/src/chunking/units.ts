import type { Block } from '../documents.ts';
import { countTokens } from './count-tokens.ts';
import { cutSpan } from './cut-spans.ts';
import { type Span, sentencesOf } from './sentences.ts';

type Split = (text: string) => Span[];

/** Where to cut a block's text, best positions first. Tables are cut by rows. */
const SPLITS: Record<Exclude<Block['type'], 'table' | 'heading'>, readonly Split[]> = {
  paragraph: [sentencesOf],
  quote: [sentencesOf],
  list: [(text) => spansOf(text, /\n(?=(?:[-*+]|\d{1,9}[.)])\s)/g), (text) => spansOf(text, /\n/g), sentencesOf],
  code: [(text) => spansOf(text, /\n(?:[ \t]*\n)+/g), (text) => spansOf(text, /\n/g)],
};

/** Returns the smallest parts for chunks, at most `maxTokens` each. Together they cover the text. */
export function unitsOf({ type, text }: Block, maxTokens: number): Span[] {
  if (type === 'table' || type === 'heading') return cutSpan(text, { start: 0, end: text.length }, maxTokens);
  return split(text, 0, SPLITS[type], maxTokens);
}

function split(text: string, offset: number, [first, ...others]: readonly Split[], maxTokens: number): Span[] {
  if (first === undefined)
    return cutSpan(text, { start: 0, end: text.length }, maxTokens).map((span) => moved(span, offset));
  return first(text).flatMap((span) => {
    if (countTokens(text, span.start, span.end) <= maxTokens) return [moved(span, offset)];
    return split(text.slice(span.start, span.end), offset + span.start, others, maxTokens);
  });
}

const moved = ({ start, end }: Span, by: number): Span => ({ start: start + by, end: end + by });

function spansOf(text: string, separator: RegExp): Span[] {
  const spans: Span[] = [];
  let start = 0;
  for (const found of text.matchAll(separator)) {
    const end = found.index + found[0].length;
    spans.push({ start, end });
    start = end;
  }
  if (start < text.length) spans.push({ start, end: text.length });
  return spans;
}
