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

/** Deeper documents are refused: every walk over a document may then be recursive. */
const MAX_DEPTH = 200;
const SHORT = 16;

/**
 * Decodes BSON so that the result, encoded, is the same document again: numbers come as `Int32`, `Long` or `Double`, and
 * documents with names like `"10"` or `_bsontype`, whose order or type a plain object would not keep, as Maps.
 * Throws BSONError for malformed bytes, Overflow (15) for a document nested over 200 deep.
 */
export function decode(bytes: Uint8Array): Document {
  return new Decoder(bytes, undefined).decode();
}

/** As `decode`, but the documents inside the array of that name stay undecoded bytes. */
export function decodeKeepingRaw(bytes: Uint8Array, rawArray: string): Document {
  return new Decoder(bytes, rawArray).decode();
}

/** A document to be stored: decoded, and as its bytes with `_id` in front, unless it has none, or several. */
export function decodeToStore(bytes: Uint8Array): { document: Document; bytes: Uint8Array } {
  const decoder = new Decoder(bytes, undefined);
  const document = decoder.decode();
  const { start, end, count } = decoder.id;
  if (count !== 1 || start === HEAD_BYTES) return { document, bytes };
  const inOrder = Buffer.allocUnsafe(bytes.length);
  inOrder.set(bytes);
  inOrder.set(bytes.subarray(start, end), HEAD_BYTES);
  inOrder.set(bytes.subarray(HEAD_BYTES, start), HEAD_BYTES + end - start);
  return { document, bytes: inOrder };
}

/** The length of a document, which stands in front of its fields. */
const HEAD_BYTES = 4;

class Decoder {
  /** Where the document's own `_id` stands, and how many it has. */
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
    if (this.#at !== this.#bytes.length) throw malformed(`${this.#bytes.length - this.#at} bytes too many`);
    return fields as Document;
  }

  /** Reads a document's length; returns where its last byte, a zero, stands. */
  #begin(limit: number, depth: number): number {
    if (depth > MAX_DEPTH) throw overflow(`BSON document exceeds the maximum nesting depth of ${MAX_DEPTH}`);
    const start = this.#at;
    const length = this.#int32();
    const end = start + length - 1;
    if (length < 5 || end >= limit || this.#bytes[end] !== 0) throw malformed('a document of a wrong length');
    return end;
  }

  #fields(limit: number, depth: number): Fields {
    const end = this.#begin(limit, depth);
    let fields: Fields = {};
    while (this.#at < end) {
      const start = this.#at;
      const type = this.#bytes[start] as number;
      this.#at += 1;
      const name = this.#zeroEnded(end);
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
    if (this.#at !== end) throw malformed('a value beyond the end of its document');
    this.#at += 1;
  }

  #value(type: number, end: number, depth: number, raw: boolean): unknown {
    switch (type) {
      case 1:
        return new Double(this.#bytes.readDoubleLE(this.#skip(8, end)));
      case 2:
        return this.#text(end);
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
        return new BSONRegExp(this.#zeroEnded(end), this.#zeroEnded(end));
      case 12:
        // The oldest form of a reference.
        return { $ref: this.#text(end), $id: new ObjectId(this.#copy(12, end)) };
      case 13:
        return new Code(this.#text(end));
      case 14:
        return new BSONSymbol(this.#text(end));
      case 15:
        this.#at += 4;
        return new Code(this.#text(end), this.#fields(end, depth + 1) as Document);
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
        throw malformed(`an unknown type ${type}`);
    }
  }

  /** Goes on behind the next bytes; returns where they start. */
  #skip(count: number, end: number): number {
    const start = this.#at;
    this.#at += count;
    if (count < 0 || this.#at > end) throw malformed('a value beyond the end of its document');
    return start;
  }

  /** The next bytes, not copied. */
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
    // The oldest form of binary data tells its length once more.
    if (subtype === 2) {
      length -= 4;
      if (this.#int32() !== length) throw malformed('binary data of a wrong length');
    }
    return new Binary(Buffer.from(this.#take(length, end)), subtype);
  }

  #text(end: number): string {
    const length = this.#int32();
    const start = this.#at;
    if (length < 1 || this.#bytes[this.#skip(length, end) + length - 1] !== 0) {
      throw malformed('a string of a wrong length');
    }
    return this.#utf8(start, start + length - 1);
  }

  #zeroEnded(end: number): string {
    const start = this.#at;
    let at = start;
    while (this.#bytes[at] !== 0 && at < end) at += 1;
    if (at >= end) throw malformed('a name without an end');
    this.#at = at + 1;
    return this.#utf8(start, at);
  }

  #utf8(start: number, end: number): string {
    const bytes = this.#bytes;
    // Most names are short and ASCII: reading them here is faster than a call of Node's own reader.
    if (end - start <= SHORT) {
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
