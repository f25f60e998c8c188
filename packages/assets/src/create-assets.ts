import type { Blobs } from '@chorus/blobs';
import { ChorusError, newId, type TellFeed } from '@chorus/contract';
import type { AssetRecord, Database } from '@chorus/database';
import type { Logger } from '@chorus/log';
import { AssetKeys } from './asset-keys.ts';
import type { AssetStore } from './asset-store.ts';
import type { NewAsset } from './assets.ts';
import { harmlessName } from './harmless-name.ts';
import { type BodyLimits, InspectedBody } from './inspected-body.ts';
import { lookInto, viewOf } from './look-into.ts';
import { StorageQuota } from './storage-quota.ts';
import { sweepOrphans } from './sweep-orphans.ts';
import { createThumbnails } from './thumbnails.ts';
import { writeNewFile } from './write-new-file.ts';

/** Where nothing else is configured: a gibibyte. */
const MAX_BYTES = 1_073_741_824;

export interface AssetLimits extends BodyLimits {
  /** Pictures with more, width × height, are refused. */
  imagePixels?: number | undefined;
}

export interface AssetParts {
  database: Pick<Database, 'assets' | 'storage' | 'secrets'> & {
    executions?: Pick<Database['executions'], 'isDeleted'>;
  };
  blobs: Blobs;
  log: Logger;
  /** The limits by kind hold for uploads; what an execution makes is bounded by the one for all. */
  limits?: AssetLimits;
  /** Of one scope; null or absent: none. */
  quotaBytes?: number | null;
  /** Is told of what comes and goes. */
  tell?: TellFeed;
}

