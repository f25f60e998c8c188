import type { Hit } from '../search.ts';

/** A row that a search has found. */
export interface Candidate {
  /** Its number in the table as the search sees it. */
  row: bigint;
  /** BM25; 0: not found by its words. */
  relevance: number;
  /** Cosine; null: nothing to compare. */
  similarity: number | null;
}

/** What becomes of it. */
export type Scored = Pick<Hit, 'score' | 'textScore' | 'vectorScore' | 'similarity'> & { row: bigint };

/**
 * The best of the candidates. Each score is its share between the least and the greatest of all candidates (for words the least is 0: none of
 * them is there), then they are joined. Ranks alone would make a weak embedding model as loud as a good one.
 *
 * @param share the vector's share of the score, 0 to 1
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

/** Where a value lies between two others, 0 to 1. Where they are the same, what reaches them is as good as it gets. */
const shareBetween =
  (least: number, greatest: number) =>
  (value: number): number =>
    greatest > least ? (value - least) / (greatest - least) : value > 0 ? 1 : 0;
