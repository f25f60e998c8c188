import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';
import type { SearchConfig } from '../store/connect-index.ts';

const PROGRAM = fileURLToPath(new URL('maintenance-main.ts', import.meta.url));

const RUN_MS = 3_600_000;

/**
 * Environment variables for the child: programs, home, compile cache, and network. Credentials go through
 * standard input.
 */
const ENVIRONMENT = /^(PATH|HOME|NODE_COMPILE_CACHE|TMPDIR|LANG|LANCE_\w+|SSL_CERT_\w+|\w+_proxy|\w+_PROXY)$/;

const line = z.union([
  z.object({
    table: z.string(),
    version: z.number(),
    tookMs: z.number(),
    deletedRows: z.number(),
    purged: z.boolean(),
  }),
  z.object({ table: z.string(), error: z.string() }),
]);
export type TableReport = z.infer<typeof line>;

export interface TableTask {
  name: string;
  purge: boolean;
}

/** Maintains tables in a child process until it exits, `signal` aborts, or the time limit ends. */
export async function runMaintenance(
  { location, storageOptions }: SearchConfig,
  tables: readonly TableTask[],
  signal: AbortSignal,
  keepVersionsMs?: number,
): Promise<TableReport[]> {
  const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => ENVIRONMENT.test(name)));
  const child = spawn(process.execPath, [PROGRAM], {
    env,
    stdio: ['pipe', 'pipe', 'ignore'],
    // The engine survives a kill at any point, and ignores milder signals while it builds.
    signal: AbortSignal.any([signal, AbortSignal.timeout(RUN_MS)]),
    killSignal: 'SIGKILL',
  });
  child.on('error', () => undefined);
  child.stdin.on('error', () => undefined);
  // Stays open: if this process is killed, the child sees the end and exits, too.
  child.stdin.write(`${JSON.stringify({ location, storageOptions, tables, keepVersionsMs })}\n`);
  const reports: TableReport[] = [];
  const lines = createInterface({ input: child.stdout });
  lines.on('line', (text) => reports.push(line.parse(JSON.parse(text))));
  const [code, ended] = await once(child, 'close');
  const reported = new Set(reports.map(({ table }) => table));
  const error = signal.aborted ? 'was stopped' : `ended with ${ended ?? code}`;
  return [...reports, ...tables.filter(({ name }) => !reported.has(name)).map(({ name }) => ({ table: name, error }))];
}
