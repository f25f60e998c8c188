import type { S3Config } from './s3-client.ts';
import { fromS3 } from './s3-errors.ts';
import { storeUnavailable } from './store-errors.ts';

/** How long one try of a request, and all of them may take, in milliseconds. */
interface Patience {
  tryMs: number;
  totalMs: number;
}

/** Where waiting for the object storage ends, in milliseconds. */
export interface S3Patience {
  connectMs: number;
  /** For what the store looks up or notes down. */
  short: Patience;
  /** For what moves a part of an upload, at no less than 140 KB/s, or lets the store put one together. */
  long: Patience;
  /** How long a stream may say nothing while somebody waits for it. */
  idleMs: number;
}

export const PATIENCE: S3Patience = {
  connectMs: 3_000,
  short: { tryMs: 5_000, totalMs: 15_000 },
  long: { tryMs: 60_000, totalMs: 180_000 },
  idleMs: 20_000,
};

/** The second argument of the SDK's `send`. */
export interface SendOptions {
  abortSignal: AbortSignal;
  requestTimeout: number;
}

/** Sends one request with an end to its waiting, whatever it waits for. */
export type Ask = <T>(
  send: (options: SendOptions) => Promise<T>,
  patience: 'short' | 'long',
  signal?: AbortSignal,
) => Promise<T>;

/**
 * What the SDK does not limit by itself is the answer's body. The limit ends with the answer: a stream in it goes on, under `signal` alone.
 *
 * @throws {ChorusError} `store_unavailable`, `not_found`
 * @throws {RangeError} for a range that is not there
 * @throws the signal's reason, as it is
 */
export function askWithin(patience: S3Patience, config: S3Config): Ask {
  return async (send, length, signal) => {
    const { tryMs, totalMs } = patience[length];
    signal?.throwIfAborted();
    const limit = new AbortController();
    const timer = setTimeout(() => limit.abort(), totalMs);
    const abortSignal = signal ? AbortSignal.any([signal, limit.signal]) : limit.signal;
    try {
      return await send({ abortSignal, requestTimeout: tryMs });
    } catch (error) {
      if (signal?.aborted) throw signal.reason;
      throw limit.signal.aborted
        ? storeUnavailable('The object storage does not answer.', null)
        : fromS3(error, config);
    } finally {
      clearTimeout(timer);
    }
  };
}
