import { type FileHandle, open, rm, stat } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { addAbortSignal, Readable } from 'node:stream';
import { assertKey, clampRange, removeEach } from './blob-key.ts';
import type { BlobStat, Blobs, ByteRange } from './blobs.ts';
import { nameOf, shardOf } from './file-layout.ts';
import { listFiles } from './file-list.ts';
import { checkWritable, putFile, removeUnfinishedFiles } from './file-writer.ts';
import { fromDisk, ifThere, notFound, storeUnavailable } from './store-errors.ts';

const CHUNK_BYTES = 256 * 1024;

/** Stores blobs as files in a folder, which is created with the first one. Folders have mode 0700, files 0600. */
export function createFileBlobs(path: string): Blobs {
  const folder = resolve(path);
  const pathOf = (key: string) => {
    assertKey(key);
    return join(folder, shardOf(key), nameOf(key));
  };

  const remove = async (key: string): Promise<void> => {
    const file = pathOf(key);
    await fromDisk(() => rm(file, { force: true }));
  };

  return {
    kind: 'files',
    put: (key, source, options = {}) => putFile(folder, key, source, options),
    open: async (key, options = {}) => openFile(pathOf(key), options),
    stat: async (key) => {
      const file = pathOf(key);
      const found = await ifThere(() => stat(file));
      return found && ({ key, sizeBytes: found.size, modifiedAt: found.mtime } satisfies BlobStat);
    },
    remove,
    removeMany: (keys) => removeEach(keys, remove),
    list: (page = {}) => listFiles(folder, page),
    removeUnfinished: (which) => removeUnfinishedFiles(folder, which),
    presign: async (key) => {
      assertKey(key);
      return null;
    },
    check: () => checkWritable(folder),
    close: () => undefined,
  };
}

async function openFile(
  path: string,
  { range, signal }: { range?: ByteRange; signal?: AbortSignal },
): Promise<Readable> {
  signal?.throwIfAborted();
  const handle = await ifThere(() => open(path, 'r'));
  if (handle === null) throw notFound(null);
  try {
    const { size } = await fromDisk(() => handle.stat());
    const { start, end } = range ? clampRange(range, size) : { start: 0, end: size - 1 };
    const stream = readFile(handle, start, end + 1);
    return signal ? addAbortSignal(signal, stream) : stream;
  } catch (error) {
    await handle.close();
    throw error;
  }
}

function readFile(handle: FileHandle, start: number, stop: number): Readable {
  let position = start;
  return new Readable({
    highWaterMark: CHUNK_BYTES,
    read() {
      if (position >= stop) return void this.push(null);
      const wanted = Math.min(CHUNK_BYTES, stop - position);
      fromDisk(() => handle.read(Buffer.allocUnsafe(wanted), 0, wanted, position)).then(({ bytesRead, buffer }) => {
        if (bytesRead === 0) return void this.destroy(storeUnavailable('A stored file is shorter than before.', null));
        position += bytesRead;
        this.push(buffer.subarray(0, bytesRead));
      }, this.destroy.bind(this));
    },
    destroy(error, callback) {
      handle.close().then(
        () => callback(error),
        () => callback(error),
      );
    },
  });
}
