import { createHash } from 'node:crypto';
import { addAbortSignal, Readable } from 'node:stream';
import { ChorusError } from '@chorus/contract';
import type { BlobSource, PutOptions, PutResult } from './blobs.ts';

/** Counts and hashes a source while it is iterated, once. Fails as the source does, or with the signal's reason. */
export interface MeteredSource extends AsyncIterable<Uint8Array> {
  result(): PutResult;
  destroy(): void;
}

export function meterSource(source: BlobSource, { maxBytes, signal }: PutOptions): MeteredSource {
  const stream = source instanceof Readable ? source : Readable.from(source instanceof Uint8Array ? [source] : source);
  // It may fail after the iteration, and an error without a listener would end the process.
  stream.on('error', () => undefined);
  if (signal) addAbortSignal(signal, stream);
  const hash = createHash('sha256');
  let sizeBytes = 0;

  const fail = (error: unknown): never => {
    throw signal?.aborted ? signal.reason : error;
  };

  async function* read(): AsyncGenerator<Uint8Array, void> {
    const chunks: AsyncIterator<unknown> = stream[Symbol.asyncIterator]();
    for (;;) {
      const { value, done } = await chunks.next().catch(fail);
      if (done) return;
      if (!(value instanceof Uint8Array)) throw new TypeError('the source of a blob must yield bytes');
      sizeBytes += value.byteLength;
      if (maxBytes !== undefined && sizeBytes > maxBytes)
        throw new ChorusError('payload_too_large', `The content has more than ${maxBytes} bytes.`);
      hash.update(value);
      yield value;
    }
  }

  return {
    result: () => ({ sizeBytes, sha256: hash.digest('hex') }),
    destroy: () => void stream.destroy(),
    [Symbol.asyncIterator]: read,
  };
}
