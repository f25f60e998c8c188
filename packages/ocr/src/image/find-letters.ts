import type { Blob } from './find-blobs.ts';
import { linedUp, neighbors } from './find-direction.ts';

/** Limits in pixels. Smaller blobs are dust, and larger ones are images or frames. */
const MIN_SIZE = 3;
const MIN_INK = 6;
const MAX_SIZE = 250;

const MIN_LINED = 20;

const sizeOf = ({ left, right, top, bottom }: Blob) => Math.max(right - left, bottom - top);
const thinnessOf = ({ left, right, top, bottom }: Blob) => Math.min(right - left, bottom - top);

/** Returns blobs that may be letters or connected words, without dust, rules, and images. */
export function findLetters(blobs: Blob[]): Blob[] {
  const solid = blobs.filter((blob) => blob.ink >= MIN_INK && sizeOf(blob) >= MIN_SIZE && sizeOf(blob) <= MAX_SIZE);
  const lined = linedUp(neighbors(solid));
  const usual = typicalSize(lined.length < MIN_LINED ? solid : lined);
  return solid.filter((blob) => {
    const size = sizeOf(blob);
    return size >= usual * 0.4 && size <= usual * 6 && size <= thinnessOf(blob) * 12;
  });
}

/** Returns the most common size, so that neither dust nor a few large shapes outweigh the letters. */
function typicalSize(blobs: readonly Blob[]): number {
  const sizes = blobs.map(sizeOf).sort((one, other) => one - other);
  let best = { weight: 0, size: 0 };
  let weight = 0;
  let end = 0;
  for (const [start, least] of sizes.entries()) {
    for (; end < sizes.length && (sizes[end] as number) <= least * 2; end += 1)
      weight += Math.sqrt(sizes[end] as number);
    if (weight > best.weight) best = { weight, size: sizes[Math.floor((start + end) / 2)] as number };
    weight -= Math.sqrt(least);
  }
  return best.size;
}
