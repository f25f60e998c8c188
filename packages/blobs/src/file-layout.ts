import { createHash } from 'node:crypto';
import { mkdir, open } from 'node:fs/promises';
import { dirname } from 'node:path';

/** Replaces slashes in file names. Keys never contain it. */
const SLASH = '~';

/** The folder for temporary files. It is next to the shards, since renaming only works within one file system. */
export const INCOMING = 'incoming';

/** Folders over which blobs are spread: a million blobs make about 4,000 files in each. */
export const SHARDS = Array.from({ length: 256 }, (_, n) => n.toString(16).padStart(2, '0'));

export const shardOf = (key: string): string => createHash('sha256').update(key).digest('hex').slice(0, 2);

/** Converts a whole key to one file name, so that no empty folders remain. */
export const nameOf = (key: string): string => key.replaceAll('/', SLASH);

export const keyOf = (name: string): string => name.replaceAll(SLASH, '/');

/** Creates a folder and its missing parents, for the owner only, and syncs them to disk. */
async function makeFolder(folder: string): Promise<void> {
  const first = await mkdir(folder, { recursive: true, mode: 0o700 });
  if (first === undefined) return;
  for (let made = folder; made.length >= first.length; made = dirname(made)) await syncFolder(dirname(made));
}

/** Folders that this process has created or found. */
const known = new Set<string>();

/** Runs a step in a folder. If the folder is missing, creates it and runs the step again. */
export async function inFolder<T>(folder: string, step: () => Promise<T>): Promise<T> {
  if (known.has(folder)) {
    try {
      return await step();
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
      known.delete(folder);
    }
  }
  await makeFolder(folder);
  known.add(folder);
  return step();
}

/** Syncs the names in a folder to disk, so that a rename survives a power failure. */
export async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
