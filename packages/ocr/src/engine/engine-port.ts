import type { Raster } from '../image/raster.ts';

export interface Engine {
  /**
   * Returns the words of an image as tesseract's TSV output (see `parseTsv`).
   *
   * @param shaded whether to threshold each part of the image separately
   */
  read(picture: Raster, languages: readonly string[], shaded: boolean): Promise<string>;
}

/** How ink is separated from paper: globally (Otsu) or locally (Sauvola). */
export const thresholding = (shaded: boolean) => (shaded ? '2' : '0');

/** Automatic page segmentation without orientation detection. */
export const PAGE_SEGMENTATION = '3';

export function toPgm({ data, width, height }: Raster): Buffer {
  return Buffer.concat([Buffer.from(`P5\n${width} ${height}\n255\n`, 'latin1'), data]);
}
