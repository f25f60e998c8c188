import type { Connection, Table } from '@lancedb/lancedb';
import { ABANDONED_AFTER_MS } from '../chunks/replace-entry.ts';
import { loadLanceDB } from '../store/load-lancedb.ts';
import { literal } from '../store/sql.ts';
import { CHUNKS } from '../store/table-names.ts';
import { withRetries } from '../store/with-retries.ts';
import { countDeleted, purgeDeleted } from './purge-deleted.ts';

/** Older versions may be removed, since no search or scan still reads them. */
export const KEEP_VERSIONS_MS = 600_000;

/** Compacting and indexing a large table takes long. Callers have their own limit. */
const STEP_MS = 7_200_000;

/** Vectors per graph. Larger graphs take too much memory to build. */
const ROWS_PER_GRAPH = 250_000;

/**
 * Build quality of the graph. Half the engine's default takes half the time, and finds as much with this many
 * candidates.
 */
const EF_CONSTRUCTION = 150;

export interface MaintenanceLimits {
  /** With fewer vectors, comparing all is fast enough, and exact. */
  vectorIndexRows: number;
  keepVersionsMs: number;
  /** Files with deleted rows are rewritten at once in tables up to this size, in larger ones when `purge` is set. */
  purgedAtOnceRows: number;
}

export const LIMITS: MaintenanceLimits = {
  vectorIndexRows: 50_000,
  keepVersionsMs: KEEP_VERSIONS_MS,
  purgedAtOnceRows: 5_000,
};

export interface MaintainedTable {
  deletedRows: number;
  purged: boolean;
  /** Time for building a vector index that did not exist, which does not recur. */
  buildMs: number;
}

/**
 * Maintains a table: abandoned rows, small files, unindexed rows, old versions, deleted rows, and the vector
 * index. Interrupted steps are repeated next time.
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
  const began = performance.now();
  const isBuilt = ofChunks && (await indexVectors(table, limits));
  const buildMs = isBuilt ? Math.round(performance.now() - began) : 0;
  return { deletedRows: purged ? 0 : deleted, purged, buildMs };
}

async function optimize(table: Table, { keepVersionsMs }: MaintenanceLimits): Promise<void> {
  const cleanupOlderThan = new Date(Date.now() - keepVersionsMs);
  await withRetries(() => table.optimize({ cleanupOlderThan }), STEP_MS);
}

async function removeAbandoned(table: Table): Promise<void> {
  const before = literal(String(Date.now() - ABANDONED_AFTER_MS).padStart(13, '0'));
  const abandoned = `live = false AND batch < ${before}`;
  // A deletion creates a version even if it removes nothing.
  if ((await withRetries(() => table.countRows(abandoned))) === 0) return;
  await withRetries(() => table.delete(abandoned));
}

/** Builds the vector index of a table that needs one. Later rows are added by `optimize`. */
async function indexVectors(table: Table, { vectorIndexRows }: MaintenanceLimits): Promise<boolean> {
  const indices = await withRetries(() => table.listIndices());
  if (indices.some(({ columns }) => columns.includes('vector'))) return false;
  const rows = await withRetries(() => table.countRows('vector IS NOT NULL'));
  if (rows < vectorIndexRows) return false;
  const { Index } = await loadLanceDB();
  const numPartitions = Math.ceil(rows / ROWS_PER_GRAPH);
  const config = Index.hnswSq({ distanceType: 'cosine', numPartitions, efConstruction: EF_CONSTRUCTION });
  await withRetries(() => table.createIndex('vector', { config }), STEP_MS);
  return true;
}
