import type { Table } from '@lancedb/lancedb';
import type { ScopeVectors } from '../memory/scope-vectors.ts';
import type { SearchMemory } from '../memory/search-memory.ts';
import { readRows } from '../memory/vector-memory.ts';
import { withRetries } from '../store/with-retries.ts';
import { type RowScores, readRowScores } from './row-scores.ts';

/**
 * A look at each vector is quicker than the approximate index, and exact, where they are no more numbers than this: for a scope among many the index goes through the
 * rows of all. Of 512 dimensions that is 2,000 chunks.
 */
const LOOKED_AT = 1_000_000;

/** What was counted may be a minute old; a scope that has grown by more than this since then is searched by the index. */
const GROWTH = 2;

/** How long reading vectors may take, in milliseconds. */
const READ_MS = 15_000;

interface VectorSearch {
  scopeKey: string;
  vector: Float32Array;
  /** The engine's own condition. */
  where: string;
  /** Whether the condition asks for more than the scope. */
  isFiltered: boolean;
  /** How many neighbours are wanted. */
  limit: number;
}

interface Nearest {
  /** The nearest first. */
  rows: readonly bigint[];
  /** The cosine of any row of the scope; of rows without a vector none. */
  similarities(rows: readonly bigint[]): Promise<RowScores>;
}

/** The rows whose vectors are nearest, among those that fit a condition. */
export async function findByVector(
  table: Table,
  { scopeKey, vector, where, isFiltered, limit }: VectorSearch,
  memory: Pick<SearchMemory, 'sizes' | 'vectors'>,
): Promise<Nearest> {
  const held = await fewVectorsOf(table, scopeKey, vector.length, memory);
  if (held !== null) {
    const among = isFiltered ? await readRows(table.query().where(where)) : undefined;
    const { rows, similarities } = held.nearest(vector, limit, among);
    return { rows, similarities: async (rows) => similarities(rows) };
  }
  // There are several candidates for each hit, so that the index may be wrong about their order.
  const query = table.query().nearestTo(vector).distanceType('cosine').where(where).limit(limit);
  const found = await readRowScores(query, '_distance');
  return { rows: [...found.keys()], similarities: (rows) => readSimilarities(table, rows, vector) };
}

/** All vectors of a scope, in memory; null: they are too many. */
export async function fewVectorsOf(
  table: Table,
  scopeKey: string,
  dimensions: number,
  { sizes, vectors }: Pick<SearchMemory, 'sizes' | 'vectors'>,
): Promise<ScopeVectors | null> {
  const most = Math.floor(LOOKED_AT / dimensions);
  return (await sizes.rowsOf(table, scopeKey)) > most ? null : vectors.of(table, scopeKey, most * GROWTH);
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
