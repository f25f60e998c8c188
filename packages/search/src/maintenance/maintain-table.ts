import type { Connection, Table } from '@lancedb/lancedb';
import { ABANDONED_AFTER_MS } from '../chunks/replace-entry.ts';
import { loadLanceDB } from '../store/load-lancedb.ts';
import { literal } from '../store/sql.ts';
import { CHUNKS } from '../store/table-names.ts';
import { withRetries } from '../store/with-retries.ts';
import { countDeleted, purgeDeleted } from './purge-deleted.ts';

/** Versions that are older may go: no search and no scan is still reading them. In milliseconds. */
export const KEEP_VERSIONS_MS = 600_000;

/** Joining and indexing a large table takes long; who waits has a limit of its own. In milliseconds. */
const STEP_MS = 7_200_000;

/** One graph for so many vectors: a larger one takes too much memory to build. */
const ROWS_OF_A_GRAPH = 250_000;

/** How carefully a graph is built: half of the engine's default takes half of the time, and finds as much among so many candidates. */
const EF_CONSTRUCTION = 150;

export interface MaintenanceLimits {
  /** With fewer vectors a look at each is quick enough, and exact. */
  vectorIndexRows: number;
  keepVersionsMs: number;
  /** Files that hold deleted rows are rewritten at once in tables up to this size, in larger ones when `purge` asks for it. */
  purgedAtOnceRows: number;
}

export const LIMITS: MaintenanceLimits = {
  vectorIndexRows: 50_000,
  keepVersionsMs: KEEP_VERSIONS_MS,
  purgedAtOnceRows: 5_000,
};

export interface MaintainedTable {
  /** Rows that were deleted and still lie in files. */
  deletedRows: number;
  /** Whether files were rewritten for that. */
  purged: boolean;
}

/**
 * Whatever is to be done to a table: rows that were abandoned, small files, rows that no index knows, old versions, what deleted rows left in files, the index of its
 * vectors. Each step may be cut off, and is found again by the next time.
 */
export async function maintainTable(
  connection: Connection,
  name: string,
  { purge }: { purge: boolean },
  limits = LIMITS,
): Promise<MaintainedTable> {
  const table = await withRetries(() => connection.openTable(name));
  const ofChunks = name.startsWith(CHUNKS);
  if (ofChunks) await removeAbandoned(table);
  await optimize(table, limits);
  const deleted = await countDeleted(table);
  const purged = deleted > 0 && (purge || (await withRetries(() => table.countRows())) <= limits.purgedAtOnceRows);
  if (purged) {
    await purgeDeleted(table, deleted, ofChunks ? 'live' : 'facts', STEP_MS);
    await optimize(table, limits);
  }
  if (ofChunks) await indexVectors(table, limits);
  return { deletedRows: purged ? 0 : deleted, purged };
}

async function optimize(table: Table, { keepVersionsMs }: MaintenanceLimits): Promise<void> {
  const cleanupOlderThan = new Date(Date.now() - keepVersionsMs);
  await withRetries(() => table.optimize({ cleanupOlderThan }), STEP_MS);
}

/** What a replacement left whose process died. */
async function removeAbandoned(table: Table): Promise<void> {
  const before = literal(String(Date.now() - ABANDONED_AFTER_MS).padStart(13, '0'));
  const abandoned = `live = false AND batch < ${before}`;
  // A deletion makes a version even where it finds nothing.
  if ((await withRetries(() => table.countRows(abandoned))) === 0) return;
  await withRetries(() => table.delete(abandoned));
}

async function indexVectors(table: Table, { vectorIndexRows }: MaintenanceLimits): Promise<void> {
  const indices = await withRetries(() => table.listIndices());
  if (indices.some(({ columns }) => columns.includes('vector'))) return;
  const rows = await withRetries(() => table.countRows('vector IS NOT NULL'));
  if (rows < vectorIndexRows) return;
  const { Index } = await loadLanceDB();
  const numPartitions = Math.ceil(rows / ROWS_OF_A_GRAPH);
  const config = Index.hnswSq({ distanceType: 'cosine', numPartitions, efConstruction: EF_CONSTRUCTION });
  await withRetries(() => table.createIndex('vector', { config }), STEP_MS);
}
