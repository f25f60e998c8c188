import { createWriteStream } from 'node:fs';
import { rm } from 'node:fs/promises';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Blobs } from '@chorus/blobs';
import { ChorusError, newId, type PublishFeedEvent } from '@chorus/contract';
import type { AssetRecord, Database } from '@chorus/database';
import type { Logger } from '@chorus/runtime/log';
import { AssetKeys } from './asset-keys.ts';
import type { AssetStore, NewAsset } from './assets.ts';
import { inspectFile, makeModelView } from './inspect-file.ts';
import { type BodyLimits, InspectedBody } from './inspected-body.ts';
import { sanitizeFilename } from './sanitize-filename.ts';
import { StorageQuota } from './storage-quota.ts';
import { sweepOrphans } from './sweep-orphans.ts';
import { createThumbnails } from './thumbnails.ts';
import { verifiedContent } from './verified-content.ts';

const MAX_BYTES = 1_073_741_824;

/** Assets that a process remembers as whole. */
const MAX_VERIFIED = 10_000;

export interface AssetLimits extends BodyLimits {
  /** Maximum width × height. */
  imagePixels?: number | undefined;
}

export interface AssetParts {
  database: Pick<Database, 'assets' | 'storage' | 'secrets'> & {
    executions?: Pick<Database['executions'], 'isDeleted'>;
  };
  blobs: Blobs;
  log: Logger;
  /** Limits by kind apply to uploads only; the general limit applies to all files. */
  limits?: AssetLimits;
  /** Per scope. Null or absent: no limit. */
  quotaBytes?: () => number | null;
  publishToFeed?: PublishFeedEvent;
}

