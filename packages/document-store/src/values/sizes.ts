import { Binary, BSONRegExp, Code } from 'bson';
import { objectTooLarge } from '../errors.ts';
import { MAX_DOCUMENT_BYTES } from './codec.ts';
import { fieldNames, getField, isFields } from './fields.ts';

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
