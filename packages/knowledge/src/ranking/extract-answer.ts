import type { Hit } from '@chorus/search';
import { fitsKind } from './answer-kind.ts';
import { type MatchedSentence, matchSentences } from './matched-sentences.ts';
import type { Sentence } from './sentences.ts';

/** A piece of an answer, and where it stands. */
export interface AnswerPart {
  hit: Hit;
  /** Word for word as in `hit.text`: one sentence, or some that follow each other. */
  quote: string;
  /** 0 to 1. */
  score: number;
}

/** A sentence must hold so much of the question, by the weight of its words, or nothing is answered. Measured by `npm run bench -- retrieval`. */
const LEAST_SHARE = 0.4;
/** What of it is said only with the sentence behind counts so much. */
const OF_TWO = 0.9;

/** What makes a sentence the better answer, beside the question's words in it. */
const PAIRS = 0.3;
const TWO = 0.2;
const RANK = 0.7;
const KIND = 0.1;
const BEST = 1 + PAIRS + TWO + RANK + KIND;

/** Others are told beside the best when they come so near to it. */
const NEAR = 0.85;
const MOST_PARTS = 3;
/** The sentence before is told, too, where the answer points back to it, if both are no longer than this. */
const LONGEST_QUOTE = 600;

const POINTS_BACK = /^(It|He|She|They|This|These|Those|Its|His|Her|Their|Such)\b/;
const HEADING = /^\s{0,3}#{1,6}\s|\n\s*(?:=+|-+)$/;
const ASKS = /[?？؟]\s*$/;

/** A paragraph of one short line that does not end as a sentence does is a heading in documents that don't mark theirs; points of lists and rows are none. */
const LONGEST_TITLE = 80;
const NO_TITLE = /^[-*+•–|>]|^\d{1,3}[.)]\s|[.!?。！？…।؟:;,]["'”’)\]]*$/;

/**
 * The sentences that answer a question, taken from what was found as they stand there: no model writes anything.
 *
 * @param hits the best first, with scores that are comparable among them
 * @returns the best answer first; null where none of them holds one, as far as their words tell
 */
export function extractAnswer(question: string, hits: readonly Hit[]): AnswerPart[] | null {
  const candidates = matchSentences(question, hits).flatMap(({ hit, sentences }) =>
    sentences.flatMap((matched, at) => {
      const { share, shareOfTwo, pairs, sentence } = matched;
      if (Math.max(share, OF_TWO * shareOfTwo) < LEAST_SHARE) return [];
      const range = quoteOf(hit.text, sentences, at);
      if (range === null) return [];
      const quote = hit.text.slice(...range);
      const titled = isTitle(hit.text, sentence);
      // What stands below a heading is told with it, and is an answer of its own.
      const more = KIND * fitsKind(question, titled ? sentence.text : quote);
      const score = share + PAIRS * pairs + TWO * shareOfTwo + RANK * hit.score + more;
      return [{ hit, range, titled, quote, sentence, score: Math.min(1, Math.max(0, score / BEST)) }];
    }),
  );
  candidates.sort((a, b) => b.score - a.score);
  const [best] = candidates;
  if (best === undefined) return null;
  const parts: typeof candidates = [];
  for (const candidate of candidates) {
    const { hit, range, titled, sentence, score } = candidate;
    if (parts.length === MOST_PARTS || score < best.score * NEAR) break;
    // Chunks overlap, so the same sentence comes twice; a heading adds nothing to what stands below it.
    const isTold = parts.some(
      (part) => part.quote.includes(sentence.text) || (titled && part.hit === hit && overlap(part.range, range)),
    );
    if (!isTold) parts.push(candidate);
  }
  // What was told first may stand at the beginning of another.
  return parts
    .filter((one) => !parts.some((other) => other !== one && other.quote.includes(one.quote)))
    .map(({ hit, quote, score }) => ({ hit, quote, score }));
}

type Range = [start: number, end: number];

const overlap = (one: Range, other: Range): boolean => one[0] < other[1] && other[0] < one[1];

/** What is told of a sentence that fits; null where it says nothing by itself. */
function quoteOf(text: string, sentences: readonly MatchedSentence[], at: number): Range | null {
  const { sentence, share } = sentences[at]!;
  const before = sentences[at - 1]?.sentence;
  const behind = sentences[at + 1]?.sentence;
  // A heading or a question is answered by what stands below it.
  const needsMore = opens(sentence) || share < LEAST_SHARE;
  if (needsMore && (behind === undefined || opens(behind))) return null;
  if (behind !== undefined && HEADING.test(sentence.text)) return [behind.start, behind.end];
  const goesOn = behind !== undefined && (needsMore || (isTitle(text, sentence) && !opens(behind)));
  const end = goesOn ? behind.end : sentence.end;
  const whole = before !== undefined && POINTS_BACK.test(sentence.text) && !opens(before) && !isTitle(text, before);
  const start = whole && end - before.start <= LONGEST_QUOTE ? before.start : sentence.start;
  return [start, end];
}

/** Whether a sentence says nothing without the one behind it. */
function opens({ text }: Sentence): boolean {
  return HEADING.test(text) || ASKS.test(text);
}

/** Whether a sentence looks like a heading that is not marked as one; it may be a note, too, which says all by itself. */
function isTitle(text: string, { text: line, start, end }: Sentence): boolean {
  if (line.length > LONGEST_TITLE || line.includes('\n') || NO_TITLE.test(line)) return false;
  return (
    /(?:^|\n)[ \t]*$/.test(text.slice(Math.max(0, start - LONGEST_TITLE), start)) &&
    /^[ \t]*\n[ \t]*\n/.test(text.slice(end))
  );
}
