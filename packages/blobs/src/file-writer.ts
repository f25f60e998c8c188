import { randomUUID } from 'node:crypto';
import { type FileHandle, open, readdir, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { assertKey, assertPrefix } from './blob-key.ts';
import type { BlobSource, PutOptions, PutResult } from './blobs.ts';
import { INCOMING, inFolder, nameOf, shardOf, syncFolder } from './file-layout.ts';
import { type MeteredSource, meterSource } from './metered-source.ts';
import { fromDisk, ifThere } from './store-errors.ts';

const BATCH_BYTES = 512 * 1024;

/** Keeps files with stalled sources from being collected: Node ends the process when it collects an open file. */
const writing = new Set<FileHandle>();

/** Writes a temporary file, syncs it to disk, and moves it to its final place. */
export async function putFile(
  folder: string,
  key: string,
  source: BlobSource,
  options: PutOptions,
): Promise<PutResult> {
  const metered = meterSource(source, options);
  try {
    assertKey(key);
    return await throughTemporary(folder, nameOf(key), async (temporary, handle) => {
      await writeTo(handle, metered);
      options.signal?.throwIfAborted();
      const shard = join(folder, shardOf(key));
      await fromDisk(async () => {
        await inFolder(shard, () => rename(temporary, join(shard, nameOf(key))));
        await syncFolder(shard);
      });
      return metered.result();
    });
  } finally {
    metered.destroy();
  }
}

export function checkWritable(folder: string): Promise<void> {
  return throughTemporary(folder, 'check', async (temporary, handle) => {
    await handle.close();
    await fromDisk(() => rm(temporary));
  });
}

export async function removeUnfinishedFiles(
  folder: string,
  { olderThan, prefix = '' }: { olderThan: Date; prefix?: string },
): Promise<number> {
  assertPrefix(prefix);
  const incoming = join(folder, INCOMING);
  const names = (await ifThere(() => readdir(incoming))) ?? [];
  let removed = 0;
  for (const name of names.filter((each) => each.startsWith(nameOf(prefix)))) {
    const file = join(incoming, name);
    const found = await ifThere(() => stat(file));
    if (found === null || found.mtime >= olderThan) continue;
    await fromDisk(() => rm(file, { force: true }));
    removed += 1;
  }
  return removed;
}

/** Runs `work` with a temporary file, and removes the file on failure. Its name starts with the blob's name. */
async function throughTemporary<T>(
  folder: string,
  name: string,
  work: (temporary: string, handle: FileHandle) => Promise<T>,
): Promise<T> {
  const temporary = join(folder, INCOMING, `${name}.${randomUUID()}`);
  const handle = await fromDisk(() => inFolder(join(folder, INCOMING), () => open(temporary, 'wx', 0o600)));
  writing.add(handle);
  try {
    return await work(temporary, handle);
  } catch (error) {
    // The first error matters more. A later sweep finds the file.
    await handle.close().catch(() => undefined);
    await rm(temporary, { force: true }).catch(() => undefined);
    throw error;
  } finally {
    writing.delete(handle);
  }
}

/** Writes a source, syncs it, and closes the file. Reads and hashes the next batch while one is written. */
async function writeTo(handle: FileHandle, source: MeteredSource): Promise<void> {
  let writing: Promise<void> = Promise.resolve();
  for await (const batch of inBatches(source)) {
    await writing;
    writing = fromDisk(() => writeAll(handle, batch));
    writing.catch(() => undefined);
  }
  await writing;
  await fromDisk(async () => {
    await handle.sync();
    await handle.close();
  });
}

async function* inBatches(source: MeteredSource): AsyncGenerator<Uint8Array, void> {
  let chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of source) {
    chunks.push(chunk);
    bytes += chunk.byteLength;
    if (bytes < BATCH_BYTES) continue;
    yield Buffer.concat(chunks);
    chunks = [];
    bytes = 0;
  }
  yield Buffer.concat(chunks);
}

async function writeAll(handle: FileHandle, batch: Uint8Array): Promise<void> {
  for (let done = 0; done < batch.byteLength; ) done += (await handle.write(batch, done)).bytesWritten;
}
