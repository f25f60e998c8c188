import { existsSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { ChorusError } from '@chorus/contract/errors';
import type { Connection } from '@lancedb/lancedb';
import { isInBucket, type SearchConfig } from '../store/connect-index.ts';
import { tableNames } from '../store/table-names.ts';
import { runMaintenance } from './run-maintenance.ts';

/** How long searches in progress may read the previous version. */
const SEARCHES_END_MS = 5_000;

/**
 * Rewrites every file with deleted rows and removes all versions that contain them, without waiting for
 * maintenance.
 *
 * @throws {ChorusError} store_unavailable if a table cannot be purged
 */
export async function purgeIndex(config: SearchConfig, connection: () => Promise<Connection>): Promise<void> {
  if (!isInBucket(config.location) && !existsSync(config.location)) return;
  const tables = (await tableNames(await connection())).map((name) => ({ name, purge: true }));
  if (tables.length === 0) return;
  const run = async (keepVersionsMs: number) => {
    const reports = await runMaintenance(config, tables, new AbortController().signal, keepVersionsMs);
    const failed = reports.find((report) => 'error' in report);
    if (failed === undefined) return;
    const cause = new Error(`${failed.table}: ${'error' in failed ? failed.error : ''}`);
    throw new ChorusError('store_unavailable', 'The search index could not be purged.', { retryAfterS: 10, cause });
  };
  await run(SEARCHES_END_MS);
  await pause(SEARCHES_END_MS);
  await run(0);
}
