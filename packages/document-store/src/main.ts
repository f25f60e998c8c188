import { parseArgs } from 'node:util';
import { backUp, restore } from './backup.ts';
import { DataDirectoryError } from './errors.ts';
import { startDocumentStore } from './server.ts';
import { checkIntegrity, type IntegrityReport } from './storage/integrity.ts';
import { Store, type StoreOptions } from './store.ts';

const USAGE = `usage: main.ts --path <directory> and one of
  (--socket <path> | --port <number>) [--database <name>] [--ttl-interval-ms <number>]   start the server
  --backup <file>        copy the data to a new file, also while the server runs on a socket
  --restore <file>       replace the data with a backup
  --check                verify all documents and indexes
  --accept-lost-writes   open the store once although acknowledged writes are lost`;

async function run(): Promise<number | undefined> {
  const { values } = parseArgs({
    options: {
      path: { type: 'string' },
      socket: { type: 'string' },
      port: { type: 'string' },
      database: { type: 'string' },
      'ttl-interval-ms': { type: 'string' },
      check: { type: 'boolean' },
      'accept-lost-writes': { type: 'boolean' },
      backup: { type: 'string' },
      restore: { type: 'string' },
    },
  });
  const { path, socket, port, database, 'ttl-interval-ms': ttlInterval } = values;
  if (!path) throw new DataDirectoryError(`--path is missing; ${USAGE}`);
  if (values.check) return check(path);
  if (values['accept-lost-writes']) return acceptLostWrites(path);
  if (values.backup) {
    process.stdout.write(`Backed up to ${values.backup}: ${formatCounts(await backUp(path, values.backup))}.\n`);
    return 0;
  }
  if (values.restore) {
    const { aside, ...report } = restore(path, values.restore);
    process.stdout.write(`Restored ${values.restore}: ${formatCounts(report)}.\n`);
    if (aside) process.stdout.write(`The previous data is kept in ${aside}.\n`);
    return 0;
  }
  if (socket && port) throw new DataDirectoryError(`use either --socket or --port; ${USAGE}`);
  const store = await startDocumentStore({
    path,
    report,
    ...(socket && { socket }),
    ...(port && { port: parseWholeNumber('--port', port) }),
    ...(database && { database }),
    ...(ttlInterval && { ttlIntervalMs: parseWholeNumber('--ttl-interval-ms', ttlInterval) }),
  });
  const stop = () => store.close().then(() => process.exit(0));
  process.once('SIGTERM', stop);
  process.once('SIGINT', stop);
  process.stdout.write(`${JSON.stringify({ ready: true, uri: store.uri })}\n`);
  return undefined;
}

function acceptLostWrites(path: string): number {
  let isLost = false;
  const acceptLoss = (message: string) => {
    isLost = true;
    process.stdout.write(`Accepted: ${message}\n`);
  };
  const code = check(path, { acceptLoss });
  if (!isLost) process.stdout.write('No acknowledged write was missing.\n');
  if (code !== 0) process.stderr.write('The remaining data is damaged. Restore a backup.\n');
  return code;
}

function check(path: string, options: StoreOptions = {}): number {
  const store = new Store(path, options);
  const report = checkIntegrity(store.engine, store.catalog);
  store.close();
  for (const problem of report.problems) process.stderr.write(`${problem}\n`);
  const isWhole = report.problems.length === 0;
  process.stdout.write(`${isWhole ? 'No damage found' : 'Damaged'}: ${formatCounts(report)}.\n`);
  return isWhole ? 0 : 1;
}

function formatCounts({ collections, documents, entries }: IntegrityReport): string {
  const [one, two, three] = [collections, documents, entries].map((count) => count.toLocaleString('en'));
  return `${one} collections, ${two} documents, ${three} index entries, all verified`;
}

function report(error: unknown): void {
  const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
  process.stderr.write(
    `${JSON.stringify({ level: 'error', message: 'a command failed unexpectedly', error: text })}\n`,
  );
}

function parseWholeNumber(name: string, text: string): number {
  if (!/^\d{1,9}$/.test(text)) throw new DataDirectoryError(`${name} must be a whole number; ${USAGE}`);
  return Number(text);
}

// Only the owner may read the files.
process.umask(0o077);
try {
  const code = await run();
  if (code !== undefined) process.exit(code);
} catch (error) {
  process.stderr.write(`document store: ${error instanceof Error ? error.message : String(error)}\n`);
  process.exit(1);
}
