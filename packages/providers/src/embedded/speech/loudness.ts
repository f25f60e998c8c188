import { SPEECH_RATE } from '../../speech-port.ts';

/** Samples that are measured together: 20 ms. */
export const FRAME = SPEECH_RATE / 50;
/** Quieter is silence, whatever the rest is like: the noise of a usual microphone. */
const FLOOR = 0.004;
/** So much quieter than the loudest is a pause between words. */
const PAUSE = 0.06;

/** The loudness of each whole frame of pcm16, 0 to 1. */
export function loudnessOf(pcm16: Uint8Array): Float32Array {
  const view = new DataView(pcm16.buffer, pcm16.byteOffset, pcm16.byteLength);
  const frames = Math.floor(pcm16.byteLength / 2 / FRAME);
  return Float32Array.from({ length: frames }, (_, frame) => {
    let sum = 0;
    for (let at = frame * FRAME; at < (frame + 1) * FRAME; at += 1) sum += (view.getInt16(at * 2, true) / 32_768) ** 2;
    return Math.sqrt(sum / FRAME);
  });
}

/** What is louder may be speech. @param loudest of all frames that belong together */
export function speechLevel(loudest: number): number {
  return Math.max(FLOOR, loudest * PAUSE);
}
