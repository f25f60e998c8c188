import type { Query, Table, VectorQuery } from '@lancedb/lancedb';
import type { ScopeVectors } from '../cache/scope-vectors.ts';
import type { SearchCache } from '../cache/search-cache.ts';
import { readRows } from '../cache/vector-cache.ts';
import { withRetries } from '../store/with-retries.ts';

/**
 * Up to this many numbers, comparing every vector is faster than the approximate index, and exact: for one
 * scope among many, the index goes through rows of all. That is 2,000 chunks of 512 dimensions.
 */
const MAX_EXACT_NUMBERS = 1_000_000;

/** Counts may be a minute old; scopes that grew beyond this factor use the index. */
const MAX_GROWTH = 2;

const READ_MS = 15_000;

interface VectorSearch {
  scopeKey: string;
  vector: Float32Array;
  where: string;
  isFiltered: boolean;
  limit: number;
}

interface Nearest {
  rows: readonly bigint[];
  similarities(rows: readonly bigint[]): Promise<RowScores>;
}

export async function findByVector(
  table: Table,
  { scopeKey, vector, where, isFiltered, limit }: VectorSearch,
  cache: Pick<SearchCache, 'sizes' | 'vectors'>,
): Promise<Nearest> {
  const held = await vectorsInMemory(table, scopeKey, vector.length, cache);
  if (held !== null) {
    const among = isFiltered ? await readRows(table.query().where(where)) : undefined;
    const { rows, similarities } = held.nearest(vector, limit, among);
    return { rows, similarities: async (rows) => similarities(rows) };
  }
  // Candidates exceed hits several times, so small errors in the index's order do not matter.
  const query = table.query().nearestTo(vector).distanceType('cosine').where(where).limit(limit);
  const found = await readRowScores(query, '_distance');
  return { rows: [...found.keys()], similarities: (rows) => readSimilarities(table, rows, vector) };
}

/** Returns all vectors of a scope from memory; null if there are too many. */
export async function vectorsInMemory(
  table: Table,
  scopeKey: string,
  dimensions: number,
  { sizes, vectors }: Pick<SearchCache, 'sizes' | 'vectors'>,
): Promise<ScopeVectors | null> {
  const most = Math.floor(MAX_EXACT_NUMBERS / dimensions);
  return (await sizes.rowsOf(table, scopeKey)) > most ? null : vectors.get(table, scopeKey, most * MAX_GROWTH);
}

async function readSimilarities(
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

/** Reads row numbers and one score only: each further column costs about as much as the search. */
export async function readRowScores(query: Query | VectorQuery, column: '_score' | '_distance'): Promise<RowScores> {
  const asked = query.select([column]).withRowId();
  const found = await withRetries(() => asked.toArrow({ timeoutMs: SEARCH_MS }));
  const rows: BigUint64Array | undefined = found.getChild('_rowid')?.toArray();
  const scores: Float32Array | undefined = found.getChild(column)?.toArray();
  return new Map(Array.from(rows ?? [], (row, at) => [row, scores?.[at] ?? 0]));
}
