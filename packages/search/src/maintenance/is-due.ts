import type { Connection } from '@lancedb/lancedb';
import { withRetries } from '../store/with-retries.ts';
import { KEEP_VERSIONS_MS } from './maintain-table.ts';

/** Thresholds of small files, which each search opens, and of unindexed rows, which a search must read. */
const MAX_SMALL_FILES = 24;
const MAX_UNINDEXED_ROWS = 2_000;

/** Rest after maintenance, as a multiple of its duration without a first vector index, which grows with the table. */
const REST_FACTOR = 10;

/**
 * Rest after a purge, as a multiple of its duration and at least this long, since it rewrites much of a large table
 * and its indexes.
 */
const PURGE_REST_FACTOR = 50;
const MIN_PURGE_REST_MS = 300_000;

/** After this time, even small changes are indexed. */
const SETTLED_AFTER_MS = 120_000;

export interface TableState {
  version: number;
  at: number;
  tookMs: number;
  /** Whether all old versions were removed, none being too recent. */
  pruned: boolean;
  deletedRows: number;
  purge: { at: number; tookMs: number } | null;
}

export function mayPurge({ purge }: TableState): boolean {
  return purge === null || Date.now() - purge.at > Math.max(MIN_PURGE_REST_MS, PURGE_REST_FACTOR * purge.tookMs);
}

export async function isDue(connection: Connection, name: string, state: TableState | undefined): Promise<boolean> {
  const table = await withRetries(() => connection.openTable(name));
  const version = await withRetries(() => table.version());
  if (state === undefined) return true;
  const passed = Date.now() - state.at;
  if (state.deletedRows > 0 && mayPurge(state)) return true;
  if (version === state.version) return !state.pruned && passed > KEEP_VERSIONS_MS;
  if (passed < REST_FACTOR * state.tookMs) return false;
  if (passed > SETTLED_AFTER_MS) return true;
  const { fragmentStats } = await withRetries(() => table.stats());
  if (fragmentStats.numSmallFragments > MAX_SMALL_FILES) return true;
  const indices = await withRetries(() => table.listIndices());
  const unindexed = Math.max(0, ...indices.map(({ numUnindexedRows }) => numUnindexedRows ?? 0));
  return unindexed > MAX_UNINDEXED_ROWS;
}
