import type { Raster } from './raster.ts';

/** The page is looked at in so many fields each way. */
const FIELDS = 12;
/** The grey of a field that this share of its pixels is darker than is its paper's. */
const PAPER = 0.8;
/** The darker fields' paper is no lighter than this share of the lighter ones'. */
const SHADED = 0.75;

/** Whether a part of the paper lies in a shadow, or is an image: one measure for ink does not hold for all of the page. */
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
