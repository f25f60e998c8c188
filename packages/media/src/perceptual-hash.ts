import type { Sharp } from 'sharp';
import type { ImageFacts, ImageInput } from './image-tasks.ts';
import { type ImageLimits, withImage } from './open-image.ts';

/** Size of the scaled image, and number of frequencies, in each direction. */
const SIDE = 32;
const FREQUENCIES = 8;

/** Images with less contrast (standard deviation of 255) have no recognizable content. */
const MIN_CONTRAST = 1.5;

/** DCT-II cosines for frequencies 1 to 8; frequency 0 is the brightness. */
const COSINES = Array.from({ length: FREQUENCIES }, (_, index) =>
  Float64Array.from({ length: SIDE }, (_, at) => Math.cos(((2 * at + 1) / (2 * SIDE)) * (index + 1) * Math.PI)),
);

/**
 * Returns the perceptual hash as 16 hexadecimal digits. Each of the 64 bits says whether a low frequency is
 * stronger than their mean.
 *
 * Scaled or re-encoded copies differ in a few bits. Null for images without content, such as a plain color, which
 * would all be similar.
 * @throws {MediaError}
 */
export function perceptualHash(input: ImageInput, limits: ImageLimits = {}): Promise<string | null> {
  return withImage(input, limits, (open) => hashOf(open()));
}

export async function hashOf(image: Sharp): Promise<string | null> {
  const { data, info } = await image
    .autoOrient()
    .flatten({ background: 'white' })
    .greyscale()
    .resize(SIDE, SIDE, { fit: 'fill' })
    .raw()
    .toBuffer({ resolveWithObject: true });
  const greys = Float64Array.from({ length: SIDE * SIDE }, (_, at) => data[at * info.channels] ?? 0);
  if (contrastOf(greys) < MIN_CONTRAST) return null;
  const strengths = lowFrequencies(greys);
  const mean = strengths.reduce((sum, strength) => sum + strength, 0) / strengths.length;
  const bits = strengths.map((strength) => (strength > mean ? '1' : '0')).join('');
  return BigInt(`0b${bits}`).toString(16).padStart(16, '0');
}

/** Column by column: transforms the rows, then the columns. */
function lowFrequencies(greys: Float64Array): number[] {
  const alongRows = COSINES.map((cosines) =>
    Float64Array.from({ length: SIDE }, (_, y) =>
      cosines.reduce((sum, cosine, x) => sum + cosine * (greys[y * SIDE + x] ?? 0), 0),
    ),
  );
  return alongRows.flatMap((row) =>
    COSINES.map((cosines) => cosines.reduce((sum, cosine, y) => sum + cosine * (row[y] ?? 0), 0)),
  );
}

function contrastOf(greys: Float64Array): number {
  const mean = greys.reduce((sum, grey) => sum + grey, 0) / greys.length;
  return Math.sqrt(greys.reduce((sum, grey) => sum + (grey - mean) ** 2, 0) / greys.length);
}

/**
 * Measures an image and decodes it once to find damage.
 *
 * @throws {MediaError} damaged, too_many_pixels
 */
export function probeImage(input: ImageInput, limits: ImageLimits = {}): Promise<ImageFacts> {
  return withImage(input, limits, async (open, { autoOrient: { width, height } }) => ({
    width,
    height,
    perceptual_hash: await hashOf(open()),
  }));
}
