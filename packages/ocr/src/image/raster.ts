import type { Sharp, SharpOptions } from 'sharp';

/** One byte a pixel, row by row: 0 black, 255 white. */
export interface Raster {
  data: Uint8Array;
  width: number;
  height: number;
}

/** How sharp takes the pixels of a raster. */
export const rawOf = ({ width, height }: Raster): SharpOptions => ({ raw: { width, height, channels: 1 } });

/** The picture as one channel of grey. */
export async function toRaster(image: Sharp): Promise<Raster> {
  const { data, info } = await image.toColourspace('b-w').raw().toBuffer({ resolveWithObject: true });
  return { data, width: info.width, height: info.height };
}
