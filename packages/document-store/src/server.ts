import { chmodSync, lstatSync, mkdirSync, rmSync } from 'node:fs';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import { dirname, resolve } from 'node:path';
import { Connection } from './connection.ts';
import { DataDirectoryError } from './storage/data-directory-error.ts';
import { Store } from './store.ts';
import { startSweeps } from './sweeps.ts';

/** How a document store is started. */
export interface DocumentStoreOptions {
  /** The directory that holds the data; made if absent. */
  path: string;
  /** A Unix socket's path (at most 107 bytes), readable by its owner alone; else `port`. */
  socket?: string;
  /** A TCP port on 127.0.0.1; 0 or absent: any free one. */
  port?: number;
  /** The database that `uri` names; clients that name none then use it. */
  database?: string;
  /** How often documents past their TTL index's time are removed, in milliseconds; default 60,000. */
  ttlIntervalMs?: number;
  /** Told of errors that are the server's own fault; clients get them as UnknownError. */
  report?: (error: unknown) => void;
}

/** A document store that runs. */
export interface DocumentStore {
  /** `mongodb://…`, with the database if one was given; else append `/<name>`. */
  uri: string;
  /** Stops listening, ends the connections, and closes the file; everything acknowledged is in it. */
  close(): Promise<void>;
}

const MAX_SOCKET_PATH_BYTES = 107;
/** How long a client that does not read may keep the server from closing. */
const FAREWELL_MS = 500;

/** Starts a document store in this process. Rejects with `DataDirectoryError` when its directory can't be used. */
export async function startDocumentStore(options: DocumentStoreOptions): Promise<DocumentStore> {
  const store = new Store(options.path, options.report && { report: options.report });
  const sockets = new Set<Socket>();
  const server = createServer({ noDelay: true }, (socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
    new Connection(store, socket);
  });
  try {
    if (options.socket !== undefined) await listenOnSocket(server, options.socket);
    else await listening(server, () => server.listen(options.port ?? 0, '127.0.0.1'));
  } catch (error) {
    store.close();
    throw error;
  }
  if (options.socket !== undefined) store.lock.publish({ pid: process.pid, socket: resolve(options.socket) });
  const stopSweeps = startSweeps(store, options.ttlIntervalMs ?? 60_000);
  return {
    uri: uriOf(server, options.database),
    async close() {
      stopSweeps();
      const closed = new Promise((resolve) => server.close(resolve));
      // What has arrived gets its turn; long commands are ended. Each answer is written before its connection ends.
      await store.turns.run(() => undefined);
      store.turns.end();
      for (const socket of sockets) socket.end(() => socket.destroy());
      const impatience = setTimeout(() => {
        for (const socket of sockets) socket.destroy();
      }, FAREWELL_MS);
      await closed;
      clearTimeout(impatience);
      store.close();
    },
  };
}

function uriOf(server: Server, database: string | undefined): string {
  const address = server.address() as string | AddressInfo;
  const host = typeof address === 'string' ? encodeURIComponent(address) : `127.0.0.1:${address.port}`;
  return database === undefined ? `mongodb://${host}` : `mongodb://${host}/${database}`;
}

async function listenOnSocket(server: Server, path: string): Promise<void> {
  if (Buffer.byteLength(path) > MAX_SOCKET_PATH_BYTES) {
    throw new DataDirectoryError(`The socket's path is longer than ${MAX_SOCKET_PATH_BYTES} bytes: ${path}`);
  }
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  await removeStaleSocket(path);
  await listening(server, () => {
    const before = process.umask(0o177);
    try {
      server.listen(path);
    } finally {
      process.umask(before);
    }
  });
  chmodSync(path, 0o600);
}

/** A killed server leaves its socket behind; one that still answers belongs to somebody. */
async function removeStaleSocket(path: string): Promise<void> {
  const found = lstatSync(path, { throwIfNoEntry: false });
  if (!found) return;
  if (!found.isSocket()) throw new DataDirectoryError(`${path} exists and is no socket.`);
  const answers = await new Promise<boolean>((resolve) => {
    const probe = connect(path);
    probe.on('connect', () => resolve(true)).on('error', () => resolve(false));
    probe.on('connect', () => probe.destroy());
  });
  if (answers) throw new DataDirectoryError(`Another server listens on ${path}.`);
  rmSync(path);
}

function listening(server: Server, listen: () => void): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.once('listening', () => {
      server.off('error', reject);
      resolve();
    });
    listen();
  });
}
