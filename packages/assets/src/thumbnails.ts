import { buffer } from 'node:stream/consumers';
import type { Blobs } from '@chorus/blobs';
import { ChorusError, type Owner, scopeKey } from '@chorus/contract';
import type { AssetRecord, AssetRepository } from '@chorus/database';
import { MediaError, makeThumbnail, THUMBNAIL_TYPE } from '@chorus/media';
import type { AssetKeys } from './asset-keys.ts';
import { makeSmallImage, type StoredBytes } from './inspect-file.ts';

interface ThumbnailParts {
  records: Pick<AssetRepository, 'setThumbnail'>;
  blobs: Pick<Blobs, 'put' | 'open'>;
  keys: AssetKeys;
  storedBytes(record: Pick<AssetRecord, 'id' | 'size_bytes'>): StoredBytes;
  maxPixels: number | undefined;
}

export interface Thumbnails {
  /** Stores the thumbnail of an asset that is being created. Returns false if the image is invalid. */
  give(id: string, owner: Owner, picture: Uint8Array): Promise<boolean>;
  of(record: AssetRecord): Promise<Uint8Array | null>;
}

/** Creates thumbnails on first use and stores them next to the content. */
export function createThumbnails({ records, blobs, keys, storedBytes, maxPixels }: ThumbnailParts): Thumbnails {
  const inProgress = new Map<string, Promise<Uint8Array | null>>();

  const store = async (id: string, thumbnail: Uint8Array) => {
    await blobs.put(await keys.thumbnail(id), thumbnail, { contentType: THUMBNAIL_TYPE });
  };

  const readStored = async (id: string): Promise<Uint8Array | null> => {
    try {
      return await buffer(await blobs.open(await keys.thumbnail(id)));
    } catch (error) {
      if (error instanceof ChorusError && error.code === 'not_found') return null;
      throw error;
    }
  };

  const make = async (record: AssetRecord): Promise<Uint8Array | null> => {
    const thumbnail = await makeSmallImage(record, storedBytes(record), maxPixels);
    if (thumbnail !== null) await store(record.id, thumbnail);
    await records.setThumbnail(record.owner, record.id, thumbnail === null ? 'none' : 'stored');
    return thumbnail;
  };

  const makeOnce = (record: AssetRecord) => {
    const running = inProgress.get(record.id);
    if (running !== undefined) return running;
    const making = make(record).finally(() => inProgress.delete(record.id));
    inProgress.set(record.id, making);
    return making;
  };

  return {
    give: async (id, owner, picture) => {
      const thumbnail = await makeThumbnail(picture, { owner: scopeKey(owner), maxPixels }).catch((error) => {
        if (error instanceof MediaError) return null;
        throw error;
      });
      if (thumbnail !== null) await store(id, thumbnail);
      return thumbnail !== null;
    },
    of: async (record) => {
      if (record.thumbnail === 'none') return null;
      const stored = record.thumbnail === 'stored' ? await readStored(record.id) : null;
      return stored ?? makeOnce(record);
    },
  };
}
