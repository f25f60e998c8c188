import type { Sharp, SharpOptions } from 'sharp';

/** One byte per pixel, row by row: 0 black, 255 white. */
export interface Raster {
  data: Uint8Array;
  width: number;
  height: number;
}

export const rawOf = ({ width, height }: Pick<Raster, 'width' | 'height'>): SharpOptions => ({
  raw: { width, height, channels: 1 },
});

export async function toRaster(image: Sharp): Promise<Raster> {
  const { data, info } = await image.toColourspace('b-w').raw().toBuffer({ resolveWithObject: true });
  return { data, width: info.width, height: info.height };
}
