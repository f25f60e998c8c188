import type { Query, VectorQuery } from '@lancedb/lancedb';
import { withRetries } from '../store/with-retries.ts';

/** How long the engine may take to find rows, in milliseconds. */
const SEARCH_MS = 15_000;

/** A number for each row that was found, in the order in which they were. */
export type RowScores = ReadonlyMap<bigint, number>;

/** Asks for rows and for nothing of them but one number: each column that is read costs about as much as finding them. */
export async function readRowScores(query: Query | VectorQuery, column: '_score' | '_distance'): Promise<RowScores> {
  const asked = query.select([column]).withRowId();
  const found = await withRetries(() => asked.toArrow({ timeoutMs: SEARCH_MS }));
  const rows: BigUint64Array | undefined = found.getChild('_rowid')?.toArray();
  const scores: Float32Array | undefined = found.getChild(column)?.toArray();
  return new Map(Array.from(rows ?? [], (row, at) => [row, scores?.[at] ?? 0]));
}
