import type { ImageInput } from './image-tasks.ts';
import { type ImageLimits, withImage } from './open-image.ts';

/** Longest side in pixels: vision models scale larger images down. */
const SIDE = 1_280;

/**
 * Makes a view for vision models: an upright sRGB JPEG on white, without metadata.
 *
 * @throws {MediaError} damaged, too_many_pixels
 */
export function makeView(input: ImageInput, limits: ImageLimits = {}): Promise<Buffer> {
  return withImage(input, limits, (open) =>
    open()
      .autoOrient()
      .flatten({ background: 'white' })
      .resize(SIDE, SIDE, { fit: 'inside', withoutEnlargement: true })
      .jpeg({ quality: 85 })
      .toBuffer(),
  );
}
