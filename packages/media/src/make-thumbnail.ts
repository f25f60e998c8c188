import type { ImageInput } from './image-tasks.ts';
import { type ImageLimits, withImage } from './open-image.ts';

/** Longest side in pixels. */
const SIDE = 384;

/**
 * Creates a small upright WebP without metadata.
 *
 * @throws {MediaError} damaged, too_many_pixels
 */
export function makeThumbnail(input: ImageInput, limits: ImageLimits = {}): Promise<Buffer> {
  return withImage(input, limits, (open) =>
    open()
      .autoOrient()
      .resize(SIDE, SIDE, { fit: 'inside', withoutEnlargement: true })
      .webp({ quality: 80, effort: 3 })
      .toBuffer(),
  );
}
