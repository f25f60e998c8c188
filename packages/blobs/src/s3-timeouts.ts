import { Readable } from 'node:stream';
import { readBeforeGivingUp } from '@chorus/runtime/timing';
import type { S3Config } from './s3-client.ts';
import { fromS3 } from './s3-errors.ts';
import { storeUnavailable } from './store-errors.ts';

interface RequestTimeouts {
  tryMs: number;
  totalMs: number;
}

export interface S3Timeouts {
  connectMs: number;
  short: RequestTimeouts;
  /** For sending a part of an upload, at 140 KB/s or more, and for completing one. */
  long: RequestTimeouts;
  idleMs: number;
}

export const TIMEOUTS: S3Timeouts = {
  connectMs: 3_000,
  short: { tryMs: 5_000, totalMs: 15_000 },
  long: { tryMs: 60_000, totalMs: 180_000 },
  idleMs: 20_000,
};

export interface SendOptions {
  abortSignal: AbortSignal;
  requestTimeout: number;
}

export type Ask = <T>(
  send: (options: SendOptions) => Promise<T>,
  limit: 'short' | 'long',
  signal?: AbortSignal,
) => Promise<T>;

/**
 * Limits the time of requests, which the SDK does not do for response bodies. After that, a stream only obeys `signal`.
 *
 * @throws {ChorusError} `store_unavailable`, `not_found`
 * @throws {RangeError} for a range that does not exist
 * @throws the signal's reason, unchanged
 */
export function askWithin(timeouts: S3Timeouts, config: S3Config): Ask {
  return async (send, length, signal) => {
    const { tryMs, totalMs } = timeouts[length];
    signal?.throwIfAborted();
    const limit = new AbortController();
    const cancel = readBeforeGivingUp(totalMs, () => limit.abort());
    const abortSignal = signal ? AbortSignal.any([signal, limit.signal]) : limit.signal;
    try {
      return await send({ abortSignal, requestTimeout: tryMs });
    } catch (error) {
      if (signal?.aborted) throw signal.reason;
      throw limit.signal.aborted
        ? storeUnavailable('The object storage does not answer.', null)
        : fromS3(error, config);
    } finally {
      cancel();
    }
  };
}

/**
 * Passes a stream on, but fails if nothing arrives for `idleMs` while the reader waits. A slow reader is not a failure.
 *
 * @param toError creates the error for the reader
 */
export function guardIdle(body: Readable, idleMs: number, toError: (cause: unknown) => Error): Readable {
  let timer: NodeJS.Timeout | undefined;
  const rest = () => clearTimeout(timer);
  const expect = () => {
    rest();
    timer = setTimeout(() => guarded.destroy(toError(new Error(`nothing came for ${idleMs} ms`))), idleMs);
  };
  const guarded = new Readable({
    read() {
      expect();
      body.resume();
    },
    destroy(error, callback) {
      rest();
      body.destroy();
      callback(error);
    },
  });
  body.pause();
  body.on('data', (chunk: Buffer) => {
    if (guarded.push(chunk)) return expect();
    rest();
    body.pause();
  });
  body.once('end', () => {
    rest();
    guarded.push(null);
  });
  body.on('error', (error) => guarded.destroy(toError(error)));
  body.once('close', () => {
    if (!body.readableEnded && !guarded.destroyed) guarded.destroy(toError(new Error('the stream broke off')));
  });
  return guarded;
}
