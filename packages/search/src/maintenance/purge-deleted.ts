import type { Table } from '@lancedb/lancedb';
import { withRetries } from '../store/with-retries.ts';

/** A row's number: its file's in the upper half, its place in the file in the lower. */
const FILE = 1n << 32n;

/**
 * Rewrites the files that hold rows which were deleted: the engine itself does so from a tenth of a file on, and what is below stays on the disk for
 * ever, unseen by every search. Old versions hold them until they go.
 *
 * @returns whether there were any
 */
export async function purgeDeleted(table: Table, column: string, stepMs: number): Promise<boolean> {
  const { numRows, fragmentStats } = await withRetries(() => table.stats());
  const { numFragments, lengths } = fragmentStats;
  const deleted = Math.round(lengths.mean * numFragments) - numRows;
  if (deleted <= 0) return false;
  const files = await filesWithGaps(table, stepMs);
  // Where the last of a file were deleted no gap is seen.
  const places = files.gaps < deleted ? files.all : files.withGaps;
  for (const file of places) {
    const where = `_rowid >= ${file * FILE} AND _rowid < ${(file + 1n) * FILE}`;
    await withRetries(() => table.update({ valuesSql: { [column]: column }, where }), stepMs);
  }
  return true;
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
