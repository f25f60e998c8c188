import type { Blob } from './find-blobs.ts';

/** In pixels: what is less is dust. */
const MIN_SIZE = 3;
const MIN_INK = 6;

/** The blobs that may be letters, or pieces of words: neither dust nor rules nor pictures. */
export function findLetters(blobs: Blob[]): Blob[] {
  const solid = blobs.filter(
    ({ left, right, top, bottom, ink }) => ink >= MIN_INK && Math.max(right - left, bottom - top) >= MIN_SIZE,
  );
  if (solid.length === 0) return [];
  const sizes = solid.map(({ left, right, top, bottom }) => Math.max(right - left, bottom - top)).sort((a, b) => a - b);
  const usual = sizes[Math.floor(sizes.length / 2)] as number;
  return solid.filter(({ left, right, top, bottom }) => {
    const size = Math.max(right - left, bottom - top);
    const thin = Math.min(right - left, bottom - top);
    return size >= usual * 0.4 && size <= usual * 6 && size <= thin * 12;
  });
}
