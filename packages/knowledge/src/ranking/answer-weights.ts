import type { Feature } from './answer-features.ts';

/**
 * Weights of a logistic regression that says whether the sources answer a question. Printed by
 * `npm run bench -- retrieval --fit`.
 */
export const WEIGHTS: Record<Feature | 'bias', number> = {
  bias: -3.941,
  base: 0.26,
  share: 1.624,
  shareOfTwo: -0.078,
  shareBeyondOthers: 0.814,
  textScore: 0.205,
  vectorScore: 1.408,
  covered: 1.163,
  missing: -0.103,
  missingInHit: 0.539,
  oneMissing: -0.3,
  oneMissingMostFound: -0.039,
  lightMissing: 0.811,
  nameMissing: 0.108,
  nameMissingInHit: -0.759,
  numberMissing: -0.045,
  lastMissing: -0.304,
  firstMissing: -0.191,
  contrastMissing: -1.173,
  opposite: -0.922,
  questionNegative: -2.623,
  sentenceNegative: -0.45,
  inOrder: 0.692,
  density: -0.238,
  fitsNot: -1.874,
  spans: -0.027,
  distance: -0.073,
};
