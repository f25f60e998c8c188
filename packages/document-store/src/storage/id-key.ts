import { Int32, ObjectId } from 'bson';
import { startsWithId } from '../values/codec.ts';
import { decode } from '../values/decode.ts';
import { getField } from '../values/fields.ts';
import { encodeKey } from '../values/keys.ts';

const VALUE_START = 9;
const STRING = 2;
const OBJECT_ID = 7;
const INT = 16;

/** Whether a stored document's `_id` has this key. Decodes no more than the `_id` where it is of a usual type. */
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
