import type { Blob } from './find-blobs.ts';
import type { Raster } from './raster.ts';

/** Number of fields along the longer side of a page. */
const FIELDS = 64;
/** Share of a field's pixels that are darker than its paper. */
const PAPER = 0.85;
/** Paper is uneven if its dark fields are below this share of the light ones. */
const UNEVEN = 0.85;
/** Fields that are darker than this, relative to the typical one, are outside of the sheet. */
const BESIDE = 0.6;

/** The brightness of the paper in fields of the page, as one pixel per field. */
export interface Paper extends Raster {
  /** Pixels of the page per field. */
  field: number;
}

/** Estimates the paper behind the ink. The page must be dark on light. */
export function findPaper({ data, width, height }: Raster): Paper {
  const field = Math.max(4, Math.ceil(Math.max(width, height) / FIELDS));
  const [columns, rows] = [Math.ceil(width / field), Math.ceil(height / field)];
  const cells = new Uint8Array(columns * rows);
  for (let cell = 0; cell < cells.length; cell += 1) {
    const left = (cell % columns) * field;
    const top = Math.floor(cell / columns) * field;
    const greys: number[] = [];
    for (let y = top; y < Math.min(height, top + field); y += 2)
      for (let x = left; x < Math.min(width, left + field); x += 2) greys.push(data[y * width + x] as number);
    cells[cell] = greys.sort((a, b) => a - b)[Math.floor(greys.length * PAPER)] as number;
  }
  return { data: lightestNear(cells, columns, rows), width: columns, height: rows, field };
}

/** Fills in fields that large letters and pictures cover, so that paper only shows next to them. */
function lightestNear(cells: Uint8Array, columns: number, rows: number): Uint8Array {
  const lightest = new Uint8Array(cells.length);
  for (let y = 0; y < rows; y += 1)
    for (let x = 0; x < columns; x += 1) {
      const near: number[] = [];
      for (let row = Math.max(0, y - 1); row <= Math.min(rows - 1, y + 1); row += 1)
        for (let column = Math.max(0, x - 1); column <= Math.min(columns - 1, x + 1); column += 1)
          near.push(cells[row * columns + column] as number);
      near.sort((a, b) => a - b);
      lightest[y * columns + x] = near[Math.floor(near.length * 0.75)] as number;
    }
  return lightest;
}

export interface Area {
  left: number;
  top: number;
  width: number;
  height: number;
}

/** Returns the part of the page with the letters, without the background of a photographed sheet. */
export function findArea(lined: readonly Blob[], letters: readonly Blob[], paper: Paper, page: Raster): Area {
  const paperAt = ({ left, right, top, bottom }: Blob) =>
    paper.data[
      Math.floor((top + bottom) / 2 / paper.field) * paper.width + Math.floor((left + right) / 2 / paper.field)
    ] as number;
  const greys = lined.map(paperAt).sort((a, b) => a - b);
  const usual = greys[Math.floor(greys.length / 2)] ?? 0;
  const inside = letters.filter((letter) => paperAt(letter) >= usual * BESIDE).concat(lined.length < 20 ? [] : lined);
  if (inside.length === 0) return { left: 0, top: 0, width: page.width, height: page.height };
  const heights = inside.map(({ top, bottom }) => bottom - top).sort((a, b) => a - b);
  const margin = Math.round(2 * (heights[Math.floor(heights.length / 2)] as number));
  let [left, top, right, bottom] = [page.width, page.height, 0, 0];
  for (const blob of inside) {
    left = Math.min(left, blob.left);
    top = Math.min(top, blob.top);
    right = Math.max(right, blob.right);
    bottom = Math.max(bottom, blob.bottom);
  }
  left = Math.max(0, left - margin);
  top = Math.max(0, top - margin);
  return {
    left,
    top,
    width: Math.min(page.width, right + margin) - left,
    height: Math.min(page.height, bottom + margin) - top,
  };
}

/** Returns whether one global threshold would fail within an area. */
export function isUneven(paper: Paper, area: Area): boolean {
  const inside = fieldsOf(paper, area).data.toSorted();
  const [dark = 255, light = 255] = [inside[Math.floor(inside.length * 0.1)], inside[Math.floor(inside.length * 0.9)]];
  return dark < light * UNEVEN;
}

/** Returns the fields of an area. */
export function fieldsOf(paper: Paper, { left, top, width, height }: Area): Raster {
  const [x, y] = [Math.floor(left / paper.field), Math.floor(top / paper.field)];
  const columns = Math.max(1, Math.min(paper.width - x, Math.round(width / paper.field)));
  const rows = Math.max(1, Math.min(paper.height - y, Math.round(height / paper.field)));
  const data = new Uint8Array(columns * rows);
  for (let row = 0; row < rows; row += 1)
    for (let column = 0; column < columns; column += 1)
      data[row * columns + column] = paper.data[(y + row) * paper.width + x + column] as number;
  return { data, width: columns, height: rows };
}
