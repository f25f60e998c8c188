import { fitsKind } from './answer-kind.ts';
import type { MatchedHit, MatchedSentence } from './matched-sentences.ts';

/**
 * Weights of a logistic regression that was fitted to a third of the shared SQuAD sample: the best sentence with its passage among the hits,
 * with the passage taken away, with it alone, and with hits on another topic.
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

/** More matching terms than this add nothing. */
const MOST_MATCHED = 4;

export interface Candidate {
  question: string;
  hit: MatchedHit;
  matched: MatchedSentence;
  /** The sentence with its neighbours. */
  around: string;
  /** Place of the hit among all, from 0. */
  place: number;
  /** How many hits there are. */
  hits: number;
}

/** Returns how likely a sentence answers the question, 0 to 1, as far as words tell. */
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
    WEIGHTS.names * (fitsKind(question, matched.sentence.text) > 0 ? 1 : 0) +
    WEIGHTS.namesNothing * (fitsKind(question, around) < 0 ? 1 : 0) +
    WEIGHTS.alone * alone +
    WEIGHTS.aloneShare * alone * hit.share;
  return 1 / (1 + Math.exp(-logOdds));
}
