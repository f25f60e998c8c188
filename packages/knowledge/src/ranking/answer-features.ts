import { type Language, stemsOf } from '@chorus/search';
import { type Candidate, confidenceOf } from './answer-confidence.ts';
import { answerSpans, hasSpans, withoutAskedFor } from './answer-kind.ts';
import { expectationOf, type PlacedWord } from './expected-words.ts';
import { countOpposites } from './opposites.ts';
import { isContrast, isNegation, LIGHT_STEMS } from './question-words.ts';

interface Word {
  text: string;
  lower: string;
  stems: string[];
}

/** A word of the question that the sentence should have. */
export interface AskedWord extends PlacedWord {
  kind: 'name' | 'light' | 'word';
  /** How surprising an answer without it is. */
  expectation: number;
}

export interface Question {
  words: readonly Word[];
  asked: readonly AskedWord[];
  isNegative: boolean;
  /** Lower-case words, without those that name the requested kind, such as "far" in "how far". */
  plain: readonly string[];
  language: Language | null;
}

const WORDS = /[\p{L}\p{M}\p{N}]+(?:['’.,][\p{L}\p{M}\p{N}]+)*/gu;
const ASKS =
  /^(?:what|which|who|whom|whose|when|where|why|how|many|much|wer|was|wen|wem|wo|wann|warum|wie|welche[smnr]?|viele?|qui|que|quoi|quand|où|quel|quelle|quels|quelles|combien|quién|qué|cuándo|dónde|cuál|cuánto|cuántos|cuántas|chi|cosa|quando|dove|quale|quali|quanti|quante)$/;

const textsOf = (text: string): string[] => text.match(WORDS) ?? [];

const wordsOf = (text: string, language: Language | null): Word[] =>
  textsOf(text).map((word) => ({ text: word, lower: word.toLowerCase(), stems: stemsOf(word, language) }));

export function readQuestion(question: string, language: Language | null): Question {
  const words = wordsOf(question, language);
  const content = words
    .map((word, at) => ({ ...word, at }))
    .filter(({ stems, lower }) => stems.length > 0 && !ASKS.test(lower));
  const asked = content.map(({ text, stems, at }, place): AskedWord => {
    const isName = at > 0 && /^\p{Lu}/u.test(text) && language !== 'de';
    const isLight = stems.every((stem) => LIGHT_STEMS.has(stem));
    const placed = {
      text,
      stems,
      before: words[at - 1]?.text ?? '',
      place,
      count: content.length,
    };
    return { ...placed, kind: isName ? 'name' : isLight ? 'light' : 'word', expectation: expectationOf(placed) };
  });
  const isNegative = words.some(({ lower }) => isNegation(lower));
  const plain = textsOf(withoutAskedFor(question)).map((word) => word.toLowerCase());
  return { words, asked, isNegative, plain, language };
}

/** Number of sentences before the answer that may name its subject. */
const NEAR = 2;

/** A name in at most this many hits is rare. */
const RARE = 2;

export const FEATURES = [
  'base',
  'oneMissing',
  'unexpected',
  'lightMissing',
  'rareNameMissing',
  'contrastMissing',
  'opposite',
  'questionNegative',
  'sentenceNegative',
  'negationNear',
  'noSpan',
] as const;

export type Feature = (typeof FEATURES)[number];

/**
 * Describes how a sentence matches a question, as input of `answerability`. All are numbers around 0 to 5.
 *
 * @param quote the sentence, with adjacent sentences that are quoted, too
 * @param countHits counts the hits that contain a word
 */
export function featuresOf(
  { words, asked, isNegative, plain, language }: Question,
  { question, hit, matched, around, ...candidate }: Candidate,
  quote: string,
  countHits: (stems: readonly string[]) => number,
): Record<Feature, number> {
  const sentence = wordsOf(matched.sentence.text, language);
  const inSentence = new Set(sentence.flatMap(({ stems }) => stems));
  const at = hit.sentences.indexOf(matched);
  const nearby = hit.sentences.slice(Math.max(0, at - NEAR), at + 2).map((one) => one.sentence.text);
  const near = new Set(stemsOf([hit.hit.title, ...hit.hit.heading_path, ...nearby].join('\n'), language));

  // A pronoun may refer to a name shortly before it, or in a heading.
  const isGiven = ({ kind, stems }: AskedWord) => has(inSentence, stems) || (kind === 'name' && has(near, stems));
  const missing = asked.filter((word) => !isGiven(word));
  const changed = missing.filter(
    ({ kind, stems }) => kind === 'name' || (kind === 'word' && !hasAlike(inSentence, stems)),
  );
  const lower = new Set(sentence.map((word) => word.lower));
  const isSentenceNegative = sentence.some((word) => isNegation(word.lower));
  const isEnglish = language === 'en' || language === null;
  const spans = answerSpans(question, quote).filter(
    (span) => !textsOf(span).every((word) => words.some((asks) => asks.lower === word.toLowerCase())),
  );
  const base = confidenceOf({ question, hit, matched, around, ...candidate });
  const as = (is: boolean) => (is ? 1 : 0);
  return {
    base: Math.log(base / (1 - base)),
    oneMissing: as(changed.length === 1),
    unexpected: Math.max(0, ...missing.map(({ expectation }) => expectation)),
    lightMissing: Math.min(3, missing.filter(({ kind }) => kind === 'light').length),
    rareNameMissing: Math.min(
      2,
      missing.filter(({ kind, stems }) => kind === 'name' && !has(near, stems) && countHits(stems) <= RARE).length,
    ),
    contrastMissing: words.filter((word) => isContrast(word.lower) && !lower.has(word.lower)).length,
    opposite: isEnglish ? Math.min(2, countOpposites(plain, [...lower])) : 0,
    questionNegative: as(isNegative && !isSentenceNegative),
    sentenceNegative: as(!isNegative && isSentenceNegative),
    negationNear: as(!isNegative && isNegatedNear(asked, sentence)),
    noSpan: as(hasSpans(question) && spans.length === 0),
  };
}

const has = (terms: ReadonlySet<string>, stems: readonly string[]): boolean => stems.every((stem) => terms.has(stem));

/** Minimum length of the shared beginning of related words, such as "govern" and "governor". */
const SHARED_BEGINNING = 5;

function hasAlike(terms: ReadonlySet<string>, stems: readonly string[]): boolean {
  return stems.every((stem) => {
    if (terms.has(stem)) return true;
    const start = stem.slice(0, SHARED_BEGINNING);
    if (start.length < SHARED_BEGINNING - 1) return false;
    for (const term of terms)
      if (term.startsWith(start) || (term.length === SHARED_BEGINNING - 1 && stem.startsWith(term))) return true;
    return false;
  });
}

/** Returns whether a negation is next to a word of the question. */
function isNegatedNear(asked: readonly AskedWord[], sentence: readonly Word[]): boolean {
  const wanted = new Set(asked.flatMap(({ stems }) => stems));
  return sentence.some(
    ({ lower }, at) =>
      isNegation(lower) &&
      sentence.slice(Math.max(0, at - 2), at + 4).some(({ stems }) => stems.some((stem) => wanted.has(stem))),
  );
}
