/** Two pieces pass over into each other for so many samples: 15 ms. */
export const PASSING = 360;

/** A piece whose first samples sound like the last ones before it, and pass over into its own, so that nobody hears the seam. Changes `piece`. */
export function passOver(before: Float32Array, piece: Float32Array): Float32Array {
  for (const [at, sample] of before.entries()) {
    const share = (at + 1) / (before.length + 1);
    piece[at] = sample * (1 - share) + (piece[at] ?? 0) * share;
  }
  return piece;
}
