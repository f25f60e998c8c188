/** Internal audio format: 16-bit signed samples, little endian, mono, at this rate. */
export const SAMPLE_RATE = 24_000;

export const BYTES_PER_SAMPLE = 2;

const LARGEST = 32_768;

export function durationMs(pcm: { byteLength: number }): number {
  return (pcm.byteLength / BYTES_PER_SAMPLE / SAMPLE_RATE) * 1_000;
}

/** Returns the size of a duration, in whole samples. */
export function bytesOf(ms: number): number {
  return Math.floor((ms * SAMPLE_RATE) / 1_000) * BYTES_PER_SAMPLE;
}

/** Converts to samples from -1 to 1, without a trailing half sample. */
export function toFloats(pcm: Uint8Array): Float32Array {
  const view = new DataView(pcm.buffer, pcm.byteOffset, pcm.byteLength);
  const samples = new Float32Array(Math.floor(pcm.byteLength / BYTES_PER_SAMPLE));
  for (let index = 0; index < samples.length; index++)
    samples[index] = view.getInt16(index * BYTES_PER_SAMPLE, true) / LARGEST;
  return samples;
}

/** Clips samples louder than 1. */
export function fromFloats(samples: Float32Array): Uint8Array {
  const pcm = new Uint8Array(samples.length * BYTES_PER_SAMPLE);
  const view = new DataView(pcm.buffer);
  for (let index = 0; index < samples.length; index++) {
    const value = Math.round((samples[index] as number) * LARGEST);
    view.setInt16(index * BYTES_PER_SAMPLE, Math.max(-LARGEST, Math.min(LARGEST - 1, value)), true);
  }
  return pcm;
}
