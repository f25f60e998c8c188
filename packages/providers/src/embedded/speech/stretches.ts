import { FRAME, loudnessOf } from './loudness.ts';

/** Frames: what is shorter is never cut; where it is cut, at the quietest place from there on, it is at most so long. */
const LEAST = 50 * 12;
const MOST = 50 * 24;
/** A place is as quiet as so many frames around it. */
const WINDOW = 10;

/** Where pcm16 that is too long to be read at once is best cut, in bytes: in the midst of a pause. Null: it is short enough. */
export function cutOf(loudness: Float32Array): number | null {
  if (loudness.length <= MOST) return null;
  let best = LEAST;
  let least = Number.POSITIVE_INFINITY;
  for (let frame = LEAST; frame + WINDOW <= MOST; frame += 1) {
    let sum = 0;
    for (let at = frame; at < frame + WINDOW; at += 1) sum += loudness[at]!;
    if (sum < least) {
      least = sum;
      best = frame + WINDOW / 2;
    }
  }
  return best * FRAME * 2;
}

/** pcm16 in stretches that a model reads at once, cut in pauses. */
export function stretchesOf(pcm16: Uint8Array): Uint8Array[] {
  const stretches: Uint8Array[] = [];
  let rest = pcm16;
  for (;;) {
    // No more is measured than may lie before the cut.
    const cut = cutOf(loudnessOf(rest.subarray(0, (MOST + 1) * FRAME * 2)));
    if (cut === null) return [...stretches, rest];
    stretches.push(rest.subarray(0, cut));
    rest = rest.subarray(cut);
  }
}
