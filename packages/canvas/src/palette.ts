import sharp, { type Sharp } from 'sharp';
import { CanvasError } from './canvas-error.ts';
import { colorDistance } from './color.ts';
import type { InputImage } from './render-pool.ts';

const MAX_PIXELS = 100_000_000;
const MAX_SECONDS = 10;

/** Samples per side of a picture. */
const SAMPLES = 40;
const COLORS = 5;
/** Colors that are closer count as one. */
const MERGE_DISTANCE = 0.07;

/**
 * Returns the main colors of pictures, most common first.
 *
 * @throws CanvasError `invalid_request` if one can't be decoded
 */
export async function paletteOf(images: readonly InputImage[]): Promise<string[]> {
  const found: { color: string; weight: number }[] = [];
  for (const { bytes } of images) {
    for (const color of await sampleColors(bytes)) {
      const known = found.find((one) => colorDistance(one.color, color) < MERGE_DISTANCE);
      if (known) known.weight += 1;
      else found.push({ color, weight: 1 });
    }
  }
  return found
    .sort((one, other) => other.weight - one.weight)
    .slice(0, COLORS)
    .map(({ color }) => color);
}

/** Crops a video's start image to the frame, as a `data:` URL. */
export async function backdropOf({ bytes }: InputImage, width: number, height: number): Promise<string> {
  const cut = await decoded(bytes, (image) =>
    image.flatten({ background: '#ffffff' }).resize(width, height, { fit: 'cover' }).jpeg({ quality: 92 }).toBuffer(),
  );
  return `data:image/jpeg;base64,${cut.toString('base64')}`;
}

async function sampleColors(bytes: Uint8Array): Promise<string[]> {
  const pixels = await decoded(bytes, (image) =>
    image
      .flatten({ background: '#ffffff' })
      .resize(SAMPLES, SAMPLES, { fit: 'fill' })
      .toColourspace('srgb')
      .removeAlpha()
      .raw()
      .toBuffer(),
  );
  return Array.from({ length: SAMPLES * SAMPLES }, (_, index) => {
    // Rounds to steps of 8, so that similar colors merge.
    const [red, green, blue] = [0, 1, 2].map((part) => ((pixels[index * 3 + part] ?? 0) & 0xf8) | 4) as [
      number,
      number,
      number,
    ];
    return `#${((red << 16) | (green << 8) | blue).toString(16).padStart(6, '0')}`;
  });
}

async function decoded(bytes: Uint8Array, work: (image: Sharp) => Promise<Buffer>): Promise<Buffer> {
  try {
    return await work(
      sharp(bytes, { limitInputPixels: MAX_PIXELS, failOn: 'error', pages: 1 })
        .timeout({ seconds: MAX_SECONDS })
        .autoOrient(),
    );
  } catch {
    throw new CanvasError('invalid_request', 'A given image cannot be decoded');
  }
}
