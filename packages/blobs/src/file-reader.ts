import type { FileHandle } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { fromDisk } from './from-disk.ts';
import { storeUnavailable } from './store-errors.ts';

const CHUNK_BYTES = 256 * 1024;

/** Reads an open file from `start` to before `stop`, and closes it at the end. Its errors are `store_unavailable`. */
export function readFile(handle: FileHandle, start: number, stop: number): Readable {
  let position = start;
  return new Readable({
    highWaterMark: CHUNK_BYTES,
    read() {
      if (position >= stop) return void this.push(null);
      const wanted = Math.min(CHUNK_BYTES, stop - position);
      fromDisk(() => handle.read(Buffer.allocUnsafe(wanted), 0, wanted, position)).then(({ bytesRead, buffer }) => {
        if (bytesRead === 0) return void this.destroy(storeUnavailable('A stored file is shorter than it was.', null));
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
