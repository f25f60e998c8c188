import type { Raster } from './raster.ts';

/** A connected piece of ink. `right` and `bottom` are exclusive. */
export interface Blob {
  left: number;
  top: number;
  right: number;
  bottom: number;
  ink: number;
}

export function findBlobs({ data, width, height }: Raster): Blob[] {
  const parents: number[] = [];
  const blobs: Blob[] = [];
  const rootOf = (label: number): number => {
    let root = label;
    while (parents[root] !== root) root = parents[root] as number;
    for (let at = label; at !== root; ) {
      const next = parents[at] as number;
      parents[at] = root;
      at = next;
    }
    return root;
  };
  let above: number[] = []; // start, end, label of each run of the row above
  for (let y = 0; y < height; y += 1) {
    const runs: number[] = [];
    let behind = 0;
    const row = y * width;
    for (let x = 0; x < width; x += 1) {
      if (data[row + x] === 0) continue;
      const start = x;
      while (x < width && data[row + x] !== 0) x += 1;
      let label = -1;
      while (behind < above.length && (above[behind + 1] as number) < start) behind += 3;
      for (let at = behind; at < above.length && (above[at] as number) <= x; at += 3) {
        const other = rootOf(above[at + 2] as number);
        if (label === -1) label = other;
        else if (label !== other) parents[other] = label;
      }
      if (label === -1) {
        label = parents.length;
        parents.push(label);
        blobs.push({ left: start, top: y, right: x, bottom: y + 1, ink: 0 });
      }
      const blob = blobs[label] as Blob;
      blob.left = Math.min(blob.left, start);
      blob.right = Math.max(blob.right, x);
      blob.bottom = y + 1;
      blob.ink += x - start;
      runs.push(start, x, label);
    }
    above = runs;
  }
  return joined(parents, blobs, rootOf);
}

function joined(parents: number[], blobs: Blob[], rootOf: (label: number) => number): Blob[] {
  const whole: Blob[] = [];
  for (let label = 0; label < parents.length; label += 1) {
    const root = rootOf(label);
    const blob = blobs[label] as Blob;
    if (root === label) {
      whole.push(blob);
      continue;
    }
    const into = blobs[root] as Blob;
    into.left = Math.min(into.left, blob.left);
    into.top = Math.min(into.top, blob.top);
    into.right = Math.max(into.right, blob.right);
    into.bottom = Math.max(into.bottom, blob.bottom);
    into.ink += blob.ink;
  }
  return whole;
}
