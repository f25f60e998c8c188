import type { Raster } from './raster.ts';

/** How much darker than its surroundings a pixel must be to be ink. */
const DARKER = 0.85;

/**
 * Where ink is: 1, else 0. A pixel is compared with the mean of its surroundings (Bradley), so that a shadow over a part of the page
 * is no ink. The page must be dark on light.
 */
export function findInk({ data, width, height }: Raster): Raster {
  const sums = integral(data, width, height);
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
      if ((data[y * width + x] as number) < mean * DARKER) ink[y * width + x] = 1;
    }
  }
  return { data: ink, width, height };
}

/** Sums of all that lies above and to the left; one row and column more than the picture. */
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
