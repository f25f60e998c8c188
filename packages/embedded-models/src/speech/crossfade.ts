/** Samples over which two pieces are blended: 15 ms. */
export const CROSSFADE_SAMPLES = 360;

/** Blends the end of the previous piece into the next, so that no seam is heard. Changes `piece`. */
export function crossfade(before: Float32Array, piece: Float32Array): Float32Array {
  for (const [at, sample] of before.entries()) {
    const share = (at + 1) / (before.length + 1);
    piece[at] = sample * (1 - share) + (piece[at] ?? 0) * share;
  }
  return piece;
}
