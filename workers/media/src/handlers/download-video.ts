import { createWriteStream } from 'node:fs';
import { Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { ChorusError } from '@chorus/contract';
import type { CallOptions, VideoState } from '@chorus/providers';

const MAX_BYTES = 1_000_000_000;

/**
 * Downloads a provider's video to a file, within limits of size and time.
 * @throws {ChorusError} `timeout`, `provider_error`; the signal's reason
 */
export async function downloadVideo(
  made: Extract<VideoState, { status: 'made' }>,
  path: string,
  { signal, executionId }: CallOptions,
  withinMs: number,
): Promise<void> {
  const late = AbortSignal.timeout(withinMs);
  const either = AbortSignal.any([signal, late]);
  let left = MAX_BYTES;
  const bounded = new Transform({
    transform(chunk: Uint8Array, _encoding, done) {
      left -= chunk.length;
      if (left < 0) done(new ChorusError('invalid_request', `The video is larger than ${MAX_BYTES} bytes`));
      else done(null, chunk);
    },
  });
  try {
    await pipeline(await made.open({ signal: either, executionId }), bounded, createWriteStream(path), {
      signal: either,
    });
  } catch (error) {
    signal.throwIfAborted();
    if (late.aborted) throw new ChorusError('timeout', `The video could not be downloaded within ${withinMs / 1000} s`);
    throw error;
  }
}
