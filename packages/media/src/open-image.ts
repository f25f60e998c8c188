import type { Metadata, Sharp } from 'sharp';
import type { ImageInput } from './image-tasks.ts';
import { loadSharp } from './load-sharp.ts';
import { MediaError } from './media-error.ts';

/** Width × height of a page, unless the caller sets another limit. */
export const MAX_PIXELS = 100_000_000;

/** Sharp's names of the supported formats. */
const FORMATS = new Set(['png', 'jpeg', 'webp', 'gif', 'tiff', 'heif', 'avif']);

export interface ImageLimits {
  maxPixels?: number | undefined;
}

/**
 * Decodes the first page of an image within the pixel limit. The process must limit memory and time.
 *
 * @throws {MediaError} damaged, too_many_pixels
 */
export async function withImage<T>(
  input: ImageInput,
  { maxPixels = MAX_PIXELS }: ImageLimits,
  work: (open: () => Sharp, metadata: Metadata) => Promise<T>,
): Promise<T> {
  const sharp = await loadSharp();
  const metadata = await readHeader(input, { maxPixels });
  const open = () => sharp(input, { limitInputPixels: maxPixels, pages: 1, failOn: 'error', sequentialRead: true });
  return work(open, metadata).catch(damaged);
}

/**
 * Reads the header of an image without decoding it.
 *
 * @throws {MediaError} damaged, too_many_pixels
 */
export async function readHeader(input: ImageInput, { maxPixels = MAX_PIXELS }: ImageLimits): Promise<Metadata> {
  const sharp = await loadSharp();
  // Disables sharp's own limit, so that the error can include the size.
  const read = async () => sharp(input, { limitInputPixels: false, pages: 1, failOn: 'none' }).metadata();
  const metadata = await read().catch(damaged);
  if (!FORMATS.has(metadata.format)) throw damaged(new Error(`read as ${metadata.format}`));
  const pixels = metadata.width * metadata.height;
  if (pixels <= maxPixels) return metadata;
  const measures = `${metadata.width} x ${metadata.height}`;
  const allowed = `${Math.floor(maxPixels / 1_000_000)} megapixels`;
  throw new MediaError('too_many_pixels', `The image has ${measures} pixels; the limit is ${allowed}.`);
}

function damaged(cause: unknown): never {
  if (cause instanceof MediaError) throw cause;
  throw new MediaError('damaged', 'The image is damaged or cut off.', { cause });
}
