import { parseArgs } from 'node:util';
import { type DocumentStoreOptions, startDocumentStore } from './server.ts';
import { DataDirectoryError } from './storage/engine.ts';

const USAGE =
  'usage: main.ts --path <directory> (--socket <path> | --port <number>) [--database <name>] [--ttl-interval-ms <number>]';

function readOptions(): DocumentStoreOptions {
  const { values } = parseArgs({
    options: {
      path: { type: 'string' },
      socket: { type: 'string' },
      port: { type: 'string' },
      database: { type: 'string' },
      'ttl-interval-ms': { type: 'string' },
    },
  });
  if (!values.path) throw new DataDirectoryError(`--path is missing; ${USAGE}`);
  if (values.socket && values.port) throw new DataDirectoryError(`either --socket or --port; ${USAGE}`);
  const options: DocumentStoreOptions = { path: values.path, report };
  if (values.socket) options.socket = values.socket;
  if (values.port) options.port = wholeNumber('--port', values.port);
  if (values.database) options.database = values.database;
  if (values['ttl-interval-ms']) options.ttlIntervalMs = wholeNumber('--ttl-interval-ms', values['ttl-interval-ms']);
  return options;
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
  const store = await startDocumentStore(readOptions());
  const stop = () => store.close().then(() => process.exit(0));
  process.once('SIGTERM', stop);
  process.once('SIGINT', stop);
  process.stdout.write(`${JSON.stringify({ ready: true, uri: store.uri })}\n`);
} catch (error) {
  process.stderr.write(`document store: ${error instanceof Error ? error.message : String(error)}\n`);
  process.exit(1);
}
