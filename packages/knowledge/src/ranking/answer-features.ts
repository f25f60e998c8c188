import { type Language, stemsOf } from '@chorus/search';
import { type Candidate, confidenceOf } from './answer-confidence.ts';
import { type AnswerKind, answerSpans, kindOf, matchesKind } from './answer-kind.ts';
import { isContrast, isNegation, LIGHT_STEMS, OPPOSITES } from './question-words.ts';

interface Word {
  text: string;
  lower: string;
  stems: string[];
}

/** A word of the question that the sentence should have. */
interface AskedWord extends Word {
  kind: 'name' | 'number' | 'light' | 'word';
  weight: number;
}

export interface Question {
  words: readonly Word[];
  asked: readonly AskedWord[];
  kind: AnswerKind;
  isNegative: boolean;
  language: Language | null;
}

const WORDS = /[\p{L}\p{M}\p{N}]+(?:['’.,][\p{L}\p{M}\p{N}]+)*/gu;
const ASKS =
  /^(?:what|which|who|whom|whose|when|where|why|how|many|much|wer|was|wen|wem|wo|wann|warum|wie|welche[smnr]?|viele?|qui|que|quoi|quand|où|quel|quelle|quels|quelles|combien|quién|qué|cuándo|dónde|cuál|cuánto|cuántos|cuántas|chi|cosa|quando|dove|quale|quali|quanti|quante)$/;

function wordsOf(text: string, language: Language | null): Word[] {
  return (text.match(WORDS) ?? []).map((word) => ({
    text: word,
    lower: word.toLowerCase(),
    stems: stemsOf(word, language),
  }));
}

export function readQuestion(question: string, language: Language | null): Question {
  const words = wordsOf(question, language);
  const asked = words.flatMap((word, at): AskedWord[] => {
    if (word.stems.length === 0 || ASKS.test(word.lower)) return [];
    const isName = at > 0 && /^\p{Lu}/u.test(word.text) && language !== 'de';
    if (/\d/.test(word.text)) return [{ ...word, kind: 'number', weight: 1.5 }];
    if (isName) return [{ ...word, kind: 'name', weight: 1.5 }];
    if (word.stems.every((stem) => LIGHT_STEMS.has(stem))) return [{ ...word, kind: 'light', weight: 0.25 }];
    return [{ ...word, kind: 'word', weight: 1 }];
  });
  return { words, asked, kind: kindOf(question), isNegative: words.some(({ lower }) => isNegation(lower)), language };
}

/** Part of a word's weight if it is only in the sentence before, the title, or a heading. */
const CONTEXT_WEIGHT = 0.7;

export const FEATURES = [
  'base',
  'share',
  'shareOfTwo',
  'shareBeyondOthers',
  'textScore',
  'vectorScore',
  'covered',
  'missing',
  'missingInHit',
  'oneMissing',
  'oneMissingMostFound',
  'lightMissing',
  'nameMissing',
  'nameMissingInHit',
  'numberMissing',
  'lastMissing',
  'firstMissing',
  'contrastMissing',
  'opposite',
  'questionNegative',
  'sentenceNegative',
  'inOrder',
  'density',
  'fitsNot',
  'spans',
  'distance',
] as const;

export type Feature = (typeof FEATURES)[number];

/** Describes how a sentence matches a question, as input of `answerability`. All are numbers around 0 to 5. */
export function featuresOf(question: Question, candidate: Candidate, shareElsewhere: number): Record<Feature, number> {
  const { hit: matchedHit, matched, around } = candidate;
  const { hit } = matchedHit;
  const { language, asked, kind } = question;
  const sentence = wordsOf(matched.sentence.text, language);
  const inSentence = new Set(sentence.flatMap(({ stems }) => stems));
  const inHit = matchedHit.terms;
  // The subject of a sentence is often named before it or in the title.
  const inContext = new Set(
    wordsOf([hit.title, ...hit.heading_path, around].join('\n'), language).flatMap(({ stems }) => stems),
  );

  const found: boolean[] = [];
  let [total, covered, missing, missingInHit, opposite] = [0, 0, 0, 0, 0];
  const lacks = { name: 0, number: 0, light: 0, word: 0 };
  let nameMissingInHit = 0;
  for (const { kind: ofWord, weight, stems } of asked) {
    total += weight;
    const isThere = has(inSentence, stems);
    if (isThere) covered += weight;
    else if (has(inContext, stems)) covered += weight * CONTEXT_WEIGHT;
    else if (ofWord === 'word' && stems.some((stem) => OPPOSITES.get(stem)?.some((other) => inSentence.has(other))))
      opposite += 1;
    if (ofWord === 'light') {
      if (!isThere) lacks.light += 1;
      continue;
    }
    const isAlike = isThere || (ofWord === 'word' && hasAlike(inSentence, stems));
    found.push(isAlike);
    if (isThere) continue;
    lacks[ofWord] += 1;
    if (!isAlike) missing += weight;
    if (has(inHit, stems)) continue;
    if (ofWord === 'name') nameMissingInHit += 1;
    if (ofWord !== 'word' || !hasAlike(inHit, stems)) missingInHit += weight;
  }
  const share = total > 0 ? covered / total : 0;
  const oneMissing = missing > 0 && missing <= 1.5 ? 1 : 0;
  const lower = new Set(sentence.map((word) => word.lower));
  const { inOrder, density } = orderOf(asked, sentence);
  const spans = answerSpans(kind, matched.sentence.text).filter(
    ({ text }) => !wordsOf(text, language).every((word) => question.words.some((asks) => asks.lower === word.lower)),
  );
  const base = confidenceOf(candidate);
  return {
    base: Math.log(base / (1 - base)),
    share: matched.share,
    shareOfTwo: matched.shareOfTwo,
    shareBeyondOthers: matched.share - shareElsewhere,
    textScore: hit.textScore,
    vectorScore: hit.vectorScore,
    covered: share,
    missing: Math.min(missing, 5),
    missingInHit: Math.min(missingInHit, 5),
    oneMissing,
    oneMissingMostFound: share > 0.6 ? oneMissing : 0,
    lightMissing: Math.min(lacks.light, 3),
    nameMissing: Math.min(lacks.name, 3),
    nameMissingInHit: Math.min(nameMissingInHit, 3),
    numberMissing: Math.min(lacks.number, 2),
    lastMissing: found.at(-1) === false ? 1 : 0,
    firstMissing: found[0] === false ? 1 : 0,
    contrastMissing: question.words.filter((word) => isContrast(word.lower) && !lower.has(word.lower)).length,
    opposite: Math.min(2, opposite),
    questionNegative: question.isNegative && !sentence.some((word) => isNegation(word.lower)) ? 1 : 0,
    sentenceNegative: !question.isNegative && sentence.some((word) => isNegation(word.lower)) ? 1 : 0,
    inOrder,
    density,
    fitsNot: matchesKind(candidate.question, around) < 0 ? 1 : 0,
    spans: Math.min(3, spans.length),
    distance: spans.length === 0 ? 1 : distanceOf(spans, asked, matched.sentence.text, language),
  };
}

const has = (terms: ReadonlySet<string>, stems: readonly string[]): boolean => stems.every((stem) => terms.has(stem));

/** Least shared beginning of related words, such as "govern" and "governor". */
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

/** Returns the share of matching words in the question's order, and how densely they follow each other. */
function orderOf(asked: readonly AskedWord[], sentence: readonly Word[]): { inOrder: number; density: number } {
  const wanted = asked.flatMap(({ stems }) => stems);
  const wantedSet = new Set(wanted);
  const places = sentence.flatMap(({ stems }, at) =>
    stems.filter((stem) => wantedSet.has(stem)).map((stem) => ({ stem, at })),
  );
  const different = new Set(places.map(({ stem }) => stem));
  if (different.size === 0) return { inOrder: 0, density: 0 };
  const matching = wanted.filter((stem) => different.has(stem));
  let row = new Array<number>(places.length + 1).fill(0);
  for (const stem of matching) {
    const next = [0];
    for (const [at, place] of places.entries())
      next.push(place.stem === stem ? row[at]! + 1 : Math.max(next[at]!, row[at + 1]!));
    row = next;
  }
  let tightest = Number.POSITIVE_INFINITY;
  for (let from = 0; from < places.length; from += 1) {
    const seen = new Set<string>();
    for (let to = from; to < places.length; to += 1) {
      seen.add(places[to]!.stem);
      if (seen.size < different.size) continue;
      tightest = Math.min(tightest, places[to]!.at - places[from]!.at + 1);
      break;
    }
  }
  return { inOrder: row.at(-1)! / matching.length, density: different.size / tightest };
}

/** Characters between a matching word and an answer that count as 1. */
const FAR = 100;

function distanceOf(
  spans: readonly { at: number }[],
  asked: readonly AskedWord[],
  sentence: string,
  language: Language | null,
): number {
  const wanted = new Set(asked.flatMap(({ stems }) => stems));
  const places = [...sentence.matchAll(WORDS)]
    .filter(([word]) => stemsOf(word, language).some((stem) => wanted.has(stem)))
    .map(({ index }) => index);
  let nearest = FAR;
  for (const { at } of spans) for (const place of places) nearest = Math.min(nearest, Math.abs(place - at));
  return nearest / FAR;
}
