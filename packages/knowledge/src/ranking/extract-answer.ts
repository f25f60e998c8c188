import type { Hit, Language } from '@chorus/search';
import { answerability, describeBest, scoreSentences } from './answerability.ts';
import { languageOfQuestion, type MatchedSentence, matchSentences, refersBack } from './matched-sentences.ts';
import type { Sentence } from './sentences.ts';

export interface AnswerPart {
  hit: Hit;
  /** Verbatim from `hit.text`: one or more consecutive sentences. */
  quote: string;
  /** Probability that it answers the question, 0 to 1. */
  score: number;
}

/** Minimum probability that the sources contain an answer. `npm run bench -- retrieval` shows its effect. */
const MIN_ANSWERABILITY = 0.49;
/** The same for few hits, which reveal less of the sources' vocabulary. */
const MIN_ANSWERABILITY_OF_FEW = 0.3;
/** With fewer hits than this, or in other languages than English, the confidence in the best sentence counts, too. */
const MIN_JUDGED_HITS = 4;
const MIN_CONFIDENCE = 0.49;
/** Threshold for other languages, in which fewer words match, since their forms vary more. */
const MIN_CONFIDENCE_ELSEWHERE = 0.3;

/** A sentence is quoted with the next one if both cover this much more of the question. */
const MIN_NEXT_GAIN = 0.2;

/** Minimum score of further parts, relative to the best. */
const MIN_RELATIVE_SCORE = 0.55;
const MOST_PARTS = 3;
/** Maximum length of a quote that includes the previous sentence, because the answer refers back to it. */
const MAX_QUOTE = 600;

const HEADING = /^\s{0,3}#{1,6}\s|\n\s*(?:=+|-+)$/;
const ASKS = /[?？؟]\s*$/;

/** Maximum length of an unmarked heading: a separate line without a final period, list marker, or table cells. */
const MAX_TITLE = 80;
const NO_TITLE = /^[-*+•–|>]|^\d{1,3}[.)]\s|[.!?。！？…।؟:;,]["'”’)\]]*$/;

/**
 * Returns the sentences that answer a question, verbatim and without a language model.
 *
 * @param hits Best first, with comparable scores.
 * @returns The best answer first. Null if there seems to be none.
 */
export function extractAnswer(question: string, hits: readonly Hit[]): AnswerPart[] | null {
  const language = languageOfQuestion(question, hits);
  const candidates = scoreSentences(question, matchSentences(question, hits, language)).flatMap((scored) => {
    const { hit, sentences } = scored.matchedHit;
    const range = quoteOf(hit.text, sentences, scored.at, language);
    if (range === null) return [];
    const quote = hit.text.slice(...range);
    return [{ scored, hit, range, quote, sentence: scored.matched.sentence, score: scored.confidence }];
  });
  const [best] = candidates;
  if (best === undefined) return null;
  const isEnglish = language === null || language === 'en';
  const isJudged = isEnglish && hits.length >= MIN_JUDGED_HITS;
  if (!isJudged && best.score < (isEnglish ? MIN_CONFIDENCE : MIN_CONFIDENCE_ELSEWHERE)) return null;
  if (isEnglish) {
    const likely = candidates.map(({ scored }) => scored);
    const described = describeBest(question, hits, likely, language, best.quote);
    const least = isJudged ? MIN_ANSWERABILITY : MIN_ANSWERABILITY_OF_FEW;
    if (described === null || answerability(described) < least) return null;
  }
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
  // A later part may begin with an earlier one, and then replaces it.
  const whole = parts.map((part) => {
    const longer = parts.find((other) => other !== part && other.quote.includes(part.quote)) ?? part;
    return { hit: longer.hit, quote: longer.quote, score: part.score };
  });
  return whole.filter(({ quote }, at) => whole.findIndex((other) => other.quote === quote) === at);
}

type Range = [start: number, end: number];

const overlap = (one: Range, other: Range): boolean => one[0] < other[1] && other[0] < one[1];

/** Returns the range to quote for a matching sentence. Null: it has no meaning by itself. */
function quoteOf(
  text: string,
  sentences: readonly MatchedSentence[],
  at: number,
  language: Language | null,
): Range | null {
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
    before !== undefined && refersBack(sentence.text, language) && !introducesNext(before) && !isTitle(text, before);
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
