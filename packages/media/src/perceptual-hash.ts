import type { Sharp } from 'sharp';
import type { ImageInput } from './image-tasks.ts';
import { type ImageLimits, withImage } from './open-image.ts';

/** The hash goes by so many pixels in each direction, and by so many of their lowest frequencies. */
const SIDE = 32;
const FREQUENCIES = 8;

/** A picture whose greys differ by less (standard deviation, of 255) shows nothing to know it by. */
const MIN_CONTRAST = 1.5;

/** Cosines of the discrete cosine transform (DCT-II) for the frequencies 1 to 8: that of 0 is the picture's brightness. */
const COSINES = Array.from({ length: FREQUENCIES }, (_, index) =>
  Float64Array.from({ length: SIDE }, (_, at) => Math.cos(((2 * at + 1) / (2 * SIDE)) * (index + 1) * Math.PI)),
);

/**
 * A picture's perceptual hash: 64 bits as 16 hexadecimal digits, each of which says whether one of its lowest frequencies is stronger than their mean. Copies
 * that were scaled or encoded anew differ in a few bits; null for one that shows nothing, such as a plain colour: all of these would be alike.
 *
 * @throws {MediaError}
 */
export function perceptualHash(input: ImageInput, limits: ImageLimits = {}): Promise<string | null> {
  return withImage(input, limits, (open) => hashOf(open()));
}

/** The same of a picture that is open. */
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

/** Column by column; a transform along the rows, then one along the columns. */
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
