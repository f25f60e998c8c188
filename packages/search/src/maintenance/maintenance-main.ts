import { once } from 'node:events';
import { getPriority, setPriority } from 'node:os';
import { createInterface } from 'node:readline';
import { z } from 'zod';
import { connectIndex } from '../store/connect-index.ts';
import { withRetries } from '../store/with-retries.ts';
import { LIMITS, maintainTable } from './maintain-table.ts';

/**
 * Maintains tables in a separate process, which frees its memory at exit and can be killed at any time. Reads
 * the location and tables from standard input and prints a line per finished table. Exits with its parent,
 * because another process repeats unfinished work.
 */
const task = z.object({
  location: z.string(),
  storageOptions: z.record(z.string(), z.string()).optional(),
  tables: z.array(z.object({ name: z.string(), purge: z.boolean() })),
  keepVersionsMs: z.number().optional(),
});

/** Searches take precedence. */
const NICE = 10;
setPriority(Math.max(NICE, getPriority()));

const input = createInterface({ input: process.stdin });
input.once('close', () => process.exit(1));
const [asked] = await once(input, 'line');
const { location, storageOptions, tables, keepVersionsMs = LIMITS.keepVersionsMs } = task.parse(JSON.parse(asked));
const { latest: connection } = await connectIndex({ location, storageOptions });
for (const { name, purge } of tables) {
  const began = performance.now();
  try {
    const { buildMs, ...done } = await maintainTable(connection, name, { purge }, { ...LIMITS, keepVersionsMs });
    const table = await withRetries(() => connection.openTable(name));
    const version = await withRetries(() => table.version());
    send({ table: name, version, tookMs: Math.round(performance.now() - began) - buildMs, ...done });
  } catch (error) {
    const { message, cause } = error as Error;
    send({ table: name, error: cause instanceof Error ? cause.message : message });
  }
}
process.exit(0);

function send(line: Record<string, unknown>): void {
  process.stdout.write(`${JSON.stringify(line)}\n`);
}
