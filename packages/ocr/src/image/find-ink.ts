import type { Raster } from './raster.ts';

/** Ink is darker than its surroundings by this share, and by this multiple of the noise. */
const DARKER = 0.15;
const OVER_GRAIN = 7;

/**
 * Marks ink as 1, and the rest as 0. Compares each pixel with the mean around it (Bradley), so shadows are not ink.
 * The page must be dark on light.
 */
export function findInk({ data, width, height }: Raster): Raster {
  const sums = integral(data, width, height);
  const least = grainOf(data, width) * OVER_GRAIN;
  const ink = new Uint8Array(data.length);
  const reach = Math.max(8, Math.round(Math.max(width, height) / 32));
  const stride = width + 1;
  for (let y = 0; y < height; y += 1) {
    const top = Math.max(0, y - reach);
    const bottom = Math.min(height, y + reach + 1);
    for (let x = 0; x < width; x += 1) {
      const left = Math.max(0, x - reach);
      const right = Math.min(width, x + reach + 1);
      const sum =
        (sums[bottom * stride + right] as number) -
        (sums[top * stride + right] as number) -
        (sums[bottom * stride + left] as number) +
        (sums[top * stride + left] as number);
      const mean = sum / ((bottom - top) * (right - left));
      if (mean - (data[y * width + x] as number) > Math.max(mean * DARKER, least)) ink[y * width + x] = 1;
    }
  }
  return { data: ink, width, height };
}

/** Returns the typical difference between neighboring pixels, since most of a page is paper. */
function grainOf(data: Uint8Array, width: number): number {
  const counts = new Uint32Array(256);
  let seen = 0;
  for (let at = width + 1; at < data.length; at += 7) {
    const difference = Math.abs((data[at] as number) - (data[at - 1] as number));
    counts[difference] = (counts[difference] as number) + 1;
    seen += 1;
  }
  let grain = 0;
  for (let below = counts[0] as number; below < seen / 2; below += counts[grain] as number) grain += 1;
  return grain;
}

/** Returns sums of everything above and to the left, with one row and column more than the image. */
function integral(data: Uint8Array, width: number, height: number): Float64Array {
  const stride = width + 1;
  const sums = new Float64Array(stride * (height + 1));
  for (let y = 0; y < height; y += 1) {
    let row = 0;
    for (let x = 0; x < width; x += 1) {
      row += data[y * width + x] as number;
      sums[(y + 1) * stride + x + 1] = (sums[y * stride + x + 1] as number) + row;
    }
  }
  return sums;
}
