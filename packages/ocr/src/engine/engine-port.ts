import type { Raster } from '../image/raster.ts';

/** Reads pictures of text. One at a time. */
export interface Engine {
  /**
   * The picture's words as tesseract's tab-separated output (see `parseTsv`).
   *
   * @param shaded whether each part of the picture needs its own measure for ink
   */
  read(picture: Raster, languages: readonly string[], shaded: boolean): Promise<string>;
}

/** How ink is told from paper: by one measure for the page (Otsu), or by those of its parts (Sauvola). */
export const thresholding = (shaded: boolean) => (shaded ? '2' : '0');

/** Page segmentation: automatic, without finding out which way is up. */
export const PAGE_SEGMENTATION = '3';

/** The picture as a PGM file: nothing needs to be packed or unpacked. */
export function toPgm({ data, width, height }: Raster): Buffer {
  return Buffer.concat([Buffer.from(`P5\n${width} ${height}\n255\n`, 'latin1'), data]);
}
