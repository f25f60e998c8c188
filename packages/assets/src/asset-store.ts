import type { AssetRecord } from '@chorus/database';
import type { Assets, NewAsset } from './assets.ts';
import type { StorageQuota } from './storage-quota.ts';

export interface PresignOptions {
  expiresInS: number;
  /** Of the answer that the store then gives. */
  contentDisposition: string;
}

/** What the API and sweeps do with assets beside `Assets`. */
export interface AssetStore extends Assets {
  /** What scopes may store. */
  readonly quota: StorageQuota;
  /**
   * Stores the bytes, and answers the record that they will have: nobody sees it until it is kept. What is neither kept nor discarded, since its process
   * died, is swept away.
   *
   * @throws {ChorusError} as `create`
   */
  stage(asset: NewAsset): Promise<AssetRecord>;
  /** Inserts a staged record. The record of who was first, where its place is taken. @throws {ChorusError} store_unavailable */
  keep(staged: AssetRecord): Promise<AssetRecord>;
  /** Removes the bytes of a staged record. What fails is left to the sweep. */
  discard(staged: Pick<AssetRecord, 'id' | 'owner'>): Promise<void>;
  /**
   * A small WebP of an image or a video; made when it is asked for first. Null: there is none to be had.
   *
   * @throws {ChorusError} store_unavailable; overloaded while too many are being made
   */
  thumbnail(record: AssetRecord): Promise<Uint8Array | null>;
  /**
   * An image as models that see are shown it: a JPEG of 1,280 pixels at most. Null: it is none that can be decoded.
   *
   * @throws {ChorusError} not_found when its bytes are gone; store_unavailable
   */
  view(record: AssetRecord): Promise<Uint8Array | null>;
  /** An address at which the store itself gives the content; null where it gives none to the world. */
  presign(record: AssetRecord, options: PresignOptions): Promise<string | null>;
  /** Removes the bytes of these assets, whose records are about to go. @throws {ChorusError} store_unavailable */
  removeBytes(ids: readonly string[]): Promise<void>;
  /** Removes bytes older than `olderThan` that no record names; answers how many assets they were of. @throws {ChorusError} store_unavailable */
  sweep(olderThan: Date): Promise<number>;
}
