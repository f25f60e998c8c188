import type { ImageFacts, ImageInput } from './image-tasks.ts';
import { type ImageLimits, withImage } from './open-image.ts';
import { hashOf } from './perceptual-hash.ts';

/**
 * Measures a picture, and decodes it once, so that what is cut off or damaged is found.
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
