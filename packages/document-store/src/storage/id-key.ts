import { startsWithId } from '../values/codec.ts';
import { decode } from '../values/decode.ts';
import { getField } from '../values/fields.ts';
import { encodeKey } from '../values/keys.ts';

const VALUE_START = 9;

/** Whether a stored document's `_id` has this key. Decodes no more than the `_id`. */
export function hasIdKey(bytes: Uint8Array, key: Uint8Array): boolean {
  return encodeKey(getField(decode(idDocument(bytes)), '_id')).equals(key);
}

/** The document cut off after its `_id`, which comes first; the whole one for rare types. */
function idDocument(bytes: Uint8Array): Uint8Array {
  const size = startsWithId(bytes) ? valueSize(bytes) : undefined;
  if (size === undefined) return bytes;
  const cut = Buffer.allocUnsafe(VALUE_START + size + 1);
  cut.set(bytes.subarray(0, VALUE_START + size));
  cut.writeInt32LE(cut.length, 0);
  cut[cut.length - 1] = 0;
  return cut;
}

/** The size of the value after the name `_id`, by its type in BSON. */
function valueSize(bytes: Uint8Array): number | undefined {
  const length = () => new DataView(bytes.buffer, bytes.byteOffset).getInt32(VALUE_START, true);
  switch (bytes[4]) {
    case 1: // double
    case 9: // date
    case 18: // long
      return 8;
    case 2: // string
      return 4 + length();
    case 3: // document
      return length();
    case 5: // binary
      return 5 + length();
    case 7: // ObjectId
      return 12;
    case 16: // int
      return 4;
    default:
      return undefined;
  }
}
