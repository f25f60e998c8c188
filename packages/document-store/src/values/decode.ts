import { isUtf8 } from 'node:buffer';
import {
  Binary,
  BSONError,
  BSONRegExp,
  BSONSymbol,
  Code,
  Decimal128,
  type Document,
  Double,
  Int32,
  Long,
  MaxKey,
  MinKey,
  ObjectId,
  Timestamp,
} from 'bson';
import { overflow } from '../errors.ts';
import { type Fields, isArrayIndex } from './fields.ts';

/** Deeper documents are rejected, so that recursion is safe. */
const MAX_DEPTH = 200;
const SHORT_STRING_BYTES = 16;

/**
 * Decodes BSON without loss: encoding the result gives the same document. Numbers become `Int32`,
 * `Long`, or `Double`. A document becomes a Map if a plain object would lose its order or type,
 * because of names such as `"10"` or `_bsontype`. Throws BSONError for malformed bytes and Overflow
 * (15) for more than 200 levels.
 */
export function decode(bytes: Uint8Array): Document {
  return new Decoder(bytes, undefined).decode();
}

/** Like `decode`, but leaves the documents in one array encoded. */
export function decodeWithRawArray(bytes: Uint8Array, rawArray: string): Document {
  return new Decoder(bytes, rawArray).decode();
}

/** Decodes a document and moves a single `_id` to the front of its bytes. */
export function decodeForInsert(bytes: Uint8Array): { document: Document; bytes: Uint8Array } {
  const decoder = new Decoder(bytes, undefined);
  const document = decoder.decode();
  const { start, end, count } = decoder.id;
  if (count !== 1 || start === LENGTH_BYTES) return { document, bytes };
  const inOrder = Buffer.allocUnsafe(bytes.length);
  inOrder.set(bytes);
  inOrder.set(bytes.subarray(start, end), LENGTH_BYTES);
  inOrder.set(bytes.subarray(LENGTH_BYTES, start), LENGTH_BYTES + end - start);
  return { document, bytes: inOrder };
}

const LENGTH_BYTES = 4;

class Decoder {
  /** The position of the top-level `_id`, and how often it occurs. */
  readonly id = { start: 0, end: 0, count: 0 };
  readonly #bytes: Buffer;
  readonly #rawArray: string | undefined;
  #at = 0;

  constructor(bytes: Uint8Array, rawArray: string | undefined) {
    this.#bytes = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
    this.#rawArray = rawArray;
  }

  decode(): Document {
    const fields = this.#fields(this.#bytes.length, 1);
    if (this.#at !== this.#bytes.length) throw malformed(`${this.#bytes.length - this.#at} extra bytes`);
    return fields as Document;
  }

  /** Reads a document's length. Returns the position of its terminating zero. */
  #begin(limit: number, depth: number): number {
    if (depth > MAX_DEPTH) throw overflow(`BSON document exceeds the maximum nesting depth of ${MAX_DEPTH}`);
    const start = this.#at;
    const length = this.#int32();
    const end = start + length - 1;
    if (length < 5 || end >= limit || this.#bytes[end] !== 0) throw malformed('wrong document length');
    return end;
  }

  #fields(limit: number, depth: number): Fields {
    const end = this.#begin(limit, depth);
    let fields: Fields = {};
    while (this.#at < end) {
      const start = this.#at;
      const type = this.#bytes[start] as number;
      this.#at += 1;
      const name = this.#cString(end);
      const raw = depth === 1 && type === 4 && name === this.#rawArray;
      const value = this.#value(type, end, depth, raw);
      if (depth === 1 && name === '_id') {
        this.id.start = start;
        this.id.end = this.#at;
        this.id.count += 1;
      }
      if (fields instanceof Map) fields.set(name, value);
      else if (isArrayIndex(name) || name === '_bsontype') fields = new Map(Object.entries(fields)).set(name, value);
      else if (name !== '__proto__') fields[name] = value;
      else Object.defineProperty(fields, name, { value, writable: true, enumerable: true, configurable: true });
    }
    this.#end(end);
    return fields;
  }

