import { existsSync } from 'node:fs';
import type { Logger } from '@chorus/runtime/log';
import type { Connection } from '@lancedb/lancedb';
import type { MaintenanceReport } from '../search.ts';
import { isInBucket, type SearchConfig } from '../store/connect-index.ts';
import { tableNames } from '../store/table-names.ts';
import { isDue, mayPurge, type TableState } from './is-due.ts';
import { runMaintenance, type TableTask } from './run-maintenance.ts';

export function createMaintenance(config: SearchConfig, connection: () => Promise<Connection>, log: Logger) {
  const states = new Map<string, TableState>();

  return async ({ signal }: { signal: AbortSignal }): Promise<MaintenanceReport> => {
    // Without an index, the engine is not even loaded.
    if (!isInBucket(config.location) && !existsSync(config.location)) return { tables: [] };
    const open = await connection();
    const due: TableTask[] = [];
    for (const name of await tableNames(open)) {
      const state = states.get(name);
      // Only purges after the first run, because the process has just started and the table may be large.
      if (await isDue(open, name, state)) due.push({ name, purge: state !== undefined && mayPurge(state) });
    }
    if (due.length === 0 || signal.aborted) return { tables: [] };
    const began = Date.now();
    for (const report of await runMaintenance(config, due, signal)) {
      const before = states.get(report.table);
      const at = Date.now();
      if ('error' in report) {
        if (!signal.aborted) log.warn(report, 'could not maintain a table of the index; the next round tries again');
        const tried = { at, tookMs: at - began };
        states.set(report.table, { version: 0, at, tookMs: 0, pruned: false, deletedRows: 0, purge: tried });
        continue;
      }
      const { table, version, tookMs, deletedRows, purged } = report;
      const pruned = before?.version === version;
      states.set(table, {
        version,
        at,
        tookMs,
        pruned,
        deletedRows,
        purge: purged ? { at, tookMs } : (before?.purge ?? null),
      });
      log.debug(report, 'maintained a table of the index');
    }
    return { tables: due.map(({ name }) => name) };
  };
}
