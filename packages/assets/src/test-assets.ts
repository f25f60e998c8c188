import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Blobs, createBlobs } from '@chorus/blobs';
import { newId, type Owner } from '@chorus/contract';
import { connectDatabase, type Database } from '@chorus/database';
import { createLogger } from '@chorus/log';
import { sharedStore } from '@chorus/testing';
import type { AssetStore } from './asset-store.ts';
import { type AssetLimits, createAssets } from './create-assets.ts';

export interface TestAssets {
  assets: AssetStore;
  database: Database;
  blobs: Blobs;
  /** The keys of all that lies in the store. */
  keys(): Promise<string[]>;
  with(limits: AssetLimits): AssetStore;
  stop(): Promise<void>;
}

/** Assets over a store of documents and a folder of the test's own. */
export async function startTestAssets(): Promise<TestAssets> {
  const log = createLogger({ name: 'test', level: 'silent' });
  const store = await sharedStore();
  const database = await connectDatabase({ uri: store.uri, log });
  const folder = await mkdtemp(join(tmpdir(), 'chorus-assets-'));
  const blobs = createBlobs({ kind: 'files', folder }, log);
  return {
    assets: createAssets({ database, blobs, log }),
    database,
    blobs,
    keys: async () => (await blobs.list()).blobs.map(({ key }) => key).sort(),
    with: (limits) => createAssets({ database, blobs, log, limits }),
    stop: async () => {
      blobs.close();
      await database.close();
      await Promise.all([store.stop(), rm(folder, { recursive: true, force: true })]);
    },
  };
}

export const freshOwner = (): Owner => ({ scope: 'personal', user_id: newId('user'), workspace_id: null });
