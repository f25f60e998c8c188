import type { Connection, Table } from '@lancedb/lancedb';
import { ABANDONED_AFTER_MS } from '../chunks/replace-entry.ts';
import { loadLanceDB } from '../store/load-lancedb.ts';
import { literal } from '../store/sql.ts';
import { CHUNKS } from '../store/table-names.ts';
import { withRetries } from '../store/with-retries.ts';

/** With fewer vectors a look at each is quick enough, and exact. */
export const VECTOR_INDEX_ROWS = 50_000;

/** One graph for so many vectors: a larger one takes too much memory to build. */
const ROWS_OF_A_GRAPH = 250_000;

/** Versions that are older may go: no search and no scan is still reading them. In milliseconds. */
export const KEEP_VERSIONS_MS = 600_000;

/** Joining and indexing a large table takes long; who waits has a limit of its own. In milliseconds. */
const STEP_MS = 7_200_000;

/** Whatever is to be done to a table: abandoned rows, small files, rows that no index knows, old versions, the index of its vectors. */
export async function maintainTable(connection: Connection, name: string): Promise<void> {
  const table = await withRetries(() => connection.openTable(name));
  if (name.startsWith(CHUNKS)) await removeAbandoned(table);
  const cleanupOlderThan = new Date(Date.now() - KEEP_VERSIONS_MS);
  await withRetries(() => table.optimize({ cleanupOlderThan }), STEP_MS);
  if (name.startsWith(CHUNKS)) await indexVectors(table);
}

/** What a replacement left whose process died. */
async function removeAbandoned(table: Table): Promise<void> {
  const before = literal(String(Date.now() - ABANDONED_AFTER_MS).padStart(13, '0'));
  const abandoned = `live = false AND batch < ${before}`;
  // A deletion makes a version even where it finds nothing.
  if ((await withRetries(() => table.countRows(abandoned))) === 0) return;
  await withRetries(() => table.delete(abandoned));
}

async function indexVectors(table: Table): Promise<void> {
  const indices = await withRetries(() => table.listIndices());
  if (indices.some(({ columns }) => columns.includes('vector'))) return;
  const rows = await withRetries(() => table.countRows('vector IS NOT NULL'));
  if (rows < VECTOR_INDEX_ROWS) return;
  const { Index } = await loadLanceDB();
  const config = Index.hnswSq({ distanceType: 'cosine', numPartitions: Math.ceil(rows / ROWS_OF_A_GRAPH) });
  await withRetries(() => table.createIndex('vector', { config }), STEP_MS);
}
