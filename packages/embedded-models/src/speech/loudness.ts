import { SPEECH_RATE } from '@chorus/contract/names';

/** Number of samples to measure together: 20 ms. */
export const FRAME = SPEECH_RATE / 50;
/** Silence below this level: the noise of a typical microphone. */
const SILENCE_LEVEL = 0.004;
/** Pauses are below this share of the loudest frame. */
export const PAUSE_SHARE = 0.06;

/** Returns the loudness of each whole frame, 0 to 1. */
export function loudnessOf(pcm16: Uint8Array): Float32Array {
  const view = new DataView(pcm16.buffer, pcm16.byteOffset, pcm16.byteLength);
  const frames = Math.floor(pcm16.byteLength / 2 / FRAME);
  return Float32Array.from({ length: frames }, (_, frame) => {
    let sum = 0;
    for (let at = frame * FRAME; at < (frame + 1) * FRAME; at += 1) sum += (view.getInt16(at * 2, true) / 32_768) ** 2;
    return Math.sqrt(sum / FRAME);
  });
}

/** Returns the level above which a frame may be speech. */
export function speechLevel(loudest: number): number {
  return Math.max(SILENCE_LEVEL, loudest * PAUSE_SHARE);
}

/** Loudness of pauses, as a share of that of speech, above which a recording is noisy: −18 dB. */
const NOISE_SHARE = 0.12;

/** Returns whether even the quietest frames are loud, so that a model may misunderstand its own language. */
export function isNoisy(loudness: ArrayLike<number>): boolean {
  const sorted = Float32Array.from(loudness).toSorted();
  const at = (share: number) => sorted[Math.floor(sorted.length * share)] ?? 0;
  return at(0.1) > at(0.9) * NOISE_SHARE;
}
