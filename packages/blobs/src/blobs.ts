import type { Readable } from 'node:stream';

/** A stream is read at the store's pace, and destroyed if it is not read to its end. */
export type BlobSource = Readable | AsyncIterable<Uint8Array> | Uint8Array;

/** Includes both ends, as in HTTP, from byte 0. An `end` that is absent or beyond the last byte means the last one. */
export interface ByteRange {
  start: number;
  end?: number;
}

export interface PutResult {
  sizeBytes: number;
  sha256: string;
}

export interface BlobStat {
  key: string;
  sizeBytes: number;
  modifiedAt: Date;
}

export interface PutOptions {
  /** Larger sources are refused, and nothing is stored. */
  maxBytes?: number;
  /** The default type for presigned URLs. The file store does not keep it. */
  contentType?: string;
  signal?: AbortSignal;
}

export interface PresignOptions {
  /** At most a week. */
  expiresInS: number;
  contentType?: string;
  contentDisposition?: string;
}

/**
 * Stores bytes under keys, in a folder or an S3 bucket. Several processes may use the same store.
 *
 * A key has up to 200 characters: segments of `a-z 0-9 . _ -` that start with a letter or digit, separated by slashes.
 * Other keys throw a `TypeError`. Failures of the store are `store_unavailable` with a cause, in bounded time.
 */
export interface Blobs {
  readonly kind: 'files' | 's3';

  /**
   * Stores bytes under a key while they arrive, in bounded memory, and replaces earlier ones. The blob appears
   * completely or not at all. If the store's last response was lost, it may exist despite the error. The wait for the
   * source has no limit: limit it in the source, or with the `signal`.
   *
   * @throws {ChorusError} `store_unavailable`; `payload_too_large` beyond `maxBytes`
   * @throws the source's own error, or the signal's reason, unchanged
   */
  put(key: string, source: BlobSource, options?: PutOptions): Promise<PutResult>;

  /**
   * Opens a blob for reading. Read the stream to its end or destroy it. It fails with `store_unavailable`.
   *
   * @throws {ChorusError} `not_found`, `store_unavailable`
   * @throws {RangeError} when the blob has no bytes in the range
   */
  open(key: string, options?: { range?: ByteRange; signal?: AbortSignal }): Promise<Readable>;

  stat(key: string): Promise<BlobStat | null>;

  remove(key: string): Promise<void>;

  /** Removes many blobs, in any order. Tries all of them before it throws a failure. */
  removeMany(keys: readonly string[]): Promise<void>;

  /**
   * Lists blobs whose keys start with `prefix`, in the store's order. Continue with `after: next` until `next` is null.
   *
   * @param page.limit default and maximum: 1,000
   */
  list(page?: { prefix?: string; after?: string; limit?: number }): Promise<{ blobs: BlobStat[]; next: string | null }>;

  /**
   * Removes leftovers of puts whose process died, and returns their number. They look like running puts, so `olderThan`
   * must be longer ago than any put may take, such as a day.
   */
  removeUnfinished(options: { olderThan: Date; prefix?: string }): Promise<number>;

  /**
   * Returns a URL with which anyone can GET the blob until it expires, or null for the file store. Makes no request.
   */
  presign(key: string, options: PresignOptions): Promise<string | null>;

  /** Checks that the store works now. @throws {ChorusError} `store_unavailable` */
  check(): Promise<void>;

  /** Closes connections. Open streams may break. */
  close(): void;
}
