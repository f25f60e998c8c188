import { z } from 'zod';

/**
 * Sound in an event: base64, or bytes where the transport has them. Gives the bytes: pcm16, little endian, 24,000 samples a second, one channel.
 */
export const soundBytes = z.union([z.string(), z.instanceof(Uint8Array)]).transform((value, context): Uint8Array => {
  const bytes = typeof value === 'string' ? fromBase64(value) : value;
  if (bytes === null) context.addIssue('must be base64');
  else if (bytes.byteLength % 2 !== 0) context.addIssue('must have whole samples of 16 bits');
  else return bytes;
  return z.NEVER;
});

function fromBase64(text: string): Uint8Array | null {
  try {
    return Uint8Array.fromBase64(text);
  } catch {
    return null;
  }
}
