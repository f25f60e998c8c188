/** How long a frame sounds, in milliseconds. */
const FRAME_MS = 25;

/** Frames that are made on either side of a piece, since how one sounds depends on those beside it. */
export const BESIDE = 3;

/** No piece is shorter. */
const SHORTEST = 14;
/** Of the time in which a piece is heard, so much is left over when the next one is made. */
const SPARE = 0.1;

/**
 * How many frames are made in one go. The first piece is as short as it may be for the next one to be made while it is heard; each next one takes as long as what is heard meanwhile.
 * Whoever makes sound no faster than it is heard makes a phrase as a whole: a pause between phrases is heard as one, a gap in a word is not.
 *
 * @param left frames that are not made yet
 * @param aheadMs how long what was made is still heard
 * @param msPerFrame how long a frame takes
 */
export function nextPiece(left: number, aheadMs: number, msPerFrame: number): number {
  const share = msPerFrame / FRAME_MS / (1 - SPARE);
  if (share >= 1) return left;
  const beside = 2 * BESIDE;
  const first = Math.max(SHORTEST, Math.ceil((beside * share) / (1 - share)));
  const frames = Math.max(first, Math.floor(aheadMs / FRAME_MS / share) - beside);
  return left - frames < SHORTEST ? left : frames;
}
