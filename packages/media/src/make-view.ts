import type { ImageInput } from './image-tasks.ts';
import { type ImageLimits, withImage } from './open-image.ts';

/** The longer side, in pixels, at most: models that see look at no more, or scale it down themselves. */
const SIDE = 1_280;

/**
 * A picture as it is shown to a model that sees: a JPEG, upright, in sRGB, on white, without what its file told beside the pixels.
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
