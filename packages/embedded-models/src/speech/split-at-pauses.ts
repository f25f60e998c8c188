import { FRAME, loudnessOf } from './loudness.ts';

/** In frames. Shorter audio is not cut, and longer audio is cut at its quietest moment between these lengths. */
const MIN_FRAMES = 50 * 12;
const MAX_FRAMES = 50 * 24;
/** Frames over which quietness is averaged. */
const WINDOW = 10;

/** Returns where to cut long pcm16, in bytes, in the middle of a pause. Null if it is short enough. */
export function findCut(loudness: Float32Array): number | null {
  if (loudness.length <= MAX_FRAMES) return null;
  let best = MIN_FRAMES;
  let least = Number.POSITIVE_INFINITY;
  for (let frame = MIN_FRAMES; frame + WINDOW <= MAX_FRAMES; frame += 1) {
    let sum = 0;
    for (let at = frame; at < frame + WINDOW; at += 1) sum += loudness[at]!;
    if (sum < least) {
      least = sum;
      best = frame + WINDOW / 2;
    }
  }
  return best * FRAME * 2;
}

/** Splits pcm16 at pauses into sections that a model reads at once. */
export function splitAtPauses(pcm16: Uint8Array): Uint8Array[] {
  const stretches: Uint8Array[] = [];
  let rest = pcm16;
  for (;;) {
    // Measures only frames that may be before the cut.
    const cut = findCut(loudnessOf(rest.subarray(0, (MAX_FRAMES + 1) * FRAME * 2)));
    if (cut === null) return [...stretches, rest];
    stretches.push(rest.subarray(0, cut));
    rest = rest.subarray(cut);
  }
}
