import type { Hit } from '@chorus/search';
import { type MatchedSentence, matchSentences } from './matched-sentences.ts';

/** What each likeness of the best sentence adds to the score that a hit was found with: measured by `npm run bench -- retrieval`. */
const SHARES: Record<'share' | 'shareOfTwo' | 'pairs', number> = { share: 0.4, shareOfTwo: 0.2, pairs: 0.3 };
const SUM = 1 + Object.values(SHARES).reduce((sum, share) => sum + share, 0);

/** So many hits are asked of the index for an answer from `topK` passages: the right one may stand further down. */
export function candidatesFor(topK: number): number {
  return Math.min(100, Math.max(40, topK * 4));
}

/**
 * Orders what was found by how much of the question one sentence holds, too: a passage that answers mostly does it in one place, while one that only
 * mentions the words scatters them.
 *
 * @param hits as `find` gave them, with their scores
 * @returns all of them, the best first, with scores 0 to 1 that are comparable within this answer
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
