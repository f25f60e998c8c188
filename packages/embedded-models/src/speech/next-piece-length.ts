const FRAME_MS = 25;

/** Extra frames on either side of a piece, since each frame's sound depends on its neighbors. */
export const CONTEXT_FRAMES = 3;

/** The minimum length of a piece. */
const MIN_FRAMES = 14;
/** The share of playback time kept in reserve. */
const RESERVE_SHARE = 0.1;

/**
 * Chooses how many frames to generate at once. The first piece is as short as possible, provided that the next can be
 * generated during its playback. Later ones take as long as the playback lasts. A machine that is slower than playback
 * generates whole phrases, since a pause between phrases is better than a gap in a word.
 *
 * @param left Number of frames that have not been generated yet.
 * @param aheadMs Remaining playback time of the finished audio.
 * @param msPerFrame Time to generate a frame.
 */
export function nextPieceLength(left: number, aheadMs: number, msPerFrame: number): number {
  const share = msPerFrame / FRAME_MS / (1 - RESERVE_SHARE);
  if (share >= 1) return left;
  const beside = 2 * CONTEXT_FRAMES;
  const first = Math.max(MIN_FRAMES, Math.ceil((beside * share) / (1 - share)));
  const frames = Math.max(first, Math.floor(aheadMs / FRAME_MS / share) - beside);
  return left - frames < MIN_FRAMES ? left : frames;
}
