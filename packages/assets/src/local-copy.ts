import { randomUUID } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';

/** What is smaller is held in memory instead of a file. */
const IN_MEMORY_BYTES = 4_000_000;

/** Gives stored bytes to who needs all of them at once: as they are, or as the path of a file that is removed afterwards. */
export async function withLocalCopy<T>(
  open: () => Promise<Readable>,
  sizeBytes: number,
  work: (local: string | Uint8Array) => Promise<T>,
): Promise<T> {
  if (sizeBytes <= IN_MEMORY_BYTES) return work(await buffer(await open()));
  const path = join(tmpdir(), `chorus-asset-${randomUUID()}`);
  try {
    await writeNewFile(await open(), path);
    return await work(path);
  } finally {
    await rm(path, { force: true });
  }
}

/** Writes a file that was not there; one that could not be written whole is removed. */
export async function writeNewFile(body: Readable, path: string, signal?: AbortSignal): Promise<void> {
  const file = createWriteStream(path, { flags: 'wx', mode: 0o600 });
  let ours = false;
  file.once('open', () => {
    ours = true;
  });
  try {
    await pipeline(body, file, signal === undefined ? {} : { signal });
  } catch (error) {
    if (ours) await rm(path, { force: true });
    throw error;
  }
}
