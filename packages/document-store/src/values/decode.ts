import { type Document, deserialize } from 'bson';
import { overflow } from '../errors.ts';
import { type Fields, isArrayIndex } from './fields.ts';

/** Deeper documents are refused: every walk over a document may then be recursive. */
const maximumDepth = 200;

// Every number stays an Int32, Long or Double, and every regular expression a BSONRegExp: types survive a rewrite.
const options = { promoteValues: false, promoteBuffers: false, bsonRegExp: true } as const;

/**
 * Decodes BSON so that the result, encoded, is the same document again: types are kept, and so is the order of fields, for
 * which documents with names like `"10"` or `_bsontype` become Maps.
 * Throws bson's BSONError for malformed bytes, Overflow (15) for a document nested over 200 deep.
 */
export function decodeDocument(bytes: Uint8Array): Document {
  const isOdd = hasOddName(bytes, 0, bytes.length, false, 1);
  const document = deserialize(bytes, options);
  if (!isOdd) return document;
  return readFields(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length), 0, false) as Document;
}

const objectType = 3;
const arrayType = 4;
const [zeroDigit, nineDigit] = [0x30, 0x39];

/**
 * Whether some field's name means that plain objects or bson's own decoding would change the document. The bytes may be anything:
 * where they are malformed the answer is false, and decoding will say so.
 */
function hasOddName(bytes: Uint8Array, offset: number, limit: number, isArray: boolean, depth: number): boolean {
  if (depth > maximumDepth) throw overflow(`BSON document exceeds the maximum nesting depth of ${maximumDepth}`);
  const end = offset + readInt32(bytes, offset) - 1;
  if (!(end < limit)) return false;
  for (let position = offset + 4; position < end; ) {
    const type = bytes[position] as number;
    const nameStart = position + 1;
    let digits = 0;
    let start = nameStart;
    for (let byte = bytes[start] as number; byte !== 0 && start < end; byte = bytes[start] as number) {
      if (byte >= zeroDigit && byte <= nineDigit) digits += 1;
      start += 1;
    }
    const length = start - nameStart;
    start += 1;
    if (!isArray && length > 0 && (digits === length || isReserved(bytes, nameStart, length))) return true;
    const isContainer = type === objectType || type === arrayType;
    if (isContainer && hasOddName(bytes, start, end, type === arrayType, depth + 1)) return true;
    const next = start + valueLength(bytes, type, start);
    if (!(next > position)) return false;
    position = next;
  }
  return false;
}

const reserved = ['_bsontype', '$ref'].map((name) => Buffer.from(name));

function isReserved(bytes: Uint8Array, start: number, length: number): boolean {
  for (const name of reserved) {
    if (name.length === length && name.every((byte, index) => bytes[start + index] === byte)) return true;
  }
  return false;
}

function readInt32(bytes: Uint8Array, offset: number): number {
  return (
    (bytes[offset] as number) |
    ((bytes[offset + 1] as number) << 8) |
    ((bytes[offset + 2] as number) << 16) |
    ((bytes[offset + 3] as number) << 24)
  );
}

/** Reads a document or an array at an offset. The bytes are known to be well-formed. */
function readFields(bytes: Buffer, offset: number, isArray: boolean): Fields | unknown[] {
  const end = offset + readInt32(bytes, offset) - 1;
  const entries: [string, unknown][] = [];
  for (let position = offset + 4; position < end; ) {
    const type = bytes[position] as number;
    const nameEnd = bytes.indexOf(0, position + 1);
    const name = bytes.toString('utf8', position + 1, nameEnd);
    const start = nameEnd + 1;
    const length = valueLength(bytes, type, start);
    const isContainer = type === objectType || type === arrayType;
    const value = isContainer
      ? readFields(bytes, start, type === arrayType)
      : readScalar(type, bytes.subarray(start, start + length));
    entries.push([name, value]);
    position = start + length;
  }
  if (isArray) return entries.map(([, value]) => value);
  const isPlain = entries.every(([name]) => !isArrayIndex(name) && name !== '_bsontype');
  return isPlain ? Object.fromEntries(entries) : new Map(entries);
}

/** A single value, by way of a document that has nothing else. */
function readScalar(type: number, value: Buffer): unknown {
  const head = Buffer.from([0, 0, 0, 0, type, 0x76, 0]);
  head.writeInt32LE(head.length + value.length + 1, 0);
  return deserialize(Buffer.concat([head, value, Buffer.of(0)]), options).v;
}

/** How many bytes the values of a type take, by the type's number; the other types tell their length. */
const fixedLengths: Readonly<Record<number, number>> = {
  1: 8,
  6: 0,
  7: 12,
  8: 1,
  9: 8,
  10: 0,
  16: 4,
  17: 8,
  18: 8,
  19: 16,
  127: 0,
  255: 0,
};

function valueLength(bytes: Uint8Array, type: number, start: number): number {
  const fixed = fixedLengths[type];
  if (fixed !== undefined) return fixed;
  if (type === 11) return bytes.indexOf(0, bytes.indexOf(0, start) + 1) + 1 - start;
  const length = readInt32(bytes, start);
  // Strings, code and symbols count their text alone; binary data its bytes, without the subtype; the others everything.
  if (type === 5) return length + 5;
  if (type === 12) return length + 16;
  return type === objectType || type === arrayType || type === 15 ? length : length + 4;
}
