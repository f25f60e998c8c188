import { parseArgs } from 'node:util';
import { startDocumentStore } from './server.ts';
import { DataDirectoryError } from './storage/data-directory-error.ts';
import { checkIntegrity } from './storage/integrity.ts';
import { Store } from './store.ts';

const USAGE = `usage: main.ts --path <directory> and
  (--socket <path> | --port <number>) [--database <name>] [--ttl-interval-ms <number>]   to serve
  --check                to read all documents and indexes, and say what is damaged`;

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
    },
  });
  const { path, socket, port, database, 'ttl-interval-ms': ttlInterval } = values;
  if (!path) throw new DataDirectoryError(`--path is missing; ${USAGE}`);
  if (values.check) return check(path);
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

function check(path: string): number {
  const store = new Store(path);
  const { collections, documents, entries, problems } = checkIntegrity(store.engine, store.catalog);
  store.close();
  for (const problem of problems) process.stderr.write(`${problem}\n`);
  const outcome = problems.length === 0 ? 'all whole' : 'damaged';
  process.stdout.write(`${collections} collections, ${documents} documents, ${entries} index entries: ${outcome}\n`);
  return problems.length === 0 ? 0 : 1;
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

try {
  const code = await run();
  if (code !== undefined) process.exit(code);
} catch (error) {
  process.stderr.write(`document store: ${error instanceof Error ? error.message : String(error)}\n`);
  process.exit(1);
}