export function createAssets(parts: AssetParts): AssetStore {
  const { database, blobs, log, limits = { uploadBytes: MAX_BYTES }, quotaBytes = () => null, publishToFeed } = parts;
  const records = database.assets;
  const keys = new AssetKeys(database);
  const quota = new StorageQuota(database.storage, quotaBytes);
  const openContent = async (id: string, range?: { start: number; end: number }) =>
    blobs.open(await keys.content(id), range === undefined ? {} : { range });
  const storedBytes = ({ id, size_bytes }: Pick<AssetRecord, 'id' | 'size_bytes'>) => ({
    sizeBytes: size_bytes,
    open: (range?: { start: number; end: number }) => openContent(id, range),
  });
  const verified = new Set<string>();
  const noteVerified = (id: string) => {
    if (verified.size === MAX_VERIFIED) verified.clear();
    verified.add(id);
  };
  const read: AssetStore['read'] = async ({ id, sha256, size_bytes }, range) => {
    const isWhole = range === undefined || (range.start === 0 && range.end + 1 === size_bytes);
    const content = await openContent(id, range);
    return isWhole && sha256 !== undefined && !verified.has(id)
      ? verifiedContent(content, sha256, () => noteVerified(id))
      : content;
  };
  const maxPixels = limits.imagePixels;
  const thumbnails = createThumbnails({ records, blobs, keys, storedBytes, maxPixels });

  const discardBytes = async (id: string) => {
    try {
      await blobs.removeMany(await keys.all(id));
    } catch (error) {
      log.warn({ err: error, asset_id: id }, 'bytes not removed; the sweep will remove them');
    }
  };

  const discard = async ({ id, owner }: Pick<AssetRecord, 'id' | 'owner'>) => {
    await discardBytes(id);
    await quota.refund(owner, id).catch((error) => {
      log.warn({ err: error, asset_id: id }, 'bytes not refunded; the recount will refund them');
    });
  };

  /** Streams the body to the store and charges its size. */
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
      const found = await inspectFile({ ...type, owner }, stored, { facts: asset.facts, maxPixels });
      const made = asset.poster !== undefined && (await thumbnails.give(id, owner, asset.poster));
      return {
        id,
        owner,
        ...type,
        size_bytes,
        sha256,
        filename: sanitizeFilename(asset.filename),
        ...found,
        ...(made ? { thumbnail: 'stored' } : {}),
        execution_id: asset.executionId ?? null,
        batch_id: asset.batchId ?? null,
        output_index: asset.outputIndex ?? null,
        file: asset.file ?? null,
        created_at: new Date(),
      };
    } catch (error) {
      await discard({ id, owner });
      throw error;
    }
  };

  const announce = ({ id: asset_id, owner, kind, mime_type, size_bytes, execution_id }: AssetRecord) =>
    publishToFeed?.(owner, { type: 'asset.created', asset_id, kind, mime_type, size_bytes, execution_id });

  const keep = async (staged: AssetRecord): Promise<AssetRecord> => {
    try {
      await records.insert(staged);
      await quota.settle(staged.owner, staged.id).catch((error) => {
        log.warn({ err: error, asset_id: staged.id }, 'charge not settled; the recount will settle it');
      });
      // Checked after the insert, so a later deletion finds the record.
      if (staged.execution_id !== null && (await database.executions?.isDeleted(staged.execution_id))) {
        const { id, owner, size_bytes } = staged;
        await quota.release(owner, id, size_bytes, () => records.remove(owner, id));
        await discardBytes(id);
        throw new ChorusError('cancelled', 'The execution that created this asset was deleted.');
      }
      announce(staged);
      return staged;
    } catch (error) {
      // After other failures the record may exist, so the sweep must check before it removes the bytes.
      const taken = error instanceof ChorusError && error.code === 'conflict';
      const maker = staged.execution_id ?? staged.batch_id;
      const first = taken ? await atPlace(staged.owner, maker, staged.output_index) : null;
      if (first === null) throw error;
      if (first.id !== staged.id) await discard(staged);
      return first;
    }
  };

  const atPlace = async (owner: AssetRecord['owner'], makerId: string | null, outputIndex: number | null) =>
    makerId === null || outputIndex === null ? null : records.getByPosition(owner, makerId, outputIndex);

  return {
    stage,
    keep,
    quota,
    discard,
    create: async (asset) => {
      const maker = asset.executionId ?? asset.batchId ?? null;
      const first = await atPlace(asset.owner, maker, asset.outputIndex ?? null);
      if (first === null) return keep(await stage(asset));
      if (!(asset.body instanceof Uint8Array)) asset.body.destroy();
      return first;
    },
    get: (owner, id) => records.get(owner, id),
    ofExecution: (owner, executionId) => records.listByExecution(owner, executionId),
    read,
    download: async (record, path, signal) => {
      await writeNewFile(await read(record), path, signal);
    },
    remove: async (owner, id) => {
      // Delete the record first: bytes without a record are swept, but a record without bytes would stay.
      const record = await records.get(owner, id);
      if (record === null) return false;
      if (!(await quota.release(owner, id, record.size_bytes, () => records.remove(owner, id)))) return false;
      publishToFeed?.(owner, { type: 'asset.deleted', asset_id: id });
      await discardBytes(id);
      return true;
    },
    thumbnail: (record) => thumbnails.of(record),
    view: (record) => makeModelView(record, storedBytes(record), maxPixels),
    presign: async ({ id, mime_type }, { expiresInS, contentDisposition }) =>
      blobs.presign(await keys.content(id), { expiresInS, contentDisposition, contentType: mime_type }),
    removeBytes: async (ids) => {
      await blobs.removeMany((await Promise.all(ids.map((id) => keys.all(id)))).flat());
    },
    sweep: (olderThan) => sweepOrphans({ records, blobs, keys }, olderThan),
  };
}

function limitsOf({ executionId, batchId, maxBytes }: NewAsset, limits: AssetLimits): BodyLimits {
  if (batchId !== undefined) return { uploadBytes: Number.POSITIVE_INFINITY };
  const uploadBytes = Math.min(limits.uploadBytes, maxBytes ?? limits.uploadBytes);
  return executionId === undefined ? { uploadBytes, bytes: limits.bytes } : { uploadBytes };
}

/** Writes a new file. Removes it if writing fails. */
async function writeNewFile(body: Readable, path: string, signal?: AbortSignal): Promise<void> {
  const file = createWriteStream(path, { flags: 'wx', mode: 0o600 });
  let created = false;
  file.once('open', () => {
    created = true;
  });
  try {
    await pipeline(body, file, signal === undefined ? {} : { signal });
  } catch (error) {
    if (created) await rm(path, { force: true });
    throw error;
  }
}
