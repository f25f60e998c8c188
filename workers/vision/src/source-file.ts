import { mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Assets } from '@chorus/assets';
import { type AssetKind, ChorusError, type MediaSource, type Owner } from '@chorus/contract';
import type { AssetRecord } from '@chorus/database';
import { detectFileType } from '@chorus/media';
import type { Outbound } from '@chorus/outbound';

/** A job's input as a local file. */
export interface SourceFile {
  path: string;
  kind: AssetKind;
  /** Detected from the bytes. */
  mimeType: string;
  sizeBytes: number;
  filename: string | null;
  asset: AssetRecord | null;
}

export interface SourceParts {
  assets: Pick<Assets, 'get' | 'download'>;
  outbound: Pick<Outbound, 'download'>;
  /** Larger downloads are refused. */
  maxBytes: number;
}

/**
 * Fetches a job's input into a temporary file for the duration of `work`.
 *
 * @throws {ChorusError} not_found if the asset is gone; url_not_allowed · download_failed · payload_too_large ·
 * store_unavailable; the signal's reason
 */
export async function withSourceFile<T>(
  parts: SourceParts,
  owner: Owner,
  source: MediaSource,
  signal: AbortSignal,
  work: (file: SourceFile) => Promise<T>,
): Promise<T> {
  const folder = await mkdtemp(join(tmpdir(), 'chorus-source-'));
  try {
    const path = join(folder, 'source');
    const fetch = source.type === 'asset' ? fetchAsset(parts, owner, source.asset_id) : fetchUrl(parts, source.url);
    const file = await fetch(path, signal);
    signal.throwIfAborted();
    return await work(file);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

type Fetch = (path: string, signal: AbortSignal) => Promise<SourceFile>;

function fetchAsset({ assets }: SourceParts, owner: Owner, id: string): Fetch {
  return async (path, signal) => {
    const asset = await assets.get(owner, id);
    if (asset === null) throw new ChorusError('not_found', 'The asset was deleted.');
    await assets.download(asset, path, signal);
    const { kind, mime_type, size_bytes, filename } = asset;
    return { path, kind, mimeType: mime_type, sizeBytes: size_bytes, filename, asset };
  };
}

function fetchUrl({ outbound, maxBytes }: SourceParts, url: string): Fetch {
  return async (path, signal) => {
    const { filename } = await outbound.download(url, path, { maxBytes, signal });
    const { size } = await stat(path);
    const { kind, mime_type } = await detectFileType(path);
    return { path, kind, mimeType: mime_type, sizeBytes: size, filename, asset: null };
  };
}
