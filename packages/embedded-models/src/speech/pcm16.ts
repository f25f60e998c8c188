// pcm16: signed 16-bit samples, little endian, one channel.

/** @returns −1 to 1, without a trailing half sample */
export function toFloats(pcm16: Uint8Array): Float32Array {
  const view = new DataView(pcm16.buffer, pcm16.byteOffset, pcm16.byteLength);
  return Float32Array.from({ length: pcm16.byteLength >> 1 }, (_, at) => view.getInt16(at * 2, true) / 32_768);
}

/** Clips louder samples. */
export function toPcm16(samples: Float32Array): Uint8Array {
  const view = new DataView(new ArrayBuffer(samples.length * 2));
  for (const [at, sample] of samples.entries())
    view.setInt16(at * 2, Math.round(Math.max(-1, Math.min(1, sample)) * 32_767), true);
  return new Uint8Array(view.buffer);
}
