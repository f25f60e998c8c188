import type { Hit } from '@chorus/search';
import { confidenceOf } from './answer-confidence.ts';
import { type MatchedSentence, matchSentences, REFERS_BACK } from './matched-sentences.ts';
import type { Sentence } from './sentences.ts';

export interface AnswerPart {
  hit: Hit;
  /** Verbatim from `hit.text`: one or more consecutive sentences. */
  quote: string;
  /** Probability that it answers the question, 0 to 1. */
  score: number;
}

/** Minimum confidence for an answer. `npm run bench -- retrieval` shows its effect. */
const MIN_CONFIDENCE = 0.49;

/** A sentence is quoted with the next one if both cover this much more of the question. */
const MIN_NEXT_GAIN = 0.2;

/** Minimum score of further parts, relative to the best. */
const MIN_RELATIVE_SCORE = 0.85;
const MOST_PARTS = 3;
/** Longest quote that includes the previous sentence, if the answer refers back to it. */
const MAX_QUOTE = 600;

const HEADING = /^\s{0,3}#{1,6}\s|\n\s*(?:=+|-+)$/;
const ASKS = /[?？؟]\s*$/;

/** Longest unmarked heading: a separate line without a final period. List items and table rows do not count. */
const MAX_TITLE = 80;
const NO_TITLE = /^[-*+•–|>]|^\d{1,3}[.)]\s|[.!?。！？…।؟:;,]["'”’)\]]*$/;

/**
 * Returns the sentences that answer a question, verbatim and without a language model.
 *
 * @param hits best first, with comparable scores
 * @returns the best answer first; null if there is none, judged by words
 */
export function extractAnswer(question: string, hits: readonly Hit[]): AnswerPart[] | null {
  const candidates = matchSentences(question, hits).flatMap((matchedHit, place) =>
    matchedHit.sentences.flatMap((matched, at) => {
      const { hit, sentences } = matchedHit;
      const { sentence } = matched;
      if (matched.matched === 0) return [];
      const range = quoteOf(hit.text, sentences, at);
      if (range === null) return [];
      const around = hit.text.slice(sentences[at - 1]?.sentence.start ?? sentence.start, range[1]);
      const score = confidenceOf({ question, hit: matchedHit, matched, around, place, hits: hits.length });
      const quote = hit.text.slice(...range);
      return [{ hit, range, quote, sentence, score }];
    }),
  );
  candidates.sort((a, b) => b.score - a.score);
  const [best] = candidates;
  if (best === undefined || best.score < MIN_CONFIDENCE) return null;
  const parts: typeof candidates = [];
  for (const candidate of candidates) {
    const { hit, range, sentence, score } = candidate;
    if (parts.length === MOST_PARTS || score < best.score * MIN_RELATIVE_SCORE) break;
    // Chunks overlap, so sentences may repeat.
    const isQuoted = parts.some(
      (part) => part.quote.includes(sentence.text) || (part.hit === hit && overlap(part.range, range)),
    );
    if (!isQuoted) parts.push(candidate);
  }
  // An earlier part may be the beginning of a later one.
  return parts
    .filter((one) => !parts.some((other) => other !== one && other.quote.includes(one.quote)))
    .map(({ hit, quote, score }) => ({ hit, quote, score }));
}

type Range = [start: number, end: number];

const overlap = (one: Range, other: Range): boolean => one[0] < other[1] && other[0] < one[1];

/** Returns the range to quote for a matching sentence; null if it has no meaning alone. */
function quoteOf(text: string, sentences: readonly MatchedSentence[], at: number): Range | null {
  const { sentence, share, shareOfTwo } = sentences[at]!;
  const before = sentences[at - 1]?.sentence;
  const behind = sentences[at + 1]?.sentence;
  // A heading or question is answered by the text after it.
  if (introducesNext(sentence) && (behind === undefined || introducesNext(behind))) return null;
  const needsMore =
    introducesNext(sentence) || (shareOfTwo - share > MIN_NEXT_GAIN && behind !== undefined && !introducesNext(behind));
  if (behind !== undefined && HEADING.test(sentence.text)) return [behind.start, behind.end];
  const goesOn = behind !== undefined && (needsMore || (isTitle(text, sentence) && !introducesNext(behind)));
  const end = goesOn ? behind.end : sentence.end;
  const whole =
    before !== undefined && REFERS_BACK.test(sentence.text) && !introducesNext(before) && !isTitle(text, before);
  const start = whole && end - before.start <= MAX_QUOTE ? before.start : sentence.start;
  return [start, end];
}

function introducesNext({ text }: Sentence): boolean {
  return HEADING.test(text) || ASKS.test(text);
}

/** Returns whether a sentence looks like an unmarked heading. It may also be a self-contained note. */
function isTitle(text: string, { text: line, start, end }: Sentence): boolean {
  if (line.length > MAX_TITLE || line.includes('\n') || NO_TITLE.test(line)) return false;
  return (
    /(?:^|\n)[ \t]*$/.test(text.slice(Math.max(0, start - MAX_TITLE), start)) &&
    /^[ \t]*\n[ \t]*\n/.test(text.slice(end))
  );
}
