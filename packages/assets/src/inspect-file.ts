import type { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { scopeKey } from '@chorus/contract';
import type { AssetRecord } from '@chorus/database';
import { inspectImage, isDecodable, MediaError, makePoster, makeThumbnail, makeView, probeVideo } from '@chorus/media';
import type { ByteRange } from './assets.ts';
import { invalidFile } from './inspected-body.ts';

/** Stored bytes, which can be read repeatedly. */
export interface StoredBytes {
  sizeBytes: number;
  open(range?: ByteRange): Promise<Readable>;
}

export type Inspection = Pick<AssetRecord, 'width' | 'height' | 'duration_ms' | 'perceptual_hash' | 'thumbnail'>;

const NOTHING: Inspection = { width: null, height: null, duration_ms: null, perceptual_hash: null, thumbnail: 'none' };

export interface InspectOptions {
  facts?: { width?: number; height?: number; duration_ms?: number } | undefined;
  maxPixels?: number | undefined;
}

/**
 * Measures a file. Decodes small images, and reads the headers of large ones. Returns no measures for unreadable
 * videos and sounds.
 *
 * @throws {ChorusError} invalid_request for an image that is damaged or has too many pixels; overloaded;
 * store_unavailable
 */
export async function inspectFile(
  { kind, mime_type, owner }: Pick<AssetRecord, 'kind' | 'mime_type' | 'owner'>,
  stored: StoredBytes,
  { facts, maxPixels }: InspectOptions,
): Promise<Inspection> {
  if (kind === 'image' && isDecodable(mime_type)) {
    const found = await inspectImage(stored, { owner: scopeKey(owner), maxPixels }).catch(refuse);
    return { ...NOTHING, ...found, thumbnail: 'possible' };
  }
  if (kind !== 'video' && kind !== 'audio') return NOTHING;
  const known = facts?.duration_ms === undefined ? await probeVideo(sourceOf(stored), scopeKey(owner)) : facts;
  const { width = null, height = null, duration_ms = null } = known ?? {};
  return {
    ...NOTHING,
    width,
    height,
    duration_ms,
    thumbnail: kind === 'video' && width !== null ? 'possible' : 'none',
  };
}

/**
 * Makes a small WebP of an image or a video. Returns null if that is not possible.
 *
 * @throws {ChorusError} store_unavailable, not_found, overloaded
 */
export async function makeSmallImage(
  { kind, owner }: Pick<AssetRecord, 'kind' | 'owner'>,
  stored: StoredBytes,
  maxPixels: number | undefined,
): Promise<Uint8Array | null> {
  if (kind === 'video') return makePoster(sourceOf(stored), scopeKey(owner));
  return makeThumbnail(stored, { owner: scopeKey(owner), maxPixels }).catch(noPicture);
}

/**
 * Makes an image for vision models. Returns null if it cannot be decoded.
 *
 * @throws {ChorusError} store_unavailable, not_found, overloaded
 */
export async function makeModelView(
  { mime_type, owner }: Pick<AssetRecord, 'mime_type' | 'owner'>,
  stored: StoredBytes,
  maxPixels: number | undefined,
): Promise<Uint8Array | null> {
  if (!isDecodable(mime_type)) return null;
  return makeView(stored, { owner: scopeKey(owner), maxPixels }).catch(noPicture);
}

function noPicture(error: unknown): null {
  if (error instanceof MediaError) return null;
  throw error;
}

function sourceOf({ sizeBytes, open }: StoredBytes) {
  const read = async (start: number, end: number) => buffer(await open({ start, end: end - 1 }));
  return { sizeBytes, read };
}

function refuse(error: unknown): never {
  if (error instanceof MediaError) throw invalidFile(error.message, error);
  throw error;
}
