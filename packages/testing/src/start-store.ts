import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { dropDatabases, givenStore } from './given-store.ts';
import { type ServerProcess, startProcess, waitUntilReady } from './server-process.ts';
import { temporaryFolder } from './temporary-folder.ts';

/** Databases of a test file's own. */
export interface TestDatabases {
  /** MongoDB connection string of the first one. */
  readonly uri: string;
  /** The same server with another database: fresh collections for each test. */
  uriOf(name: string): string;
  /** Removes all that was stored. */
  stop(): Promise<void>;
}

export interface TestStore extends TestDatabases {
  /** Of the process that runs now. */
  readonly pid: number;
  /** SIGKILL, as a crash. */
  kill(): Promise<void>;
  /** Starts again on the same data; kills it first if it runs. */
  restart(): Promise<void>;
}

const MAIN = fileURLToPath(new URL('../../document-store/src/main.ts', import.meta.url));

/** Ends the store in order when the test's process is gone, however that ended, and removes its folder. */
const WHILE_INPUT_LASTS = 'folder=$1; shift; "$@" & cat > /dev/null; kill $!; wait $!; rm -r "$folder"';

let shared: Promise<(database: string) => string> | undefined;

/**
 * Fresh databases of an embedded document store that all test files of this process share, since each start of one takes a quarter of a second
 * of computing; or of the MongoDB at TEST_MONGODB_URI. What kills its store has one of its own: `startStore`.
 */
export async function sharedStore(): Promise<TestDatabases> {
  const given = givenStore();
  if (given) return { uri: given.uriOf('chorus'), uriOf: given.uriOf, stop: given.drop };
  shared ??= startShared();
  const onShared = await shared;
  const prefix = `test_${randomBytes(6).toString('hex')}_`;
  const used = new Set<string>();
  const uriOf = (name: string) => {
    used.add(prefix + name);
    return onShared(prefix + name);
  };
  const uri = uriOf('chorus');
  return { uri, uriOf, stop: () => dropDatabases(uri, async () => [...used]) };
}

async function startShared(): Promise<(database: string) => string> {
  const folder = await mkdtemp(join(tmpdir(), 'chs-'));
  const socketPath = join(folder, 's.sock');
  const store = [process.execPath, MAIN, '--path', join(folder, 'data'), '--socket', socketPath];
  const server = startProcess('sh', ['-c', WHILE_INPUT_LASTS, 'sh', folder, ...store], { endsWithInput: true });
  await waitUntilReady(server, async () => (server.output().includes('"ready":true') ? true : undefined));
  // It keeps nobody alive.
  const { child } = server;
  for (const part of [child, child.stdin, child.stdout, child.stderr]) (part as { unref?(): void } | null)?.unref?.();
  return (database) => uriAt(socketPath, database);
}

const uriAt = (socketPath: string, database: string) => `mongodb://${encodeURIComponent(socketPath)}/${database}`;

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
  const folder = await temporaryFolder('chs-');
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
  const uriOf = (database: string) => uriAt(socketPath, database);

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
