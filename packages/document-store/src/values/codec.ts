import { Binary, BSONRegExp, Code, type Document, serialize } from 'bson';
import { objectTooLarge, overflow } from '../errors.ts';
import { type Fields, fieldNames, getField, isFields } from './fields.ts';

export const MAX_DOCUMENT_BYTES = 16 * 1024 * 1024;

/** Encodes a document. Undefined becomes null, since BSON's undefined is deprecated. */
export function encode(document: Document): Uint8Array {
  return serialize(document, { ignoreUndefined: false });
}

export function startsWithId(bytes: Uint8Array): boolean {
  return bytes[5] === 0x5f && bytes[6] === 0x69 && bytes[7] === 0x64 && bytes[8] === 0;
}

export class RawDocument {
  readonly bytes: Uint8Array;

  constructor(bytes: Uint8Array) {
    this.bytes = bytes;
  }
}

/** Encodes a reply that may contain `RawDocument`s. Omits undefined fields. */
export function encodeReply(reply: Document): Buffer {
  const parts: Uint8Array[] = [];
  const size = writeDocument(Object.entries(reply), parts);
  return Buffer.concat(parts, size);
}

const ZERO = Buffer.of(0);

function writeDocument(entries: [string, unknown][], parts: Uint8Array[]): number {
  const head = Buffer.allocUnsafe(4);
  parts.push(head);
  let size = 5;
  for (const [name, value] of entries) if (value !== undefined) size += writeElement(name, value, parts);
  parts.push(ZERO);
  head.writeInt32LE(size, 0);
  return size;
}

function writeElement(name: string, value: unknown, parts: Uint8Array[]): number {
  if (value instanceof RawDocument) {
    const head = elementHead(3, name);
    parts.push(head, value.bytes);
    return head.length + value.bytes.length;
  }
  if (Array.isArray(value) || isPlainObject(value)) {
    const head = elementHead(Array.isArray(value) ? 4 : 3, name);
    parts.push(head);
    return head.length + writeDocument(Object.entries(value), parts);
  }
  const alone = serialize({ [name]: value }, { ignoreUndefined: false });
  const element = alone.subarray(4, alone.length - 1);
  parts.push(element);
  return element.length;
}

function elementHead(type: number, name: string): Buffer {
  const head = Buffer.allocUnsafe(2 + Buffer.byteLength(name));
  head[0] = type;
  head.write(name, 1);
  head[head.length - 1] = 0;
  return head;
}

function isPlainObject(value: unknown): value is Document {
  return typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype;
}

/** Returns a value's size in BSON without its name. Stops once it exceeds `limit`. */
export function bsonSize(value: unknown, limit: number): number {
  if (typeof value === 'string') return 5 + Buffer.byteLength(value);
  if (typeof value !== 'object' || value === null) return 8;
  if (Array.isArray(value)) {
    let bytes = 5;
    for (const element of value) {
      bytes += 8 + bsonSize(element, limit - bytes);
      if (bytes > limit) return bytes;
    }
    return bytes;
  }
  if (isFields(value)) {
    let bytes = 5;
    for (const name of fieldNames(value)) {
      bytes += 2 + Buffer.byteLength(name) + bsonSize(getField(value, name), limit - bytes);
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

/** Throws BSONObjectTooLarge for a computed value over the document size limit. */
export function checkSize(value: unknown): number {
  const bytes = bsonSize(value, MAX_DOCUMENT_BYTES);
  if (bytes > MAX_DOCUMENT_BYTES) {
    throw objectTooLarge(`BSONObj size is invalid: a value of the pipeline is over ${MAX_DOCUMENT_BYTES} bytes`);
  }
  return bytes;
}

/** MongoDB's nesting limit for stored documents. Reading allows a little more. */
const MAX_DEPTH = 180;

export function checkDepth(document: Fields): void {
  if (isDeeperThan(document, MAX_DEPTH)) throw overflow(`Document exceeds maximum nested object depth: ${MAX_DEPTH}`);
}

function isDeeperThan(value: unknown, depth: number): boolean {
  if (Array.isArray(value)) return depth === 0 || value.some((element) => isDeeperThan(element, depth - 1));
  if (!isFields(value)) return false;
  return depth === 0 || fieldNames(value).some((name) => isDeeperThan(getField(value, name), depth - 1));
}
