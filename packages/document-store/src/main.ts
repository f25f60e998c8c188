import { parseArgs } from 'node:util';
import { backUp, restore } from './backup.ts';
import { startDocumentStore } from './server.ts';
import { DataDirectoryError } from './storage/data-directory-error.ts';
import { checkIntegrity, type IntegrityReport } from './storage/integrity.ts';
import { Store, type StoreOptions } from './store.ts';

const USAGE = `usage: main.ts --path <directory> and
  (--socket <path> | --port <number>) [--database <name>] [--ttl-interval-ms <number>]   to serve
  --backup <file>        to copy what it holds to a new file, also while it serves on a socket
  --restore <file>       to put a backup in the place of what it holds
  --check                to read all documents and indexes, and say what is damaged
  --accept-lost-writes   to go on, once, after a start was refused because acknowledged writes are lost`;

/** Does what the arguments say; answers the exit code, or nothing while it serves. */
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
    process.stdout.write(`Backed up to ${values.backup}: ${countsOf(await backUp(path, values.backup))}.\n`);
    return 0;
  }
  if (values.restore) {
    const { aside, ...report } = restore(path, values.restore);
    process.stdout.write(`Restored ${values.restore}: ${countsOf(report)}.\n`);
    if (aside) process.stdout.write(`What was there before is kept in ${aside}.\n`);
    return 0;
  }
  if (socket && port) throw new DataDirectoryError(`either --socket or --port; ${USAGE}`);
  const store = await startDocumentStore({
    path,
    report,
    ...(socket && { socket }),
    ...(port && { port: wholeNumber('--port', port) }),
    ...(database && { database }),
    ...(ttlInterval && { ttlIntervalMs: wholeNumber('--ttl-interval-ms', ttlInterval) }),
  });
  const stop = () => store.close().then(() => process.exit(0));
  process.once('SIGTERM', stop);
  process.once('SIGINT', stop);
  process.stdout.write(`${JSON.stringify({ ready: true, uri: store.uri })}\n`);
  return undefined;
}

/** Opens a store whose acknowledged writes are not all there, and says what is lost and what is left. */
function acceptLostWrites(path: string): number {
  let isLost = false;
  const acceptLoss = (message: string) => {
    isLost = true;
    process.stdout.write(`Accepted: ${message}\n`);
  };
  const code = check(path, { acceptLoss });
  if (!isLost) process.stdout.write('No acknowledged write was missing: nothing had to be accepted.\n');
  if (code !== 0) process.stderr.write('What is left is damaged. Restore a backup.\n');
  return code;
}

function check(path: string, options: StoreOptions = {}): number {
  const store = new Store(path, options);
  const report = checkIntegrity(store.engine, store.catalog);
  store.close();
  for (const problem of report.problems) process.stderr.write(`${problem}\n`);
  const isWhole = report.problems.length === 0;
  process.stdout.write(`${isWhole ? 'All is whole' : 'Damaged'}: ${countsOf(report)}.\n`);
  return isWhole ? 0 : 1;
}

function countsOf({ collections, documents, entries }: IntegrityReport): string {
  const [one, two, three] = [collections, documents, entries].map((count) => count.toLocaleString('en'));
  return `${one} collections, ${two} documents, ${three} index entries, all read`;
}

function report(error: unknown): void {
  const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
  process.stderr.write(
    `${JSON.stringify({ level: 'error', message: 'a command failed unexpectedly', error: text })}\n`,
  );
}

function wholeNumber(name: string, text: string): number {
  if (!/^\d{1,9}$/.test(text)) throw new DataDirectoryError(`${name} must be a whole number; ${USAGE}`);
  return Number(text);
}

// Whatever is written is its owner's alone.
process.umask(0o077);
try {
  const code = await run();
  if (code !== undefined) process.exit(code);
} catch (error) {
  process.stderr.write(`document store: ${error instanceof Error ? error.message : String(error)}\n`);
  process.exit(1);
}
