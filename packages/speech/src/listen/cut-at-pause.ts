import { BYTES_PER_SAMPLE, bytesOf } from '../pcm.ts';

const FRAME_BYTES = bytesOf(20);

/** Frames over which quietness is averaged: a fifth of a second. */
const WINDOW = 10;

/**
 * Returns where to cut a sound, in bytes: in the middle of its quietest moment after `from`.
 * @param from in bytes
 */
export function cutAtPause(pcm: Uint8Array, from: number): number {
  const view = new DataView(pcm.buffer, pcm.byteOffset, pcm.byteLength);
  const start = from - (from % FRAME_BYTES);
  const energies: number[] = [];
  for (let at = start; at + FRAME_BYTES <= pcm.byteLength; at += FRAME_BYTES) {
    let energy = 0;
    for (let byte = at; byte < at + FRAME_BYTES; byte += BYTES_PER_SAMPLE) energy += view.getInt16(byte, true) ** 2;
    energies.push(energy);
  }
  let best = energies.length;
  let least = Number.POSITIVE_INFINITY;
  for (let frame = 0; frame + WINDOW <= energies.length; frame++) {
    let sum = 0;
    for (let index = frame; index < frame + WINDOW; index++) sum += energies[index] as number;
    if (sum >= least) continue;
    least = sum;
    best = frame + WINDOW / 2;
  }
  return start + best * FRAME_BYTES;
}
