/** Samples per second in both directions: pcm16, mono. */
export const SAMPLE_RATE = 24_000;

const MAX_INT16 = 0x7fff;

export function toPcm16(samples: Float32Array): Int16Array<ArrayBuffer> {
  const pcm = new Int16Array(samples.length);
  for (const [at, sample] of samples.entries()) pcm[at] = Math.round(Math.max(-1, Math.min(1, sample)) * MAX_INT16);
  return pcm;
}

export function fromPcm16(pcm: Int16Array): Float32Array<ArrayBuffer> {
  const samples = new Float32Array(pcm.length);
  for (const [at, sample] of pcm.entries()) samples[at] = sample / MAX_INT16;
  return samples;
}

/** Returns the perceived loudness, 0 to 1. */
export function loudness(samples: Float32Array): number {
  let sum = 0;
  for (const sample of samples) sum += sample * sample;
  const decibels = 10 * Math.log10(sum / Math.max(1, samples.length) + 1e-9);
  return Math.max(0, Math.min(1, (decibels + 60) / 60));
}

export function toBase64(pcm: Int16Array): string {
  const bytes = new Uint8Array(pcm.buffer, pcm.byteOffset, pcm.byteLength);
  let text = '';
  for (const byte of bytes) text += String.fromCharCode(byte);
  return btoa(text);
}

export function fromBase64(text: string): Int16Array {
  const bytes = Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
  return new Int16Array(bytes.buffer, 0, bytes.length >> 1);
}
