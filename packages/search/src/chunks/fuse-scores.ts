import type { ChunkQuery, Hit, StoredChunk } from '../search.ts';

/** A chunk that one half of a search has found. */
export interface Candidate {
  chunk: StoredChunk;
  /** Which replacement wrote it. */
  batch: string;
  /** BM25; 0: not found by its words. */
  relevance: number;
  /** Cosine; null: nothing to compare. */
  similarity: number | null;
}

/**
 * Joins both halves: each score as its share between the least and the greatest of all candidates (for words the least is 0: none of
 * them is there), then by the weight. Ranks alone would make a weak embedding model as loud as a good one.
 */
export function fuseScores(
  byText: readonly Candidate[],
  byVector: readonly Candidate[],
  { text, vector, weight, limit }: ChunkQuery,
): Hit[] {
  const candidates = new Map<string, Candidate>();
  for (const candidate of [...byText, ...byVector]) {
    if (!candidates.has(candidate.chunk.id)) candidates.set(candidate.chunk.id, candidate);
  }
  const similarities = [...candidates.values()].flatMap(({ similarity }) => similarity ?? []);
  const vectorScore = shareBetween(Math.min(...similarities), Math.max(...similarities));
  const textScore = shareBetween(0, Math.max(0, ...byText.map(({ relevance }) => relevance)));
  const share = text === undefined ? 1 : vector === undefined ? 0 : Math.min(1, Math.max(0, weight));

  const hits = [...candidates.values()].map(({ chunk, relevance, similarity }): Hit => {
    const scores = {
      textScore: textScore(relevance),
      vectorScore: similarity === null ? 0 : vectorScore(similarity),
    };
    return { ...chunk, ...scores, similarity, score: (1 - share) * scores.textScore + share * scores.vectorScore };
  });
  return hits.sort((one, other) => other.score - one.score || (one.id < other.id ? -1 : 1)).slice(0, limit);
}

/** Where a value lies between two others, 0 to 1. Where they are the same, what reaches them is as good as it gets. */
const shareBetween =
  (least: number, greatest: number) =>
  (value: number): number =>
    greatest > least ? (value - least) / (greatest - least) : value > 0 ? 1 : 0;
