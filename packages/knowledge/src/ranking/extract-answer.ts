import type { Hit } from '@chorus/search';
import { confidenceOf } from './answer-confidence.ts';
import { type MatchedSentence, matchSentences, POINTS_BACK } from './matched-sentences.ts';
import type { Sentence } from './sentences.ts';

/** A piece of an answer, and where it was found. */
export interface AnswerPart {
  hit: Hit;
  /** Word for word as in `hit.text`: one sentence, or some that follow each other. */
  quote: string;
  /** How likely it answers the question, 0 to 1. */
  score: number;
}

/** Below this confidence nothing is answered. `npm run bench -- retrieval` shows what it lets through and what it refuses. */
const LEAST_CONFIDENCE = 0.49;

/** A sentence that holds so much less of the question than with the next one is quoted with it. */
const MORE_WITH_NEXT = 0.2;

/** Other parts are quoted beside the best when they come so near to it. */
const NEAR = 0.85;
const MOST_PARTS = 3;
/** Where the answer points back to the sentence before, both are quoted if they are no longer than this. */
const LONGEST_QUOTE = 600;

const HEADING = /^\s{0,3}#{1,6}\s|\n\s*(?:=+|-+)$/;
const ASKS = /[?？؟]\s*$/;

/** In documents that do not mark headings, a short line of its own without the end of a sentence is one. List items and rows are none. */
const LONGEST_TITLE = 80;
const NO_TITLE = /^[-*+•–|>]|^\d{1,3}[.)]\s|[.!?。！？…।؟:;,]["'”’)\]]*$/;

/**
 * Returns the sentences that answer a question, word for word: no model writes anything.
 *
 * @param hits the best first, with scores that are comparable among them
 * @returns the best answer first; null where none of them holds one, as far as words tell
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
  if (best === undefined || best.score < LEAST_CONFIDENCE) return null;
  const parts: typeof candidates = [];
  for (const candidate of candidates) {
    const { hit, range, sentence, score } = candidate;
    if (parts.length === MOST_PARTS || score < best.score * NEAR) break;
    // Chunks overlap, so the same sentence comes twice.
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

/** Returns what is quoted for a sentence that fits; null where it says nothing by itself. */
function quoteOf(text: string, sentences: readonly MatchedSentence[], at: number): Range | null {
  const { sentence, share, shareOfTwo } = sentences[at]!;
  const before = sentences[at - 1]?.sentence;
  const behind = sentences[at + 1]?.sentence;
  // A heading or a question is answered by the text below it.
  if (opens(sentence) && (behind === undefined || opens(behind))) return null;
  const needsMore = opens(sentence) || (shareOfTwo - share > MORE_WITH_NEXT && behind !== undefined && !opens(behind));
  if (behind !== undefined && HEADING.test(sentence.text)) return [behind.start, behind.end];
  const goesOn = behind !== undefined && (needsMore || (isTitle(text, sentence) && !opens(behind)));
  const end = goesOn ? behind.end : sentence.end;
  const whole = before !== undefined && POINTS_BACK.test(sentence.text) && !opens(before) && !isTitle(text, before);
  const start = whole && end - before.start <= LONGEST_QUOTE ? before.start : sentence.start;
  return [start, end];
}

/** Whether a sentence says nothing without the next one. */
function opens({ text }: Sentence): boolean {
  return HEADING.test(text) || ASKS.test(text);
}

/** Whether a sentence looks like a heading that is not marked as one. It may be a note, too, which says all by itself. */
function isTitle(text: string, { text: line, start, end }: Sentence): boolean {
  if (line.length > LONGEST_TITLE || line.includes('\n') || NO_TITLE.test(line)) return false;
  return (
    /(?:^|\n)[ \t]*$/.test(text.slice(Math.max(0, start - LONGEST_TITLE), start)) &&
    /^[ \t]*\n[ \t]*\n/.test(text.slice(end))
  );
}
