import type { Readable } from 'node:stream';
import type { Owner } from '@chorus/contract';
import type { AssetRecord } from '@chorus/database';

/** Part of the bytes, both ends included, as in a `Range` header. */
export interface ByteRange {
  start: number;
  end: number;
}

export interface NewAsset {
  owner: Owner;
  body: Readable | Uint8Array;
  /** As somebody called it; made harmless here. */
  filename: string | null;
  /** The execution that makes it; absent: it is uploaded. */
  executionId?: string;
  /** Its place among what the execution makes. Of several with one place the first counts: a repeat answers its record. */
  outputIndex?: number;
  /** Beside the limits by kind. */
  maxBytes?: number;
  /** What its maker knows already; it is not looked for then. */
  facts?: { width?: number; height?: number; duration_ms?: number };
  /** A picture of a video: WebP, PNG or JPEG. */
  poster?: Uint8Array;
}

/** Files of users and of executions: their records in the database, their bytes in object storage. */
export interface Assets {
  /**
   * Streams the bytes to the store; kind and type are found from the bytes. A body that fails, or is too large, leaves nothing.
   *
   * @throws {ChorusError} payload_too_large, storage_full, overloaded, invalid_request (an image that is damaged or too large to be decoded), store_unavailable
   */
  create(asset: NewAsset): Promise<AssetRecord>;
  get(owner: Owner, id: string): Promise<AssetRecord | null>;
  /** By `output_index`. */
  ofExecution(owner: Owner, executionId: string): Promise<AssetRecord[]>;
  /** @throws {ChorusError} not_found when the bytes are gone; store_unavailable */
  read(record: Pick<AssetRecord, 'id'>, range?: ByteRange): Promise<Readable>;
  /** Writes the content to a new file. @throws {ChorusError} as `read` */
  download(record: AssetRecord, path: string, signal?: AbortSignal): Promise<void>;
  /** Deletes the record, then the bytes. False: no such asset. */
  remove(owner: Owner, id: string): Promise<boolean>;
}
