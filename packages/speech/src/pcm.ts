/** All sound inside is 16-bit signed samples, little endian, one channel, so many a second. */
export const SAMPLE_RATE = 24_000;

export const BYTES_PER_SAMPLE = 2;

/** Bytes that a millisecond of sound takes. */
const BYTES_PER_MS = (SAMPLE_RATE * BYTES_PER_SAMPLE) / 1_000;

export function durationMs(pcm: { byteLength: number }): number {
  return pcm.byteLength / BYTES_PER_MS;
}

/** The bytes of so much sound, in whole samples. */
export function bytesOf(ms: number): number {
  return Math.floor((ms * SAMPLE_RATE) / 1_000) * BYTES_PER_SAMPLE;
}
