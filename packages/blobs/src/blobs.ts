import type { Readable } from 'node:stream';

/** What bytes come as. A stream is read at the store's pace and is destroyed where it is not read to its end. */
export type BlobSource = Readable | AsyncIterable<Uint8Array> | Uint8Array;

/** Which bytes of a blob, the first being 0. Both ends count, as in HTTP; an `end` beyond the last byte, or none, means the last one. */
export interface ByteRange {
  start: number;
  end?: number;
}

/** What was found out while bytes were stored. */
export interface PutResult {
  sizeBytes: number;
  /** In hexadecimal. */
  sha256: string;
}

/** What a store knows of a blob. */
export interface BlobStat {
  key: string;
  sizeBytes: number;
  /** When it was stored, by the store's clock. */
  modifiedAt: Date;
}

export interface PutOptions {
  /** More than so many bytes are refused, and nothing is kept of them. */
  maxBytes?: number;
  /** What the store says of the content to who fetches it by a presigned URL that says nothing else; files keep none. */
  contentType?: string;
  signal?: AbortSignal;
}

export interface PresignOptions {
  /** How long the URL holds, in seconds: up to a week. */
  expiresInS: number;
  /** The headers of the answer. */
  contentType?: string;
  contentDisposition?: string;
}

/**
 * Bytes under keys: files in a folder, or objects in a bucket of S3. Any number of processes may use the same store.
 *
 * A key is one or more segments between slashes, each of `a-z 0-9 . _ -` and beginning with a letter or digit, with 200 characters at most;
 * another one is a mistake of the caller's: a `TypeError`. Whatever fails of the store itself is a `ChorusError` `store_unavailable` with its
 * cause, and comes in bounded time.
 */
export interface Blobs {
  readonly kind: 'files' | 's3';

  /**
   * Stores bytes under a key, in place of what was there, while they come: only a small part of them is in memory at any time. The blob
   * appears whole, or not at all; where the store's last answer was lost, it may be there although this has failed. It waits for its source
   * as long as that takes: who reads from a network sets a limit by the source or the `signal`.
   *
   * @throws {ChorusError} `store_unavailable`; `payload_too_large` beyond `maxBytes`
   * @throws the source's own error, or the signal's reason, as they are
   */
  put(key: string, source: BlobSource, options?: PutOptions): Promise<PutResult>;

  /**
   * Opens a blob for reading. Who gets the stream reads it to its end or destroys it. What fails on the way is the stream's error, a
   * `ChorusError` `store_unavailable`.
   *
   * @throws {ChorusError} `not_found`, `store_unavailable`
   * @throws {RangeError} where no byte of the blob lies in the range
   */
  open(key: string, options?: { range?: ByteRange; signal?: AbortSignal }): Promise<Readable>;

  /** Null: there is none. */
  stat(key: string): Promise<BlobStat | null>;

  /** Removes a blob, if there is one. */
  remove(key: string): Promise<void>;

  /** Removes many, in any order; where one fails, the others are removed before that is thrown. */
  removeMany(keys: readonly string[]): Promise<void>;

  /**
   * The blobs whose keys begin with `prefix`, a page at a time in an order of the store's own: who goes on with `after: next` until `next`
   * is null has seen each blob once that was there all the while.
   *
   * @param page.limit 1,000 at most, which is the default
   */
  list(page?: { prefix?: string; after?: string; limit?: number }): Promise<{ blobs: BlobStat[]; next: string | null }>;

  /**
   * Removes what puts under `prefix` have left that were broken off by the end of their process. Nobody sees it but the disk or the bill.
   * The store can't tell it from a put that is under way: `olderThan` is for longer ago than any takes, such as a day. Answers how many.
   */
  removeUnfinished(options: { olderThan: Date; prefix?: string }): Promise<number>;

  /**
   * A URL that anybody can GET the blob by until it expires, whether there is one or not; null where the store is files. It says nothing of
   * the store's health: no request is made.
   */
  presign(key: string, options: PresignOptions): Promise<string | null>;

  /** Resolves where the store can be used now. @throws {ChorusError} `store_unavailable` */
  check(): Promise<void>;

  /** Lets go of connections. Streams that are still read may break. */
  close(): void;
}
