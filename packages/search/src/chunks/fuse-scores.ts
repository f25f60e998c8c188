import type { Hit } from '../search.ts';

/** A row by its number in the table, or its slot in memory. */
type Place = bigint | number;

export type Scored<P extends Place> = Pick<Hit, 'score' | 'textScore' | 'vectorScore' | 'similarity'> & { place: P };

/**
 * Returns the best candidates by combined score. Each score is scaled between the minimum and maximum of all
 * candidates. For words, the minimum is 0. Ranks alone would give a weak embedding model too much weight.
 *
 * @param relevances BM25 of the candidates found by words
 * @param similarities cosines of all candidates, unless they have no vector
 * @param share weight of the vector, 0 to 1
 */
export function fuseScores<P extends Place>(
  relevances: ReadonlyMap<P, number>,
  similarities: ReadonlyMap<P, number>,
  { share, limit }: { share: number; limit: number },
): Scored<P>[] {
  const nearness = shareBetween(Math.min(...similarities.values()), Math.max(...similarities.values()));
  const words = shareBetween(0, Math.max(0, ...relevances.values()));
  const scored = Array.from(new Set([...relevances.keys(), ...similarities.keys()]), (place) => {
    const similarity = similarities.get(place) ?? null;
    const textScore = words(relevances.get(place) ?? 0);
    const vectorScore = similarity === null ? 0 : nearness(similarity);
    return { place, score: (1 - share) * textScore + share * vectorScore, textScore, vectorScore, similarity };
  });
  return scored.sort((one, other) => other.score - one.score || (one.place < other.place ? -1 : 1)).slice(0, limit);
}

/** Scales a value between two others to 0 to 1. If they are equal, values that reach them score 1. */
const shareBetween =
  (least: number, greatest: number) =>
  (value: number): number =>
    greatest > least ? (value - least) / (greatest - least) : value > 0 ? 1 : 0;
