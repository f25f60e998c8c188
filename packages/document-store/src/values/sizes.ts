import { Binary, BSONRegExp, Code } from 'bson';
import { objectTooLarge, overflow } from '../errors.ts';
import { MAX_DOCUMENT_BYTES } from './codec.ts';
import { type Fields, fieldNames, getField, isFields } from './fields.ts';

/** What a value takes in BSON, its name not counted; goes no further once that is over `limit`. */
export function bytesOf(value: unknown, limit: number): number {
  if (typeof value === 'string') return 5 + Buffer.byteLength(value);
  if (typeof value !== 'object' || value === null) return 8;
  if (Array.isArray(value)) {
    let bytes = 5;
    for (const element of value) {
      bytes += 8 + bytesOf(element, limit - bytes);
      if (bytes > limit) return bytes;
    }
    return bytes;
  }
  if (isFields(value)) {
    let bytes = 5;
    for (const name of fieldNames(value)) {
      bytes += 2 + Buffer.byteLength(name) + bytesOf(getField(value, name), limit - bytes);
      if (bytes > limit) return bytes;
    }
    return bytes;
  }
  if (value instanceof Binary) return 5 + value.position;
  if (value instanceof Uint8Array) return 5 + value.length;
  if (value instanceof BSONRegExp) return 2 + value.pattern.length;
  if (value instanceof Code) return 5 + value.code.length;
  return 16;
}

/** Throws BSONObjectTooLarge for a value that could be no document's; the values that pipelines make on their way share parts, and grow fast. */
export function checkBytes(value: unknown): number {
  const bytes = bytesOf(value, MAX_DOCUMENT_BYTES);
  if (bytes > MAX_DOCUMENT_BYTES) {
    throw objectTooLarge(`BSONObj size is invalid: a value of the pipeline is over ${MAX_DOCUMENT_BYTES} bytes`);
  }
  return bytes;
}

/** Documents may be nested this deep, as in MongoDB; what is read may be a little deeper. */
const MAX_DEPTH = 180;

/** Throws Overflow for a document that is nested too deep. */
export function checkDepth(document: Fields): void {
  if (isDeeper(document, MAX_DEPTH)) throw overflow(`Document exceeds maximum nested object depth: ${MAX_DEPTH}`);
}

function isDeeper(value: unknown, depth: number): boolean {
  if (Array.isArray(value)) return depth === 0 || value.some((element) => isDeeper(element, depth - 1));
  if (!isFields(value)) return false;
  return depth === 0 || fieldNames(value).some((name) => isDeeper(getField(value, name), depth - 1));
}
