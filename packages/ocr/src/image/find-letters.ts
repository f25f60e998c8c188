import type { Blob } from './find-blobs.ts';

/** In pixels: smaller is dust, larger is an image or a frame. */
const MIN_SIZE = 3;
const MIN_INK = 6;
const MAX_SIZE = 250;

const sizeOf = ({ left, right, top, bottom }: Blob) => Math.max(right - left, bottom - top);
const thinnessOf = ({ left, right, top, bottom }: Blob) => Math.min(right - left, bottom - top);

/** Returns blobs that may be letters or connected words, without dust, rules, and images. */
export function findLetters(blobs: Blob[]): Blob[] {
  const solid = blobs.filter((blob) => blob.ink >= MIN_INK && sizeOf(blob) >= MIN_SIZE && sizeOf(blob) <= MAX_SIZE);
  const usual = typicalSize(solid);
  return solid.filter((blob) => {
    const size = sizeOf(blob);
    return size >= usual * 0.4 && size <= usual * 6 && size <= thinnessOf(blob) * 12;
  });
}

/** Returns the size that half of all ink reaches, so that dust does not count. */
function typicalSize(blobs: readonly Blob[]): number {
  const sorted = blobs
    .map((blob) => ({ size: sizeOf(blob), ink: blob.ink }))
    .sort((one, other) => one.size - other.size);
  let left = sorted.reduce((sum, { ink }) => sum + ink, 0) / 2;
  for (const { size, ink } of sorted) {
    left -= ink;
    if (left <= 0) return size;
  }
  return 0;
}
