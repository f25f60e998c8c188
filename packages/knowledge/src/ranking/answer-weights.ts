import type { Feature } from './answer-features.ts';

/**
 * Weights of a logistic regression that predicts whether the sources answer a question. Printed by
 * `npm run bench -- retrieval --fit`.
 */
export const WEIGHTS: Record<Feature | 'bias', number> = {
  bias: 0.123,
  base: 0.412,
  oneMissing: -0.243,
  unexpected: -0.219,
  lightMissing: 0.574,
  rareNameMissing: -0.883,
  contrastMissing: -0.564,
  opposite: -2.239,
  questionNegative: -2.481,
  sentenceNegative: -0.52,
  negationNear: -0.343,
  noSpan: -1.854,
};
