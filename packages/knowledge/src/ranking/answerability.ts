import type { Hit, Language } from '@chorus/search';
import { confidenceOf } from './answer-confidence.ts';
import { FEATURES, type Feature, featuresOf, readQuestion } from './answer-features.ts';
import { WEIGHTS } from './answer-weights.ts';
import type { MatchedHit, MatchedSentence } from './matched-sentences.ts';

/** A sentence that may be an answer, ranked by `confidence`. */
export interface Scored {
  matchedHit: MatchedHit;
  matched: MatchedSentence;
  /** Index of the sentence in the hit. */
  at: number;
  /** Rank of the hit, from 0. */
  place: number;
  around: string;
  confidence: number;
}

/** Returns all sentences that share a term with the question, the most likely answer first. */
export function scoreSentences(question: string, matchedHits: readonly MatchedHit[]): Scored[] {
  return matchedHits
    .flatMap((matchedHit, place) =>
      matchedHit.sentences.flatMap((matched, at): Scored[] => {
        if (matched.matched === 0) return [];
        const { start, end } = matched.sentence;
        const around = matchedHit.hit.text.slice(matchedHit.sentences[at - 1]?.sentence.start ?? start, end);
        const candidate = { question, hit: matchedHit, matched, around, place, hits: matchedHits.length };
        return [{ matchedHit, matched, at, place, around, confidence: confidenceOf(candidate) }];
      }),
    )
    .sort((a, b) => b.confidence - a.confidence);
}

/** Describes the most likely sentence, with adjacent quoted ones, as input of `answerability`. */
export function describeBest(
  question: string,
  hits: readonly Hit[],
  scored: readonly Scored[],
  language: Language | null,
  quote: string = scored[0]?.matched.sentence.text ?? '',
): Record<Feature, number> | null {
  const [best] = scored;
  if (best === undefined) return null;
  const found = new Set(scored.map(({ matchedHit }) => matchedHit));
  const countHits = (stems: readonly string[]) =>
    [...found].filter(({ terms }) => stems.every((stem) => terms.has(stem))).length;
  const { matchedHit, matched, place, around } = best;
  const candidate = { question, hit: matchedHit, matched, around, place, hits: hits.length };
  return featuresOf(readQuestion(question, language), candidate, quote, countHits);
}

/** Returns the probability that a sentence answers. */
export function answerability(features: Record<Feature, number>): number {
  const logOdds = FEATURES.reduce((sum, feature) => sum + WEIGHTS[feature] * features[feature], WEIGHTS.bias);
  return 1 / (1 + Math.exp(-logOdds));
}
