import type { Readable } from 'node:stream';
import type { AssetFacts, Owner } from '@chorus/contract';
import type { AssetRecord, OpenAiFile } from '@chorus/database';
import type { StorageQuota } from './storage-quota.ts';

/** Range of bytes, both ends included, as in a `Range` header. */
export interface ByteRange {
  start: number;
  end: number;
}

export interface NewAsset {
  owner: Owner;
  body: Readable | Uint8Array;
  /** Sanitized when stored. */
  filename: string | null;
  /** The execution that creates it. Absent: an upload, or a file of a batch. */
  executionId?: string;
  /** The batch whose results it contains. Their size is not limited. */
  batchId?: string;
  /** Index in the output of its execution or batch. The first asset at an index wins, and repeats return its record. */
  outputIndex?: number;
  /** How OpenAI's API lists it. Absent: not at all. */
  file?: OpenAiFile;
  /** Applies in addition to the limits by kind. */
  maxBytes?: number;
  /** Known facts, which are not measured again. */
  facts?: { width?: number; height?: number; duration_ms?: number };
  /** Poster of a video: WebP, PNG or JPEG. */
  poster?: Uint8Array;
}

/** Without its hash, the content is not checked. */
type ReadableAsset = Pick<AssetRecord, 'id'> & Partial<Pick<AssetRecord, 'sha256' | 'size_bytes'>>;

/** Files of users and executions, with records in the database and bytes in object storage. */
export interface Assets {
  /**
   * Stores a file and detects its kind and type. A failing or too large body leaves nothing.
   *
   * @throws {ChorusError} payload_too_large, storage_full, overloaded, invalid_request (a damaged or too large
   * image), store_unavailable
   */
  create(asset: NewAsset): Promise<AssetRecord>;
  get(owner: Owner, id: string): Promise<AssetRecord | null>;
  /** Sorted by `output_index`. */
  ofExecution(owner: Owner, executionId: string): Promise<AssetRecord[]>;
  /**
   * Reads the content. The first time that a process reads all of it, it compares the hash, and the stream fails with
   * `internal_error` before its last chunk if the content is damaged.
   *
   * @throws {ChorusError} not_found when the bytes are gone; store_unavailable
   */
  read(record: ReadableAsset, range?: ByteRange): Promise<Readable>;
  /** Writes the content to a new file. @throws {ChorusError} as `read` */
  download(record: AssetRecord, path: string, signal?: AbortSignal): Promise<void>;
  /** Deletes the record, then the bytes. Returns false if there is no such asset. */
  remove(owner: Owner, id: string): Promise<boolean>;
}

export interface PresignOptions {
  expiresInS: number;
  /** Header of the store's response. */
  contentDisposition: string;
}

/** Asset functions for the API and the sweeps. */
export interface AssetStore extends Assets {
  readonly quota: StorageQuota;
  /**
   * Stores the bytes and returns their future record, which stays hidden until `keep`. The sweep removes it
   * if the process dies before `keep` or `discard`.
   *
   * @throws {ChorusError} as `create`
   */
  stage(asset: NewAsset): Promise<AssetRecord>;
  /**
   * Inserts a staged record. Returns the first one if another has its place. @throws {ChorusError}
   * store_unavailable
   */
  keep(staged: AssetRecord): Promise<AssetRecord>;
  /** Removes the bytes of a staged record. The sweep handles failures. */
  discard(staged: Pick<AssetRecord, 'id' | 'owner'>): Promise<void>;
  /**
   * Returns a small WebP of an image or a video, made on first use. Null: not possible.
   *
   * @throws {ChorusError} store_unavailable; overloaded while too many are being made
   */
  thumbnail(record: AssetRecord): Promise<Uint8Array | null>;
  /**
   * Returns an image for vision models: a JPEG of at most 1,280 pixels. Null: not a decodable image.
   *
   * @throws {ChorusError} not_found when its bytes are gone; store_unavailable
   */
  view(record: AssetRecord): Promise<Uint8Array | null>;
  /** Returns a URL of the content at the store itself, or null if the store has no public access. */
  presign(record: AssetRecord, options: PresignOptions): Promise<string | null>;
  /** Removes the bytes of assets before their records. @throws {ChorusError} store_unavailable */
  removeBytes(ids: readonly string[]): Promise<void>;
  /** Removes bytes without a record. Returns the number of assets. @throws {ChorusError} store_unavailable */
  sweep(olderThan: Date): Promise<number>;
}

/** Returns the part of an asset's record that results store. */
export function assetFactsOf(record: AssetRecord): AssetFacts {
  const { id, kind, mime_type, size_bytes, sha256, filename, width, height, duration_ms, execution_id } = record;
  const created_at = record.created_at.toISOString();
  return {
    id,
    kind,
    mime_type,
    size_bytes,
    sha256,
    filename,
    width,
    height,
    duration_ms,
    execution_id,
    created_at,
  };
}
