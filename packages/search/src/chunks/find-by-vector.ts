import type { Query, Table, VectorQuery } from '@lancedb/lancedb';
import { withRetries } from '../store/with-retries.ts';

const READ_MS = 15_000;

/** Returns row numbers of the nearest vectors. */
export async function findByVector(
  table: Table,
  vector: Float32Array,
  where: string,
  limit: number,
): Promise<bigint[]> {
  // Candidates exceed hits several times, so small errors in the index's order do not matter.
  const query = table.query().nearestTo(vector).distanceType('cosine').where(where).limit(limit);
  return [...(await readRowScores(query, '_distance')).keys()];
}

export async function readSimilarities(
  table: Table,
  rows: readonly bigint[],
  vector: Float32Array,
): Promise<Map<bigint, number>> {
  const similarities = new Map<bigint, number>();
  if (rows.length === 0) return similarities;
  const taken = table.takeRowIds(rows).select(['vector']).withRowId();
  const found = await withRetries(() => taken.toArrow({ timeoutMs: READ_MS }));
  const [ids, vectors] = [found.getChild('_rowid'), found.getChild('vector')];
  for (let at = 0; at < found.numRows; at += 1) {
    const other: { toArray(): Float32Array } | null = vectors?.get(at) ?? null;
    if (other !== null) similarities.set(ids?.get(at), cosine(vector, other.toArray()));
  }
  return similarities;
}

function cosine(one: Float32Array, other: Float32Array): number {
  let dot = 0;
  let squares = 0;
  let otherSquares = 0;
  for (let at = 0; at < one.length; at += 1) {
    const a = one[at] ?? 0;
    const b = other[at] ?? 0;
    dot += a * b;
    squares += a * a;
    otherSquares += b * b;
  }
  return squares > 0 && otherSquares > 0 ? dot / Math.sqrt(squares * otherSquares) : 0;
}

const SEARCH_MS = 15_000;

export type RowScores = ReadonlyMap<bigint, number>;

/** Reads only row numbers and one score, since each further column costs about as much as the search. */
export async function readRowScores(query: Query | VectorQuery, column: '_score' | '_distance'): Promise<RowScores> {
  const asked = query.select([column]).withRowId();
  const found = await withRetries(() => asked.toArrow({ timeoutMs: SEARCH_MS }));
  const rows: BigUint64Array | undefined = found.getChild('_rowid')?.toArray();
  const scores: Float32Array | undefined = found.getChild(column)?.toArray();
  return new Map(Array.from(rows ?? [], (row, at) => [row, scores?.[at] ?? 0]));
}
