import type { ImageInput } from './image-tasks.ts';
import { MediaError } from './media-error.ts';
import { type ImageLimits, withImage } from './open-image.ts';

/** Width × height of an enlarged picture. */
const MAX_ENLARGED_PIXELS = 50_000_000;

/**
 * Enlarges an image by Lanczos resampling: upright, in sRGB, in its format, without metadata.
 * Uses the first frame of an animation.
 *
 * @throws {MediaError} damaged; too_many_pixels, even if only the enlarged picture has too many
 */
export function enlargeImage(input: ImageInput, factor: number, limits: ImageLimits = {}): Promise<Buffer> {
  return withImage(input, limits, (open, { format, autoOrient }) => {
    const width = Math.round(autoOrient.width * factor);
    const height = Math.round(autoOrient.height * factor);
    if (width * height > MAX_ENLARGED_PIXELS) {
      const allowed = `${MAX_ENLARGED_PIXELS / 1_000_000} megapixels`;
      const message = `The enlarged image would measure ${width} x ${height} pixels; up to ${allowed} are allowed.`;
      throw new MediaError('too_many_pixels', message);
    }
    return open()
      .autoOrient()
      .resize(width, height, { kernel: 'lanczos3', fit: 'fill' })
      .toFormat(format === 'heif' ? 'avif' : format)
      .toBuffer();
  });
}
