import type { ChunkQuery, Hit, StoredChunk } from '../search.ts';

/** A chunk that one half of a search has found. */
export interface Candidate {
  id: string;
  entryId: string;
  /** Which replacement wrote it. */
  batch: string;
  /** BM25; 0: not found by its words. */
  relevance: number;
  /** Cosine; null: nothing to compare. */
  similarity: number | null;
  /** Reads all of it. */
  chunk(): StoredChunk;
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
    if (!candidates.has(candidate.id)) candidates.set(candidate.id, candidate);
  }
  const similarities = [...candidates.values()].flatMap(({ similarity }) => similarity ?? []);
  const vectorScore = shareBetween(Math.min(...similarities), Math.max(...similarities));
  const textScore = shareBetween(0, Math.max(0, ...byText.map(({ relevance }) => relevance)));
  const share = text === undefined ? 1 : vector === undefined ? 0 : Math.min(1, Math.max(0, weight));

  return [...candidates.values()]
    .map((candidate) => {
      const byWords = textScore(candidate.relevance);
      const byNearness = candidate.similarity === null ? 0 : vectorScore(candidate.similarity);
      return { candidate, byWords, byNearness, score: (1 - share) * byWords + share * byNearness };
    })
    .sort((one, other) => other.score - one.score || (one.candidate.id < other.candidate.id ? -1 : 1))
    .slice(0, limit)
    .map(({ candidate, byWords, byNearness, score }) => ({
      ...candidate.chunk(),
      score,
      textScore: byWords,
      vectorScore: byNearness,
      similarity: candidate.similarity,
    }));
}

/** Where a value lies between two others, 0 to 1. Where they are the same, what reaches them is as good as it gets. */
const shareBetween =
  (least: number, greatest: number) =>
  (value: number): number =>
    greatest > least ? (value - least) / (greatest - least) : value > 0 ? 1 : 0;
