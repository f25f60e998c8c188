/** Samples a second of all sound that goes over the socket: pcm16, one channel. */
export const RATE = 24_000;

const WHOLE = 0x7fff;

/** Samples between -1 and 1 as 16-bit ones. */
export function toPcm16(samples: Float32Array): Int16Array<ArrayBuffer> {
  const pcm = new Int16Array(samples.length);
  for (const [at, sample] of samples.entries()) pcm[at] = Math.round(Math.max(-1, Math.min(1, sample)) * WHOLE);
  return pcm;
}

/** 16-bit samples as ones between -1 and 1. */
export function fromPcm16(pcm: Int16Array): Float32Array<ArrayBuffer> {
  const samples = new Float32Array(pcm.length);
  for (const [at, sample] of pcm.entries()) samples[at] = sample / WHOLE;
  return samples;
}

/** How loud samples are, 0 to 1, as one hears it rather than as it is measured. */
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
