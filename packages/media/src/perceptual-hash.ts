import sharp, { type Sharp } from 'sharp';
import sharpPhash from 'sharp-phash';
import { type ImageInput, type ImageLimits, withImage } from './open-image.ts';

/** Its types tell of a module for bundlers; what Node loads is the function itself. */
const phash = sharpPhash as unknown as (image: Buffer) => Promise<string>;

/** The hash goes by so many pixels in each direction. */
const SIDE = 32;

/** A picture whose greys differ by less (standard deviation, of 255) shows nothing to know it by. */
const MIN_CONTRAST = 1.5;

/**
 * A picture's perceptual hash: 64 bits as 16 hexadecimal digits. Copies that were scaled or encoded anew differ in a few bits; null for one
 * that shows nothing, such as a plain colour: all of these would be alike.
 *
 * @throws {MediaError}
 */
export function perceptualHash(input: ImageInput, limits: ImageLimits = {}): Promise<string | null> {
  return withImage(input, limits, (open) => hashOf(open()));
}

/** The same of a picture that is open. */
export async function hashOf(image: Sharp): Promise<string | null> {
  // Transparency goes first: the hash would take its channel for pixels.
  const small = await image
    .autoOrient()
    .flatten({ background: 'white' })
    .greyscale()
    .resize(SIDE, SIDE, { fit: 'fill' })
    .png({ compressionLevel: 0 })
    .toBuffer();
  const bits = await phash(small);
  return (await contrastOf(small)) < MIN_CONTRAST ? null : hexOf(bits);
}

/** In how many of their 64 bits two hashes differ. */
export function hashDistance(one: string, other: string): number {
  let bits = BigInt(`0x${one}`) ^ BigInt(`0x${other}`);
  let count = 0;
  for (; bits > 0n; bits &= bits - 1n) count += 1;
  return count;
}

async function contrastOf(png: Buffer): Promise<number> {
  const { channels } = await sharp(png).stats();
  return channels[0]?.stdev ?? 0;
}

function hexOf(bits: string): string {
  return BigInt(`0b${bits}`).toString(16).padStart(16, '0');
}