/** Opens nothing before the first use. */
export function createAssets(parts: AssetParts): AssetStore {
  const { database, blobs, log, limits = { uploadBytes: MAX_BYTES }, quotaBytes = null, tell } = parts;
  const records = database.assets;
  const keys = new AssetKeys(database);
  const quota = new StorageQuota(database.storage, quotaBytes);
  const openContent = async (id: string, range?: { start: number; end: number }) =>
    blobs.open(await keys.content(id), range === undefined ? {} : { range });
  const storedBytes = ({ id, size_bytes }: Pick<AssetRecord, 'id' | 'size_bytes'>) => ({
    sizeBytes: size_bytes,
    open: (range?: { start: number; end: number }) => openContent(id, range),
  });
  const maxPixels = limits.imagePixels;
  const thumbnails = createThumbnails({ records, blobs, keys, storedBytes, maxPixels });

  const discardBytes = async (id: string) => {
    try {
      await blobs.removeMany(await keys.all(id));
    } catch (error) {
      log.warn({ err: error, asset_id: id }, 'bytes could not be removed; the sweep will');
    }
  };

  const discard = async ({ id, owner }: Pick<AssetRecord, 'id' | 'owner'>) => {
    await discardBytes(id);
    await quota.refund(owner, id).catch((error) => {
      log.warn({ err: error, asset_id: id }, 'bytes could not be given back; the recount will');
    });
  };

  /** Streams the body to the store, and charges it. */
  const receive = async (id: string, asset: NewAsset) => {
    const { owner } = asset;
    const incoming = await quota.receive(owner);
    try {
      const body = new InspectedBody(asset.body, limitsOf(asset, limits), incoming);
      const { sizeBytes, sha256 } = await blobs.put(await keys.content(id), body);
      await quota.charge(owner, id, sizeBytes).catch(async (error) => {
        await discardBytes(id);
        throw error;
      });
      return { type: body.type, size_bytes: sizeBytes, sha256 };
    } finally {
      incoming.end();
    }
  };

  const stage = async (asset: NewAsset): Promise<AssetRecord> => {
    const id = newId('asset');
    const { owner } = asset;
    const { type, size_bytes, sha256 } = await receive(id, asset).catch((error) => {
      if (!(asset.body instanceof Uint8Array)) asset.body.destroy();
      throw error;
    });
    try {
      const stored = storedBytes({ id, size_bytes });
      const found = await lookInto({ ...type, owner }, stored, { facts: asset.facts, maxPixels });
      const made = asset.poster !== undefined && (await thumbnails.give(id, owner, asset.poster));
      return {
        id,
        owner,
        ...type,
        size_bytes,
        sha256,
        filename: harmlessName(asset.filename),
        ...found,
        ...(made ? { thumbnail: 'stored' } : {}),
        execution_id: asset.executionId ?? null,
        output_index: asset.outputIndex ?? null,
        created_at: new Date(),
      };
    } catch (error) {
      await discard({ id, owner });
      throw error;
    }
  };

  const announce = ({ id: asset_id, owner, kind, mime_type, size_bytes, execution_id }: AssetRecord) =>
    tell?.(owner, { type: 'asset.created', asset_id, kind, mime_type, size_bytes, execution_id });

  const keep = async (staged: AssetRecord): Promise<AssetRecord> => {
    try {
      await records.insert(staged);
      await quota.settle(staged.owner, staged.id).catch((error) => {
        log.warn({ err: error, asset_id: staged.id }, 'a file stays marked until the recount');
      });
      // Looked at after the insert: a deletion that comes later finds the record.
      if (staged.execution_id !== null && (await database.executions?.isDeleted(staged.execution_id))) {
        const { id, owner, size_bytes } = staged;
        await quota.release(owner, id, size_bytes, () => records.remove(owner, id));
        await discardBytes(id);
        throw new ChorusError('cancelled', 'The execution that made this asset was deleted.');
      }
      announce(staged);
      return staged;
    } catch (error) {
      // After any other failure it is not known whether the record is there: its bytes stay, and the sweep decides.
      const taken = error instanceof ChorusError && error.code === 'conflict';
      const first = taken ? await atPlace(staged.owner, staged.execution_id, staged.output_index) : null;
      if (first === null) throw error;
      if (first.id !== staged.id) await discard(staged);
      return first;
    }
  };

  const atPlace = async (owner: AssetRecord['owner'], executionId: string | null, outputIndex: number | null) =>
    executionId === null || outputIndex === null ? null : records.getMade(owner, executionId, outputIndex);

  return {
    stage,
    keep,
    quota,
    discard,
    create: async (asset) => {
      const first = await atPlace(asset.owner, asset.executionId ?? null, asset.outputIndex ?? null);
      if (first === null) return keep(await stage(asset));
      if (!(asset.body instanceof Uint8Array)) asset.body.destroy();
      return first;
    },
    get: (owner, id) => records.get(owner, id),
    ofExecution: (owner, executionId) => records.ofExecution(owner, executionId),
    read: ({ id }, range) => openContent(id, range),
    download: async ({ id }, path, signal) => {
      await writeNewFile(await openContent(id), path, signal);
    },
    remove: async (owner, id) => {
      // The record first: bytes without a record are swept, a record without bytes would promise what is gone.
      const record = await records.get(owner, id);
      if (record === null) return false;
      if (!(await quota.release(owner, id, record.size_bytes, () => records.remove(owner, id)))) return false;
      tell?.(owner, { type: 'asset.deleted', asset_id: id });
      await discardBytes(id);
      return true;
    },
    thumbnail: (record) => thumbnails.of(record),
    view: (record) => viewOf(record, storedBytes(record), maxPixels),
    presign: async ({ id, mime_type }, { expiresInS, contentDisposition }) =>
      blobs.presign(await keys.content(id), { expiresInS, contentDisposition, contentType: mime_type }),
    removeBytes: async (ids) => {
      await blobs.removeMany((await Promise.all(ids.map((id) => keys.all(id)))).flat());
    },
    sweep: (olderThan) => sweepOrphans({ records, blobs, keys }, olderThan),
  };
}

function limitsOf({ executionId, maxBytes }: NewAsset, limits: AssetLimits): BodyLimits {
  const uploadBytes = Math.min(limits.uploadBytes, maxBytes ?? limits.uploadBytes);
  return executionId === undefined ? { uploadBytes, bytes: limits.bytes } : { uploadBytes };
}
