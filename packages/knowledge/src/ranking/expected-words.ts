import { LIGHT_STEMS } from './question-words.ts';

/** A word of a question, with its position. */
export interface PlacedWord {
  text: string;
  stems: readonly string[];
  /** The word before it; empty at the start. */
  before: string;
  /** Rank among the content words of the question, from 0, and how many there are. */
  place: number;
  count: number;
}

export const WORD_SIGNS = [
  'isLight',
  'isName',
  'length',
  'endsInEd',
  'endsInIng',
  'endsInLy',
  'isFirst',
  'count',
  'afterDo',
  'afterBe',
  'afterWhat',
] as const;

export type WordSign = (typeof WORD_SIGNS)[number];

/**
 * Weights of a logistic regression that predicts whether an answering sentence contains a word of the question.
 * Printed by `npm run bench -- retrieval --fit`.
 */
const WORD_WEIGHTS: Record<WordSign | 'bias', number> = {
  bias: 2.023,
  isLight: -1.267,
  isName: 0.787,
  length: -0.213,
  endsInEd: -0.463,
  endsInIng: -0.257,
  endsInLy: -1.495,
  isFirst: -0.262,
  count: -1.444,
  afterDo: -0.228,
  afterBe: -0.199,
  afterWhat: -1.12,
};

/** Describes a word, to predict whether an answering sentence contains it. */
export function signsOf({ text, stems, before, place, count }: PlacedWord): Record<WordSign, number> {
  const as = (is: boolean) => (is ? 1 : 0);
  return {
    isLight: as(stems.every((stem) => LIGHT_STEMS.has(stem))),
    isName: as(/^\p{Lu}/u.test(text)),
    length: Math.min(text.length, 12) / 10,
    endsInEd: as(text.endsWith('ed')),
    endsInIng: as(text.endsWith('ing')),
    endsInLy: as(text.endsWith('ly')),
    isFirst: as(place === 0),
    count: Math.min(count, 10) / 10,
    afterDo: as(/^(?:did|does|do)$/i.test(before)),
    afterBe: as(/^(?:is|was|are|were|been)$/i.test(before)),
    afterWhat: as(/^(?:what|which)$/i.test(before)),
  };
}

/** Returns how surprising an answering sentence without this word is: the negative logarithm of the probability. */
export function expectationOf(word: PlacedWord): number {
  const signs = signsOf(word);
  return Math.log1p(
    Math.exp(WORD_SIGNS.reduce((sum, sign) => sum + WORD_WEIGHTS[sign] * signs[sign], WORD_WEIGHTS.bias)),
  );
}
