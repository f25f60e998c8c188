import type { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import type { AssetRecord } from '@chorus/database';
import {
  Budget,
  isDecodable,
  MediaError,
  makePoster,
  makeThumbnail,
  makeView,
  probeImage,
  probeVideo,
} from '@chorus/media';
import type { ByteRange } from './assets.ts';
import { invalidFile } from './inspected-body.ts';
import { withLocalCopy } from './local-copy.ts';

/** So many files are brought near at once in a process. */
const copies = new Budget(4);

/** More than so many that wait are turned away. */
export const MAX_WAITING = 500;

export const waitingCopies = (): number => copies.waiting;

/** Stored bytes, to be read as often as needed. */
export interface StoredBytes {
  sizeBytes: number;
  open(range?: ByteRange): Promise<Readable>;
}

export type LookedInto = Pick<AssetRecord, 'width' | 'height' | 'duration_ms' | 'perceptual_hash' | 'thumbnail'>;

const NOTHING: LookedInto = { width: null, height: null, duration_ms: null, perceptual_hash: null, thumbnail: 'none' };

export interface LookOptions {
  /** What is known already. */
  facts?: { width?: number; height?: number; duration_ms?: number } | undefined;
  maxPixels?: number | undefined;
}

/**
 * What can be said of a file's content beside its type. Pictures are decoded once; videos and sounds are asked for their measures, and may be anything.
 *
 * @throws {ChorusError} invalid_request for a picture that is damaged or too large to be decoded; store_unavailable
 */
export async function lookInto(
  { kind, mime_type }: Pick<AssetRecord, 'kind' | 'mime_type'>,
  stored: StoredBytes,
  { facts, maxPixels }: LookOptions,
): Promise<LookedInto> {
  if (kind === 'image' && isDecodable(mime_type)) {
    const found = await nearby(stored, (local) => probeImage(local, { maxPixels })).catch(refuse);
    return { ...NOTHING, ...found, thumbnail: 'possible' };
  }
  if (kind !== 'video' && kind !== 'audio') return NOTHING;
  const known = facts?.duration_ms === undefined ? await probeVideo(sourceOf(stored)) : facts;
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
 * A small WebP of a picture or a video; null: none can be had of it.
 *
 * @throws {ChorusError} store_unavailable, not_found
 */
export async function smallPicture(
  { kind }: Pick<AssetRecord, 'kind'>,
  stored: StoredBytes,
  maxPixels: number | undefined,
): Promise<Uint8Array | null> {
  if (kind === 'video') return makePoster(sourceOf(stored));
  return nearby(stored, (local) => makeThumbnail(local, { maxPixels })).catch(noPicture);
}

/**
 * A picture as models that see are shown it; null: it can't be decoded.
 *
 * @throws {ChorusError} store_unavailable, not_found
 */
export async function viewOf(
  { mime_type }: Pick<AssetRecord, 'mime_type'>,
  stored: StoredBytes,
  maxPixels: number | undefined,
): Promise<Uint8Array | null> {
  if (!isDecodable(mime_type)) return null;
  return nearby(stored, (local) => makeView(local, { maxPixels })).catch(noPicture);
}

function noPicture(error: unknown): null {
  if (error instanceof MediaError) return null;
  throw error;
}

function nearby<T>(stored: StoredBytes, work: (local: string | Uint8Array) => Promise<T>): Promise<T> {
  return copies.run(1, () => withLocalCopy(() => stored.open(), stored.sizeBytes, work));
}

function sourceOf({ sizeBytes, open }: StoredBytes) {
  const read = async (start: number, end: number) => buffer(await open({ start, end: end - 1 }));
  return { sizeBytes, read };
}

function refuse(error: unknown): never {
  if (error instanceof MediaError) throw invalidFile(error.message, error);
  throw error;
}
