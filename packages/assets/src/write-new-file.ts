import { createWriteStream } from 'node:fs';
import { rm } from 'node:fs/promises';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';

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
