import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { givenStore } from './given-store.ts';
import { type ServerProcess, startProcess, waitUntilReady } from './server-process.ts';

export interface TestStore {
  /** MongoDB connection string of the database `chorus`. */
  readonly uri: string;
  /** The same server with another database: fresh collections for each test. */
  uriOf(database: string): string;
  /** Of the process that runs now. */
  readonly pid: number;
  /** SIGKILL, as a crash. */
  kill(): Promise<void>;
  /** Starts again on the same data; kills it first if it runs. */
  restart(): Promise<void>;
  /** Ends it in order and removes its data. */
  stop(): Promise<void>;
}

const MAIN = fileURLToPath(new URL('../../document-store/src/main.ts', import.meta.url));

/**
 * The embedded document store as a process of the test's own, in a new folder; or, where TEST_MONGODB_URI is set, fresh databases of that
 * MongoDB, which is nobody's to kill.
 */
export async function startStore(): Promise<TestStore> {
  const given = givenStore();
  if (given) {
    const refuse = async () => {
      throw new Error('this test needs a store that it can kill: skip it where storeIsGiven');
    };
    return { uri: given.uriOf('chorus'), uriOf: given.uriOf, pid: 0, kill: refuse, restart: refuse, stop: given.drop };
  }
  const folder = await mkdtemp(join(tmpdir(), 'chs-'));
  const socketPath = join(folder, 's.sock');
  const args = [MAIN, '--path', join(folder, 'data'), '--socket', socketPath];

  const start = async (): Promise<ServerProcess> => {
    const server = startProcess(process.execPath, args);
    await waitUntilReady(server, async () => (server.output().includes('"ready":true') ? true : undefined));
    return server;
  };
  let server = await start().catch(async (error) => {
    await rm(folder, { recursive: true, force: true });
    throw error;
  });
  const uriOf = (database: string) => `mongodb://${encodeURIComponent(socketPath)}/${database}`;

  return {
    uri: uriOf('chorus'),
    uriOf,
    get pid() {
      return server.child.pid ?? 0;
    },
    kill: () => server.end('SIGKILL'),
    restart: async () => {
      await server.end('SIGKILL');
      server = await start();
    },
    stop: async () => {
      await server.end('SIGTERM');
      await rm(folder, { recursive: true, force: true });
    },
  };
}
