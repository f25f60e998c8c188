import type { Raster } from './raster.ts';

const FIELDS = 12;
/** Share of a field's pixels that are darker than its paper. */
const PAPER = 0.8;
/** Paper of dark fields is below this share of that of light ones. */
const SHADED = 0.75;

/** Returns whether part of the paper is in shadow or an image, so that one global threshold fails. */
export function isShaded({ data, width, height }: Raster): boolean {
  const papers: number[] = [];
  for (let field = 0; field < FIELDS * FIELDS; field += 1) {
    const left = Math.floor(((field % FIELDS) * width) / FIELDS);
    const top = Math.floor((Math.floor(field / FIELDS) * height) / FIELDS);
    const greys: number[] = [];
    for (let y = top; y < top + Math.floor(height / FIELDS); y += 3)
      for (let x = left; x < left + Math.floor(width / FIELDS); x += 3) greys.push(data[y * width + x] as number);
    if (greys.length > 0) papers.push(greys.sort((a, b) => a - b)[Math.floor(greys.length * PAPER)] as number);
  }
  papers.sort((a, b) => a - b);
  const [dark = 255, light = 255] = [papers[Math.floor(papers.length * 0.1)], papers[Math.floor(papers.length * 0.9)]];
  return dark < light * SHADED;
}
