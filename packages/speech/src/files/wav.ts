import { BYTES_PER_SAMPLE, SAMPLE_RATE } from '../pcm.ts';

const HEADER_BYTES = 44;

/** Size in headers of streams, as players expect it. */
const UNKNOWN = 0xffff_ffff;

/** Builds the WAV header for our samples. @param dataBytes null if not known yet */
export function wavHeader(dataBytes: number | null): Uint8Array {
  const header = Buffer.alloc(HEADER_BYTES);
  header.write('RIFF', 0, 'latin1');
  header.writeUInt32LE(dataBytes === null ? UNKNOWN : HEADER_BYTES - 8 + dataBytes, 4);
  header.write('WAVEfmt ', 8, 'latin1');
  header.writeUInt32LE(16, 16);
  header.writeUInt16LE(1, 20); // PCM
  header.writeUInt16LE(1, 22); // channels
  header.writeUInt32LE(SAMPLE_RATE, 24);
  header.writeUInt32LE(SAMPLE_RATE * BYTES_PER_SAMPLE, 28);
  header.writeUInt16LE(BYTES_PER_SAMPLE, 32);
  header.writeUInt16LE(BYTES_PER_SAMPLE * 8, 34);
  header.write('data', 36, 'latin1');
  header.writeUInt32LE(dataBytes ?? UNKNOWN, 40);
  return header;
}
