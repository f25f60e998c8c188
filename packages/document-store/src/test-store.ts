import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { type Document, serialize } from 'bson';
import { MongoClient } from 'mongodb';
import { afterAll, beforeAll, onTestFinished } from 'vitest';
import { type DocumentStore, type DocumentStoreOptions, startDocumentStore } from './server.ts';

const MAIN = fileURLToPath(new URL('./main.ts', import.meta.url));

export async function temporaryDirectory(): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'ds-'));
  onTestFinished(() => rm(directory, { recursive: true, force: true }));
  return directory;
}

export async function openTestStore(
  options: Pick<DocumentStoreOptions, 'ttlIntervalMs' | 'report' | 'memoryBytes'> = {},
): Promise<{ directory: string; store: DocumentStore; client: MongoClient }> {
  const directory = await temporaryDirectory();
  const store = await startDocumentStore({
    path: join(directory, 'data'),
    socket: join(directory, 's.sock'),
    ...options,
  });
  const client = new MongoClient(store.uri);
  onTestFinished(async () => {
    await client.close();
    await store.close();
  });
  await client.connect();
  return { directory, store, client };
}

export interface SharedStore {
  store: DocumentStore;
  client: MongoClient;
}

export function shareTestStore(): SharedStore {
  const shared = {} as SharedStore;
  let directory: string;
  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), 'ds-'));
    shared.store = await startDocumentStore({ path: join(directory, 'data'), socket: join(directory, 's.sock') });
    shared.client = await new MongoClient(shared.store.uri).connect();
  });
  afterAll(async () => {
    await shared.client.close();
    await shared.store.close();
    await rm(directory, { recursive: true, force: true });
  });
  return shared;
}

/** Spawns a store that a test can kill. Rejects with its error output if it does not start. */
export async function spawnStore(
  directory: string,
  listen: string[] = ['--socket', join(directory, 's.sock')],
  node: string[] = [],
): Promise<{ uri: string; child: ChildProcess }> {
  const child = spawn(process.execPath, [...node, MAIN, '--path', join(directory, 'data'), ...listen], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  let complaint = '';
  child.stderr.on('data', (chunk) => {
    complaint += chunk;
  });
  const ended = once(child, 'close').then(() => Promise.reject(new Error(complaint)));
  ended.catch(() => undefined);
  const [line] = await Promise.race([once(createInterface(child.stdout), 'line'), ended]);
  return { uri: JSON.parse(line).uri, child };
}

export function sequenceFrame(command: Document, field: string, statements: Uint8Array[]): Buffer {
  const name = Buffer.from(`${field}\0`);
  const sequence = Buffer.concat([Buffer.alloc(4), name, ...statements]);
  sequence.writeInt32LE(sequence.length, 0);
  const sections = Buffer.concat([Buffer.of(0), serialize(command), Buffer.of(1), sequence]);
  const frame = Buffer.concat([Buffer.alloc(20), sections]);
  frame.writeInt32LE(frame.length, 0);
  frame.writeInt32LE(2013, 12);
  return frame;
}
