import { existsSync } from 'node:fs';
import type { Logger } from '@chorus/log';
import type { Connection } from '@lancedb/lancedb';
import type { MaintenanceReport } from '../search.ts';
import { isInBucket, type SearchConfig } from '../store/connect-index.ts';
import { tableNames } from '../store/table-names.ts';
import { isDue, type TableState } from './is-due.ts';
import { runMaintenance, type TableTask } from './run-maintenance.ts';

/** How often large tables are freed from what was deleted in them: that rewrites much, and indexes it anew. In milliseconds. */
const PURGE_EVERY_MS = 86_400_000;

/** Looks which tables need work, has it done, and remembers how it went. */
export function createMaintenance(config: SearchConfig, connection: () => Promise<Connection>, log: Logger) {
  const states = new Map<string, TableState>();
  let purgedAt = Date.now();

  return async ({ signal }: { signal: AbortSignal }): Promise<MaintenanceReport> => {
    // Nothing was ever searched here: then the engine is not even loaded.
    if (!isInBucket(config.location) && !existsSync(config.location)) return { tables: [] };
    const open = await connection();
    const purge = Date.now() - purgedAt > PURGE_EVERY_MS;
    if (purge) purgedAt = Date.now();
    const due: TableTask[] = [];
    for (const name of await tableNames(open)) {
      if (purge || (await isDue(open, name, states.get(name)))) due.push({ name, purge });
    }
    if (due.length === 0 || signal.aborted) return { tables: [] };
    for (const report of await runMaintenance(config, due, signal)) {
      if ('error' in report) {
        if (!signal.aborted) log.warn(report, 'a table of the index was not maintained; the next round tries again');
        states.set(report.table, { version: 0, at: Date.now(), tookMs: 0, pruned: false });
        continue;
      }
      const { table, version, tookMs } = report;
      const pruned = states.get(table)?.version === version;
      states.set(table, { version, at: Date.now(), tookMs, pruned });
      log.debug(report, 'maintained a table of the index');
    }
    return { tables: due.map(({ name }) => name) };
  };
}
