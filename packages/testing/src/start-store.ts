import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { dropDatabases, givenStore } from './given-store.ts';
import { programOf, type ServerProcess, startProcess, waitUntilReady } from './server-process.ts';
import { temporaryFolder } from './temporary-folder.ts';

export interface TestDatabases {
  readonly uri: string;
  /** Another database of the same server. */
  uriOf(name: string): string;
  stop(): Promise<void>;
}

export interface TestStore extends TestDatabases {
  readonly pid: number;
  kill(): Promise<void>;
  restart(): Promise<void>;
}

const MAIN = programOf('packages/document-store/src/main.ts');

/** Stops the store when the test process ends for any reason, and removes its folder. */
const WHILE_INPUT_LASTS = 'folder=$1; shift; "$@" & cat > /dev/null; kill $!; wait $!; rm -r "$folder"';

let shared: Promise<(database: string) => string> | undefined;

/**
 * Returns fresh databases of the MongoDB at TEST_MONGODB_URI, or else of one embedded document store per process,
 * since a start takes a quarter of a second of CPU. Tests that kill the store use `startStore`.
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
  const { child } = server;
  for (const part of [child, child.stdin, child.stdout, child.stderr]) (part as { unref?(): void } | null)?.unref?.();
  return (database) => uriAt(socketPath, database);
}

const uriAt = (socketPath: string, database: string) => `mongodb://${encodeURIComponent(socketPath)}/${database}`;

/**
 * Starts an embedded document store for one test, in a new folder. With TEST_MONGODB_URI, returns fresh databases of
 * that MongoDB instead, which must not be killed.
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
