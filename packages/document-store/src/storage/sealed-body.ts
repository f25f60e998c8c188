import { crc32 } from 'node:zlib';
import { dataCorruption } from '../errors.ts';

const SEAL_BYTES = 4;

/** A document's bytes as they are stored: with a CRC-32 behind them, since SQLite has none of its own. */
export function seal(bytes: Uint8Array): Uint8Array {
  const body = Buffer.allocUnsafe(bytes.length + SEAL_BYTES);
  body.set(bytes);
  body.writeUInt32LE(crc32(bytes), bytes.length);
  return body;
}

/** Returns the document's bytes in a stored body. Throws DataCorruptionDetected unless they are those that were sealed. */
export function unseal(body: Uint8Array): Uint8Array {
  const bytes = unsealed(body);
  if (!bytes) throw dataCorruption('a stored document is damaged: its checksum does not fit');
  return bytes;
}

/** Returns the document's bytes in a stored body; undefined when they are not those that were sealed. */
export function unsealed(body: Uint8Array): Uint8Array | undefined {
  const end = body.length - SEAL_BYTES;
  if (end < 0) return undefined;
  const bytes = body.subarray(0, end);
  const at = (place: number) => body[end + place] as number;
  return crc32(bytes) === (at(0) | (at(1) << 8) | (at(2) << 16) | (at(3) << 24)) >>> 0 ? bytes : undefined;
}
