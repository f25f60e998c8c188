import type { Metadata, Sharp } from 'sharp';
import { Budget } from './budget.ts';
import { loadSharp } from './load-sharp.ts';
import { MediaError } from './media-error.ts';

/** A picture's bytes, or the path of its file. */
export type ImageInput = string | Uint8Array;

/** More pixels than these, width × height of one page, are refused unless said otherwise. */
const MAX_PIXELS = 100_000_000;

/** Decoding one picture may take so long, in seconds. */
const MAX_SECONDS = 30;

/** Interlaced ones need all their pixels in memory: four bytes of each, and as much again for some. */
const budget = new Budget(120_000_000);

/** What sharp calls the formats that are decoded; whatever else it could read (SVG, PDF, …) is none of ours. */
const FORMATS = new Set(['png', 'jpeg', 'webp', 'gif', 'tiff', 'heif', 'avif']);

export interface ImageLimits {
  maxPixels?: number | undefined;
}

/**
 * Decodes the first page of a picture within limits of size, memory and time.
 *
 * @throws {MediaError} damaged, too_many_pixels, too_slow
 */
export async function withImage<T>(
  input: ImageInput,
  { maxPixels = MAX_PIXELS }: ImageLimits,
  work: (open: () => Sharp, metadata: Metadata) => Promise<T>,
): Promise<T> {
  const sharp = await loadSharp();
  // The header is read without the limit, so that the refusal can tell the measures.
  const metadata = await readHeader(input).catch(damaged);
  if (!FORMATS.has(metadata.format)) throw damaged(new Error(`read as ${metadata.format}`));
  const pixels = metadata.width * metadata.height;
  if (pixels > maxPixels) {
    const measures = `${metadata.width} x ${metadata.height}`;
    const allowed = `${Math.floor(maxPixels / 1_000_000)} megapixels`;
    throw new MediaError('too_many_pixels', `The image measures ${measures} pixels; up to ${allowed} are allowed.`);
  }
  const open = () =>
    sharp(input, { limitInputPixels: maxPixels, pages: 1, failOn: 'error', sequentialRead: true }).timeout({
      seconds: MAX_SECONDS,
    });
  return budget.run(pixels, () => work(open, metadata)).catch(damaged);
}

async function readHeader(input: ImageInput): Promise<Metadata> {
  const sharp = await loadSharp();
  return sharp(input, { limitInputPixels: false, pages: 1, failOn: 'none' }).metadata();
}

function damaged(cause: unknown): never {
  if (cause instanceof MediaError) throw cause;
  if (cause instanceof Error && /timeout: \d+% complete/i.test(cause.message))
    throw new MediaError('too_slow', 'The image takes too long to be decoded.', { cause });
  throw new MediaError('damaged', 'The image is damaged or cut off.', { cause });
}
