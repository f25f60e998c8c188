import type { Hit } from '@chorus/search';
import { type MatchedSentence, matchSentences } from './matched-sentences.ts';

/** Contribution of the best sentence to the score, as measured by `npm run bench -- retrieval`. */
const SHARES: Record<'share' | 'shareOfTwo' | 'pairs', number> = { share: 0.4, shareOfTwo: 0.2, pairs: 0.3 };
const SUM = 1 + Object.values(SHARES).reduce((sum, share) => sum + share, 0);

export function candidatesFor(topK: number): number {
  return Math.min(100, Math.max(40, topK * 4));
}

/**
 * Reranks hits by their best sentence: answers are mostly in one place, while mentions are scattered.
 *
 * @param hits from `find`, with their scores
 * @returns all hits, best first, with comparable scores from 0 to 1
 */
export function rerank(question: string, hits: readonly Hit[]): Hit[] {
  return matchSentences(question, hits)
    .map(({ hit, sentences }) => {
      const best = (what: keyof typeof SHARES) => Math.max(0, ...sentences.map((one: MatchedSentence) => one[what]));
      const more = SHARES.share * best('share') + SHARES.shareOfTwo * best('shareOfTwo') + SHARES.pairs * best('pairs');
      return { ...hit, score: (hit.score + more) / SUM };
    })
    .sort((a, b) => b.score - a.score);
}
