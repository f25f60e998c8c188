import { matchesKind } from './answer-kind.ts';
import type { MatchedHit, MatchedSentence } from './matched-sentences.ts';

/**
 * Weights of a logistic regression, fitted to a third of the shared SQuAD sample: the best sentence with its
 * passage among the hits, without it, with it alone, and with hits on another topic.
 */
const WEIGHTS = {
  bias: -5.1,
  share: 2,
  pairs: 0.9,
  hitShare: 1.6,
  rank: 2,
  first: 0.5,
  matched: 1.9,
  oneTerm: -0.3,
  missingNames: -1.1,
  missingNumbers: -0.65,
  names: 0.2,
  namesNothing: -1,
  alone: -0.95,
  aloneShare: 0.7,
};

/** Number of matching terms that count. */
const MOST_MATCHED = 4;

export interface Candidate {
  question: string;
  hit: MatchedHit;
  matched: MatchedSentence;
  around: string;
  /** Rank of the hit, from 0. */
  place: number;
  hits: number;
}

/** Returns the probability that a sentence answers the question, judged by words. */
export function confidenceOf({ question, hit, matched, around, place, hits }: Candidate): number {
  const alone = hits === 1 ? 1 : 0;
  const logOdds =
    WEIGHTS.bias +
    WEIGHTS.share * matched.share +
    WEIGHTS.pairs * matched.pairs +
    WEIGHTS.hitShare * hit.share +
    WEIGHTS.rank * hit.hit.score +
    WEIGHTS.first * (place === 0 ? 1 : 0) +
    WEIGHTS.matched * (Math.min(matched.matched, MOST_MATCHED) / MOST_MATCHED) +
    WEIGHTS.oneTerm * (hit.asked <= 1 ? 1 : 0) +
    WEIGHTS.missingNames * hit.missingNames +
    WEIGHTS.missingNumbers * hit.missingNumbers +
    WEIGHTS.names * (matchesKind(question, matched.sentence.text) > 0 ? 1 : 0) +
    WEIGHTS.namesNothing * (matchesKind(question, around) < 0 ? 1 : 0) +
    WEIGHTS.alone * alone +
    WEIGHTS.aloneShare * alone * hit.share;
  return 1 / (1 + Math.exp(-logOdds));
}
