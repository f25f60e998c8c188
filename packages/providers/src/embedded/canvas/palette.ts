import { ChorusError } from '@chorus/contract';
import sharp, { type Sharp } from 'sharp';
import type { GivenImage } from '../../provider-port.ts';
import { distanceOf } from './color.ts';

/** Larger pictures are not decoded. */
const MAX_PIXELS = 100_000_000;
const MAX_SECONDS = 10;

/** The picture is looked at in so many dots across. */
const DOTS = 40;
const COLORS = 5;
/** Colours nearer to each other count as one. */
const ALIKE = 0.07;

/**
 * The colours that some pictures are made of, the commonest first.
 * @throws ChorusError `invalid_request` where one can't be decoded
 */
export async function paletteOf(images: readonly GivenImage[]): Promise<string[]> {
  const found: { color: string; weight: number }[] = [];
  for (const { bytes } of images) {
    for (const color of await dotsOf(bytes)) {
      const known = found.find((one) => distanceOf(one.color, color) < ALIKE);
      if (known) known.weight += 1;
      else found.push({ color, weight: 1 });
    }
  }
  return found
    .sort((one, other) => other.weight - one.weight)
    .slice(0, COLORS)
    .map(({ color }) => color);
}

/** A picture that a video begins with: cut to its frame, as a `data:` address. */
export async function backdropOf({ bytes }: GivenImage, width: number, height: number): Promise<string> {
  const cut = await decoded(bytes, (image) =>
    image.flatten({ background: '#ffffff' }).resize(width, height, { fit: 'cover' }).jpeg({ quality: 92 }).toBuffer(),
  );
  return `data:image/jpeg;base64,${cut.toString('base64')}`;
}

async function dotsOf(bytes: Uint8Array): Promise<string[]> {
  const pixels = await decoded(bytes, (image) =>
    image
      .flatten({ background: '#ffffff' })
      .resize(DOTS, DOTS, { fit: 'fill' })
      .toColourspace('srgb')
      .removeAlpha()
      .raw()
      .toBuffer(),
  );
  return Array.from({ length: DOTS * DOTS }, (_, index) => {
    // Steps of 8: neighbours fall together at once.
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
    throw new ChorusError('invalid_request', 'A given image can not be decoded');
  }
}
