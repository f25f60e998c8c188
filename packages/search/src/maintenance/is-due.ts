import type { Connection } from '@lancedb/lancedb';
import { withRetries } from '../store/with-retries.ts';
import { KEEP_VERSIONS_MS } from './maintain-table.ts';

/** Files that a search must open one by one, and rows that it must read since no index knows them. */
const MAX_SMALL_FILES = 24;
const MAX_UNINDEXED_ROWS = 2_000;

/** How many times as long as the last work took a table is left alone then: that grows with its size. */
const PAUSES = 10;

/**
 * Freeing a large table from what was deleted in it rewrites much, and indexes that anew: it is left alone then so many times as long as that took, and for so
 * many milliseconds at least.
 */
const PURGE_PAUSES = 50;
const LEAST_PURGE_PAUSE_MS = 300_000;

/** What was written is brought in after so long even if it is little, in milliseconds. */
const SETTLED_AFTER_MS = 120_000;

/** What is known of a table since it was last worked on. */
export interface TableState {
  version: number;
  /** In milliseconds since the epoch. */
  at: number;
  /** How long it took, in milliseconds. */
  tookMs: number;
  /** Whether no old version was left that was too young to go. */
  pruned: boolean;
  /** Rows that were deleted and still lie in its files. */
  deletedRows: number;
  /** When it was freed from those, and how long that took, in milliseconds; null: not since this process looks after it. */
  purge: { at: number; tookMs: number } | null;
}

/** Whether a table may be freed from what was deleted in it, however large it is. */
export function mayPurge({ purge }: TableState): boolean {
  return purge === null || Date.now() - purge.at > Math.max(LEAST_PURGE_PAUSE_MS, PURGE_PAUSES * purge.tookMs);
}

/** Whether a table needs work; looks at it, and changes nothing. */
export async function isDue(connection: Connection, name: string, state: TableState | undefined): Promise<boolean> {
  const table = await withRetries(() => connection.openTable(name));
  const version = await withRetries(() => table.version());
  if (state === undefined) return true;
  const passed = Date.now() - state.at;
  if (state.deletedRows > 0 && mayPurge(state)) return true;
  if (version === state.version) return !state.pruned && passed > KEEP_VERSIONS_MS;
  if (passed < PAUSES * state.tookMs) return false;
  if (passed > SETTLED_AFTER_MS) return true;
  const { fragmentStats } = await withRetries(() => table.stats());
  if (fragmentStats.numSmallFragments > MAX_SMALL_FILES) return true;
  const indices = await withRetries(() => table.listIndices());
  const unindexed = Math.max(0, ...indices.map(({ numUnindexedRows }) => numUnindexedRows ?? 0));
  return unindexed > MAX_UNINDEXED_ROWS;
}
