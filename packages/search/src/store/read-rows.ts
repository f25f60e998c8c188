import type { Query } from '@lancedb/lancedb';
import { withRetries } from './with-retries.ts';

const READ_MS = 15_000;

/** Returns the row numbers that a query finds. */
export async function readRows(query: Query): Promise<bigint[]> {
  const found = await withRetries(() => query.select([]).withRowId().toArrow({ timeoutMs: READ_MS }));
  const rows: BigUint64Array | undefined = found.getChild('_rowid')?.toArray();
  return Array.from(rows ?? []);
}
