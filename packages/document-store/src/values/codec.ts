import { type Document, serialize } from 'bson';

/** MongoDB's limit for one stored document, in bytes. */
export const MAX_DOCUMENT_BYTES = 16 * 1024 * 1024;

/** Encodes a document; undefined becomes null, as BSON's deprecated undefined type is not written. */
export function encode(document: Document): Uint8Array {
  return serialize(document, { ignoreUndefined: false });
}

/** True when the first element of the document is its `_id`, as every stored document has it. */
export function startsWithId(bytes: Uint8Array): boolean {
  return bytes[5] === 0x5f && bytes[6] === 0x69 && bytes[7] === 0x64 && bytes[8] === 0;
}

/** A document that is already BSON, to be placed into an answer as it is. */
export class RawDocument {
  readonly bytes: Uint8Array;

  constructor(bytes: Uint8Array) {
    this.bytes = bytes;
  }
}

/**
 * Encodes an answer whose values may be `RawDocument`s, or arrays and plain objects that hold them; fields that are
 * undefined are left out.
 */
export function encodeAnswer(answer: Document): Buffer {
  const parts: Uint8Array[] = [];
  const size = writeDocument(Object.entries(answer), parts);
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
