import { crc32 } from 'node:zlib';
import { Int32, ObjectId } from 'bson';
import { dataCorruption } from '../errors.ts';
import { startsWithId } from '../values/codec.ts';
import { decode } from '../values/decode.ts';
import { getField } from '../values/fields.ts';
import { encodeKey } from '../values/keys.ts';

const CHECKSUM_BYTES = 4;

/** Appends a CRC-32, which SQLite does not provide. */
export function appendChecksum(bytes: Uint8Array): Uint8Array {
  const body = Buffer.allocUnsafe(bytes.length + CHECKSUM_BYTES);
  body.set(bytes);
  body.writeUInt32LE(crc32(bytes), bytes.length);
  return body;
}

/** Returns a stored document's bytes. Throws DataCorruptionDetected if the checksum differs. */
export function verifyChecksum(body: Uint8Array): Uint8Array {
  const bytes = withoutChecksum(body);
  if (!bytes) throw dataCorruption('a stored document is damaged: its checksum does not match');
  return bytes;
}

/** Returns a stored document's bytes; undefined if the checksum differs. */
export function withoutChecksum(body: Uint8Array): Uint8Array | undefined {
  const end = body.length - CHECKSUM_BYTES;
  if (end < 0) return undefined;
  const bytes = body.subarray(0, end);
  const at = (place: number) => body[end + place] as number;
  return crc32(bytes) === (at(0) | (at(1) << 8) | (at(2) << 16) | (at(3) << 24)) >>> 0 ? bytes : undefined;
}

const VALUE_START = 9;
const STRING = 2;
const OBJECT_ID = 7;
const INT = 16;

/** True if a stored document's `_id` has this key. Decodes only the `_id` if it has a common type. */
export function hasIdKey(bytes: Uint8Array, key: Uint8Array): boolean {
  return encodeKey(readId(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length))).equals(key);
}

function readId(bytes: Buffer): unknown {
  switch (startsWithId(bytes) ? bytes[4] : undefined) {
    case STRING: {
      const start = VALUE_START + 4;
      return bytes.toString('utf8', start, start + bytes.readInt32LE(VALUE_START) - 1);
    }
    case OBJECT_ID:
      return new ObjectId(bytes.subarray(VALUE_START, VALUE_START + 12));
    case INT:
      return new Int32(bytes.readInt32LE(VALUE_START));
    default:
      return getField(decode(bytes), '_id');
  }
}
