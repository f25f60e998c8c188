import type { Raster } from '../image/raster.ts';

/**
 * How the engine finds lines: in columns and blocks; as one block, which misses fewer separate words; or as one block
 * of lines from top to bottom.
 */
export type Segmentation = 'columns' | 'block' | 'vertical';

export interface Engine {
  /** Returns the words of an image as tesseract's TSV output (see `parseTsv`). */
  read(picture: Raster, languages: readonly string[], segmentation: Segmentation): Promise<string>;
  /** Returns the most likely script of an image with much text, such as `Cyrillic`. Null if unknown. */
  detectScript(picture: Raster): Promise<string | null>;
}

/** Page segmentation modes, all without orientation detection. */
export const SEGMENTATION_MODES: Record<Segmentation, string> = { columns: '3', block: '6', vertical: '5' };

export function toPgm({ data, width, height }: Raster): Buffer {
  return Buffer.concat([Buffer.from(`P5\n${width} ${height}\n255\n`, 'latin1'), data]);
}
