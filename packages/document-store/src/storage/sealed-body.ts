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

/** True when a stored body has the bytes that were sealed. */
export function isSealed(body: Uint8Array): boolean {
  const end = body.length - SEAL_BYTES;
  if (end < 0) return false;
  return crc32(body.subarray(0, end)) === new DataView(body.buffer, body.byteOffset + end).getUint32(0, true);
}

/** The document's bytes in a stored body. Throws DataCorruptionDetected where they are not those that were sealed. */
export function unseal(body: Uint8Array): Uint8Array {
  if (!isSealed(body)) throw dataCorruption('a stored document is damaged: its checksum does not fit');
  return body.subarray(0, body.length - SEAL_BYTES);
}
