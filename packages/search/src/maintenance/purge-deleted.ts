import type { Table } from '@lancedb/lancedb';
import { withRetries } from '../store/with-retries.ts';

/** A row number has the file in its upper half, and the position in the file in the lower half. */
const FILE = 1n << 32n;

/** Counts deleted rows that are still in files, since the engine only rewrites files in which a tenth is deleted. */
export async function countDeleted(table: Table): Promise<number> {
  const { numRows, fragmentStats } = await withRetries(() => table.stats());
  const { numFragments, lengths } = fragmentStats;
  return Math.max(0, Math.round(lengths.mean * numFragments) - numRows);
}

/**
 * Rewrites files with deleted rows without affecting searches. Old versions keep the rows until they are
 * removed.
 *
 * @param deleted number of deleted rows
 */
export async function purgeDeleted(table: Table, deleted: number, column: string, stepMs: number): Promise<void> {
  const files = await filesWithGaps(table, stepMs);
  // Rows deleted at the end of a file leave no gap.
  const places = files.gaps < deleted ? files.all : files.withGaps;
  for (const file of places) {
    const where = `_rowid >= ${file * FILE} AND _rowid < ${(file + 1n) * FILE}`;
    await withRetries(() => table.update({ valuesSql: { [column]: column }, where }), stepMs);
  }
}

async function filesWithGaps(table: Table, stepMs: number) {
  const found = await withRetries(() => table.query().select([]).withRowId().toArrow(), stepMs);
  const ids: BigUint64Array | undefined = found.getChild('_rowid')?.toArray();
  const counts = new Map<bigint, { rows: bigint; last: bigint }>();
  for (const id of ids ?? []) {
    const place = id % FILE;
    const { rows, last } = counts.get(id / FILE) ?? { rows: 0n, last: 0n };
    counts.set(id / FILE, { rows: rows + 1n, last: place > last ? place : last });
  }
  const withGaps: bigint[] = [];
  let gaps = 0;
  for (const [file, { rows, last }] of counts) {
    if (rows === last + 1n) continue;
    withGaps.push(file);
    gaps += Number(last + 1n - rows);
  }
  return { all: [...counts.keys()], withGaps, gaps };
}
