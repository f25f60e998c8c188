import { createHash } from 'node:crypto';
import { createReadStream, createWriteStream } from 'node:fs';
import { mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';
import type { Assets } from '@chorus/assets';
import type { Blobs } from '@chorus/blobs';
import { ChorusError, type MediaSource, type Owner, type TEXT_FORMATS } from '@chorus/contract';
import type { KnowledgeRecord } from '@chorus/database';
import { isShortText } from '@chorus/documents';
import type { KnowledgeKeys } from '@chorus/knowledge';
import { detectFileType } from '@chorus/media';
import type { Outbound } from '@chorus/outbound';

/** The source of an entry as a local file. */
export interface SourceFile {
  path: string;
  mimeType: string;
  filename: string | null;
  sizeBytes: number;
  /** Hexadecimal. */
  sha256: string;
}

export interface SourceParts {
  assets: Pick<Assets, 'get' | 'download' | 'read'>;
  blobs: Pick<Blobs, 'open'>;
  keys: KnowledgeKeys;
  outbound: Pick<Outbound, 'download'>;
  /** Larger downloads are refused. */
  maxBytes: number;
}

const MIME_TYPES: Record<(typeof TEXT_FORMATS)[number], string> = {
  text: 'text/plain',
  markdown: 'text/markdown',
  html: 'text/html',
};

/** Prefers pages and documents to images of them. */
const ACCEPT = 'text/html, application/pdf, text/markdown, text/plain, */*;q=0.8';

/** Declared types of text are trusted, because text formats look alike in bytes. */
const TRUSTED_TYPES = new Set(['text/html', 'application/xhtml+xml', 'text/markdown', 'text/csv']);

/** A source in memory. */
export interface ShortSource extends Omit<SourceFile, 'path'> {
  bytes: Buffer;
}

/**
 * Reads a stored source that is a short text; null for any other.
 *
 * @throws {ChorusError} not_found, store_unavailable
 */
export async function readShortSource(
  { assets, blobs, keys }: Pick<SourceParts, 'assets' | 'blobs' | 'keys'>,
  { id, owner, source, text_name, size_bytes }: KnowledgeRecord,
  signal: AbortSignal,
): Promise<ShortSource | null> {
  if (source.type === 'url' || size_bytes === null) return null;
  const filename = source.type === 'file' ? source.filename : null;
  const mimeType = source.type === 'file' ? source.mime_type : MIME_TYPES[source.format];
  if (!isShortText({ mimeType, filename, sizeBytes: size_bytes })) return null;
  const open = async () => {
    if (source.type === 'text') return blobs.open(await keys.text(id, String(text_name)), { signal });
    const asset = await assets.get(owner, source.asset_id);
    if (asset === null) throw new ChorusError('not_found', 'The source file was deleted.');
    return assets.read(asset);
  };
  const bytes = await buffer(await open());
  const sha256 = createHash('sha256').update(bytes).digest('hex');
  return { bytes, mimeType, filename, sizeBytes: bytes.length, sha256 };
}

/**
 * Fetches an entry's source into a temporary file for the duration of `work`.
 *
 * @throws {ChorusError} not_found if the source is gone; url_not_allowed · download_failed · payload_too_large
 * · store_unavailable; the signal's reason
 */
export function withSourceFile<T>(
  parts: SourceParts,
  entry: KnowledgeRecord,
  signal: AbortSignal,
  work: (file: SourceFile) => Promise<T>,
): Promise<T> {
  return withFile((path) => fetchInto(parts, entry, path, signal), signal, work);
}

/** Like `withSourceFile`, for an asset or a URL. */
export function withMediaSource<T>(
  parts: FetchParts,
  owner: Owner,
  source: MediaSource,
  signal: AbortSignal,
  work: (file: SourceFile) => Promise<T>,
): Promise<T> {
  const fetchSource = async (path: string) => {
    if (source.type === 'url') return fetchUrl(parts, source.url, path, signal);
    return fetchAsset(parts, owner, source.asset_id, path, signal);
  };
  return withFile(fetchSource, signal, work);
}

async function withFile<T>(
  fetchSource: (path: string) => Promise<Fetched>,
  signal: AbortSignal,
  work: (file: SourceFile) => Promise<T>,
): Promise<T> {
  const folder = await mkdtemp(join(tmpdir(), 'chorus-knowledge-'));
  try {
    const path = join(folder, 'source');
    const { mimeType, filename } = await fetchSource(path);
    signal.throwIfAborted();
    const { size } = await stat(path);
    return await work({ path, mimeType, filename, sizeBytes: size, sha256: await hashOf(path, signal) });
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

type FetchParts = Pick<SourceParts, 'assets' | 'outbound' | 'maxBytes'>;
type Fetched = Pick<SourceFile, 'mimeType' | 'filename'>;

async function fetchInto(
  parts: SourceParts,
  { id, owner, source, text_name }: KnowledgeRecord,
  path: string,
  signal: AbortSignal,
): Promise<Fetched> {
  switch (source.type) {
    case 'text': {
      const content = await parts.blobs.open(await parts.keys.text(id, String(text_name)), { signal });
      await pipeline(content, createWriteStream(path, { flags: 'wx', mode: 0o600 }), { signal });
      return { mimeType: MIME_TYPES[source.format], filename: null };
    }
    case 'file': {
      const { mimeType } = await fetchAsset(parts, owner, source.asset_id, path, signal);
      return { mimeType, filename: source.filename };
    }
    case 'url':
      return fetchUrl(parts, source.url, path, signal);
    default:
      return source satisfies never;
  }
}

async function fetchAsset(
  { assets }: FetchParts,
  owner: Owner,
  id: string,
  path: string,
  signal: AbortSignal,
): Promise<Fetched> {
  const asset = await assets.get(owner, id);
  if (asset === null) throw new ChorusError('not_found', 'The source file was deleted.');
  await assets.download(asset, path, signal);
  return { mimeType: asset.mime_type, filename: asset.filename };
}

async function fetchUrl(
  { outbound, maxBytes }: FetchParts,
  url: string,
  path: string,
  signal: AbortSignal,
): Promise<Fetched> {
  const { filename, contentType } = await outbound.download(url, path, { maxBytes, signal, accept: ACCEPT });
  return { mimeType: await typeOf(path, contentType), filename };
}

async function typeOf(path: string, declared: string | null): Promise<string> {
  const { mime_type } = await detectFileType(path);
  const isText = mime_type.startsWith('text/') || mime_type === 'application/octet-stream';
  return isText && declared !== null && TRUSTED_TYPES.has(declared) ? declared : mime_type;
}

async function hashOf(path: string, signal: AbortSignal): Promise<string> {
  const hash = createHash('sha256');
  await pipeline(createReadStream(path), hash, { signal });
  return hash.digest('hex');
}
