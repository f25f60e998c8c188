import sharp from 'sharp';
import { type Raster, rawOf, toRaster } from './raster.ts';

/** Maximum brightening of the paper, relative to its lightest part. */
const DARKEST = 0.25;

/** Divides a page by the brightness of its paper, so that shadows disappear. */
export async function evenOut(page: Raster, paper: Raster): Promise<Raster> {
  const { width, height } = page;
  const behind = await toRaster(
    sharp(paper.data, rawOf(paper)).blur(1).resize({ width, height, fit: 'fill', kernel: 'cubic' }),
  );
  const least = Math.max(1, paper.data.reduce((most, grey) => Math.max(most, grey), 0) * DARKEST);
  const data = new Uint8Array(page.data.length);
  for (let at = 0; at < data.length; at += 1) {
    const grey = ((page.data[at] as number) * 255) / Math.max(least, behind.data[at] as number);
    data[at] = Math.min(grey, 255);
  }
  return { data, width, height };
}
