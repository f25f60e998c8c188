import { matchSentences } from '../ranking/matched-sentences.ts';
import type { Passage } from './find-passages.ts';

/** A sentence that answers, word for word. */
export interface Extract {
  quote: string;
  hit: Passage;
}

/** What a sentence must hold of the question, as a share of its terms' weight, to pass for an answer; and beside the best one, to stand with it. */
const LEAST_SHARE = 0.5;
const OF_BEST = 0.8;
const MAX_EXTRACTS = 3;

/** The sentences of the passages that answer a question, by their words; null: none does. */
export function extractSentences(question: string, passages: readonly Passage[]): Extract[] | null {
  const matched = matchSentences(question, passages).flatMap(({ hit, sentences }) =>
    sentences.map(({ sentence, share, pairs }) => ({ quote: sentence.text, hit, share, rank: share + pairs / 2 })),
  );
  const [best, ...others] = matched
    .filter(({ share, quote }) => share >= LEAST_SHARE && !quote.startsWith('#'))
    .sort((one, other) => other.rank - one.rank);
  if (best === undefined) return null;
  const beside = others.filter(({ rank, quote }) => rank >= best.rank * OF_BEST && quote !== best.quote);
  return [best, ...beside.slice(0, MAX_EXTRACTS - 1)].map(({ quote, hit }) => ({ quote, hit }));
}
