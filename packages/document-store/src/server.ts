import { chmodSync, lstatSync, mkdirSync, rmSync } from 'node:fs';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import { dirname, resolve } from 'node:path';
import { Connection } from './connection.ts';
import { DataDirectoryError } from './errors.ts';
import { Store } from './store.ts';
import { startSweeps } from './sweeps.ts';

export interface DocumentStoreOptions {
  path: string;
  /** The path of a Unix socket, at most 107 bytes. Only its owner can use it. */
  socket?: string;
  /** A TCP port on 127.0.0.1. 0 or absent picks a free one. */
  port?: number;
  /** The database in `uri`, the default for clients that name none. */
  database?: string;
  /** How often documents expired by TTL indexes are removed. Default: 60,000. */
  ttlIntervalMs?: number;
  /** Receives internal errors. Clients get them as UnknownError. */
  report?: (error: unknown) => void;
  /** For all operations together. Default: 256 MB. */
  memoryBytes?: number;
}

export interface DocumentStore {
  /** `mongodb://…`, with the database if one was given. */
  uri: string;
  close(): Promise<void>;
}

const MAX_SOCKET_PATH_BYTES = 107;
/** A client that does not read may delay the shutdown this long. */
const CLOSE_GRACE_MS = 500;

export async function startDocumentStore(options: DocumentStoreOptions): Promise<DocumentStore> {
  const store = new Store(options.path, {
    ...(options.report && { report: options.report }),
    ...(options.memoryBytes !== undefined && { memoryBytes: options.memoryBytes }),
  });
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
    uri: buildUri(server, options.database),
    async close() {
      stopSweeps();
      const closed = new Promise((resolve) => server.close(resolve));
      // Queued commands run once more, and long ones are aborted. Replies are sent before connections end.
      await store.scheduler.run(() => undefined);
      store.scheduler.shutDown();
      for (const socket of sockets) socket.end(() => socket.destroy());
      const forceClose = setTimeout(() => {
        for (const socket of sockets) socket.destroy();
      }, CLOSE_GRACE_MS);
      await closed;
      clearTimeout(forceClose);
      store.close();
    },
  };
}

function buildUri(server: Server, database: string | undefined): string {
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

/** A crashed server leaves its socket behind. If it answers, it is in use. */
async function removeStaleSocket(path: string): Promise<void> {
  const found = lstatSync(path, { throwIfNoEntry: false });
  if (!found) return;
  if (!found.isSocket()) throw new DataDirectoryError(`${path} exists and is not a socket.`);
  const answers = await new Promise<boolean>((resolve) => {
    const probe = connect(path);
    probe.on('connect', () => resolve(true)).on('error', () => resolve(false));
    probe.on('connect', () => probe.destroy());
  });
  if (answers) throw new DataDirectoryError(`Another server is listening on ${path}.`);
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
