import { cpSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { MongoClient } from 'mongodb';
import { expect, onTestFinished } from 'vitest';
import { startDocumentStore } from '../server.ts';
import { Store } from '../store.ts';
import { temporaryDirectory } from '../test-store.ts';
import { checkIntegrity } from './integrity.ts';

export const DOCUMENTS = 300;

export interface Files {
  directory: string;
  file: string;
  log: string;
  record: string;
}

interface Sample extends Files {
  /** Copies the directory as a crash would leave it, with recent writes only in the log. */
  crash(): Promise<Files>;
  insert(n: number): Promise<unknown>;
  addCollection(name: string): Promise<unknown>;
  close(): Promise<void>;
}

export async function runSample(): Promise<Sample> {
  const directory = await temporaryDirectory();
  const fill = await startDocumentStore({ path: directory });
  let client = await new MongoClient(`${fill.uri}/sample`).connect();
  await client.db().collection('things').createIndex({ n: 1 }, { unique: true });
  await client
    .db()
    .collection('things')
    .insertMany(Array.from({ length: DOCUMENTS }, (_, n) => ({ n, text: `needle ${n} ${'x'.repeat(200)}` })));
  await client.close();
  await fill.close();
  const store = await startDocumentStore({ path: directory });
  client = await new MongoClient(`${store.uri}/sample`).connect();
  let running = true;
  const close = async () => {
    if (!running) return;
    running = false;
    await client.close();
    await store.close();
  };
  onTestFinished(close);

  return {
    ...filesIn(directory),
    async crash() {
      const copy = await temporaryDirectory();
      for (const name of readdirSync(directory)) {
        if (name.startsWith('store.sqlite')) cpSync(join(directory, name), join(copy, name));
      }
      return filesIn(copy);
    },
    insert: (n) =>
      client
        .db()
        .collection('things')
        .insertOne({ n, text: `needle ${n}` }),
    addCollection: (name) => client.db().collection(name).insertOne({ n: 0 }),
    close,
  };
}

export function filesIn(directory: string): Files {
  const file = join(directory, 'store.sqlite');
  return { directory, file, log: `${file}-wal`, record: `${file}-commits` };
}

export function documentsIn(directory: string): number {
  const store = new Store(directory);
  try {
    const { problems, documents } = checkIntegrity(store.engine, store.catalog);
    expect(problems).toEqual([]);
    return documents;
  } finally {
    store.close();
  }
}

export function change(file: string, edit: (bytes: Buffer) => Buffer | undefined): void {
  const bytes = readFileSync(file);
  writeFileSync(file, edit(bytes) ?? bytes);
}

export function flipByte(bytes: Buffer, at: number): undefined {
  bytes[at] = ~(bytes[at] as number) & 0xff;
}

export async function expectRefusal(directory: string, words: RegExp): Promise<void> {
  const contents = () =>
    readdirSync(directory)
      .filter((name) => name.startsWith('store.sqlite'))
      .map((name) => [name, readFileSync(join(directory, name)).toString('base64')]);
  const before = contents();
  await expect(startDocumentStore({ path: directory })).rejects.toThrow(words);
  expect(contents()).toEqual(before);
}
