import type { ImageInput } from './image-tasks.ts';
import { type ImageLimits, withImage } from './open-image.ts';

/** The longer side of a thumbnail, in pixels, at most. */
const SIDE = 384;

/**
 * A small WebP of a picture, upright, in sRGB, without what its file told beside the pixels (place, camera, …).
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