  #array(limit: number, depth: number, raw: boolean): unknown[] {
    const end = this.#begin(limit, depth);
    const values: unknown[] = [];
    while (this.#at < end) {
      const type = this.#bytes[this.#at] as number;
      this.#at = this.#bytes.indexOf(0, this.#at + 1) + 1;
      values.push(
        raw && type === 3 ? this.#take(this.#bytes.readInt32LE(this.#at), end) : this.#value(type, end, depth, false),
      );
    }
    this.#end(end);
    return values;
  }

  #end(end: number): void {
    if (this.#at !== end) throw malformed('a value exceeds its document');
    this.#at += 1;
  }

  #value(type: number, end: number, depth: number, raw: boolean): unknown {
    switch (type) {
      case 1:
        return new Double(this.#bytes.readDoubleLE(this.#skip(8, end)));
      case 2:
        return this.#string(end);
      case 3:
        return this.#fields(end, depth + 1);
      case 4:
        return this.#array(end, depth + 1, raw);
      case 5:
        return this.#binary(end);
      case 6:
        return undefined;
      case 7:
        return new ObjectId(this.#copy(12, end));
      case 8:
        return this.#bytes[this.#skip(1, end)] === 1;
      case 9:
        return new Date(this.#long(end).toNumber());
      case 10:
        return null;
      case 11:
        return new BSONRegExp(this.#cString(end), this.#cString(end));
      case 12:
        // The deprecated DBPointer.
        return { $ref: this.#string(end), $id: new ObjectId(this.#copy(12, end)) };
      case 13:
        return new Code(this.#string(end));
      case 14:
        return new BSONSymbol(this.#string(end));
      case 15:
        this.#at += 4;
        return new Code(this.#string(end), this.#fields(end, depth + 1) as Document);
      case 16:
        return new Int32(this.#int32());
      case 17: {
        const { low, high } = this.#long(end);
        return new Timestamp({ t: high >>> 0, i: low >>> 0 });
      }
      case 18:
        return this.#long(end);
      case 19:
        return new Decimal128(this.#copy(16, end));
      case 127:
        return new MaxKey();
      case 255:
        return new MinKey();
      default:
        throw malformed(`unknown type ${type}`);
    }
  }

  #skip(count: number, end: number): number {
    const start = this.#at;
    this.#at += count;
    if (count < 0 || this.#at > end) throw malformed('a value exceeds its document');
    return start;
  }

  #take(count: number, end: number): Buffer {
    return this.#bytes.subarray(this.#skip(count, end), this.#at);
  }

  #copy(count: number, end: number): Uint8Array {
    return Uint8Array.prototype.slice.call(this.#bytes, this.#skip(count, end), this.#at);
  }

  #int32(): number {
    const [bytes, at] = [this.#bytes, this.#at];
    this.#at += 4;
    return (
      (bytes[at] as number) |
      ((bytes[at + 1] as number) << 8) |
      ((bytes[at + 2] as number) << 16) |
      ((bytes[at + 3] as number) << 24)
    );
  }

  #long(end: number): Long {
    this.#at = this.#skip(8, end);
    return new Long(this.#int32(), this.#int32());
  }

  #binary(end: number): Binary {
    let length = this.#int32();
    const subtype = this.#bytes[this.#at] as number;
    this.#at += 1;
    // The deprecated subtype repeats the length.
    if (subtype === 2) {
      length -= 4;
      if (this.#int32() !== length) throw malformed('wrong binary length');
    }
    return new Binary(Buffer.from(this.#take(length, end)), subtype);
  }

  #string(end: number): string {
    const length = this.#int32();
    const start = this.#at;
    if (length < 1 || this.#bytes[this.#skip(length, end) + length - 1] !== 0) {
      throw malformed('wrong string length');
    }
    return this.#utf8(start, start + length - 1);
  }

  #cString(end: number): string {
    const start = this.#at;
    let at = start;
    while (this.#bytes[at] !== 0 && at < end) at += 1;
    if (at >= end) throw malformed('unterminated name');
    this.#at = at + 1;
    return this.#utf8(start, at);
  }

  #utf8(start: number, end: number): string {
    const bytes = this.#bytes;
    // Most names are short and ASCII. Reading them here is faster than calling Node's decoder.
    if (end - start <= SHORT_STRING_BYTES) {
      let at = start;
      const codes: number[] = [];
      for (; at < end; at += 1) {
        const code = bytes[at] as number;
        if (code > 0x7f) break;
        codes.push(code);
      }
      if (at === end) return String.fromCharCode(...codes);
    }
    const text = bytes.toString('utf8', start, end);
    if (text.includes('\ufffd') && !isUtf8(bytes.subarray(start, end))) {
      throw new BSONError('Invalid UTF-8 string in BSON document');
    }
    return text;
  }
}

function malformed(what: string): BSONError {
  return new BSONError(`malformed BSON: ${what}`);
}
