import type { Hit } from '../search.ts';

export interface Candidate {
  row: bigint;
  /** BM25; 0 if not found by words. */
  relevance: number;
  /** Cosine; null without a vector. */
  similarity: number | null;
}

export type Scored = Pick<Hit, 'score' | 'textScore' | 'vectorScore' | 'similarity'> & { row: bigint };

/**
 * Returns the best candidates by combined score. Each score is scaled between the minimum and maximum of all
 * candidates; for words the minimum is 0. Ranks alone would give a weak embedding model too much weight.
 *
 * @param share weight of the vector, 0 to 1
 */
export function fuseScores(candidates: readonly Candidate[], share: number, limit: number): Scored[] {
  const similarities = candidates.flatMap(({ similarity }) => similarity ?? []);
  const nearness = shareBetween(Math.min(...similarities), Math.max(...similarities));
  const words = shareBetween(0, Math.max(0, ...candidates.map(({ relevance }) => relevance)));

  return candidates
    .map(({ row, relevance, similarity }) => {
      const textScore = words(relevance);
      const vectorScore = similarity === null ? 0 : nearness(similarity);
      return { row, score: (1 - share) * textScore + share * vectorScore, textScore, vectorScore, similarity };
    })
    .sort((one, other) => other.score - one.score || (one.row < other.row ? -1 : 1))
    .slice(0, limit);
}

/** Scales a value between two others to 0 to 1; if they are equal, values that reach them score 1. */
const shareBetween =
  (least: number, greatest: number) =>
  (value: number): number =>
    greatest > least ? (value - least) / (greatest - least) : value > 0 ? 1 : 0;
