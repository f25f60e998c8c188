import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Blobs, createBlobs } from '@chorus/blobs';
import { newId, type Owner } from '@chorus/contract';
import { connectDatabase, type Database } from '@chorus/database';
import { createLogger } from '@chorus/runtime/log';
import { sharedStore } from '@chorus/testing';
import type { AssetStore } from './assets.ts';
import { type AssetLimits, createAssets } from './create-assets.ts';

export interface TestAssets {
  assets: AssetStore;
  database: Database;
  blobs: Blobs;
  /** All keys in the store. */
  keys(): Promise<string[]>;
  with(limits: AssetLimits): AssetStore;
  stop(): Promise<void>;
}

/** Opens assets with their own document store and folder. */
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
