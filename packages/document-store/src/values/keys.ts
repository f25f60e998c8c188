import type { Code, ObjectId, Timestamp } from 'bson';
import { type Fields, fieldNames, getField } from './fields.ts';
import { compareExact, type Decimal, type Exact, exactDecimal, exactNumber } from './numbers.ts';
import { binaryParts, regexParts, stringOf, typeOrder } from './order.ts';

// A value's key is its type's place in the order, then its content; each content ends by itself, so keys can follow one
// another. The four classes of numbers share the place 15: they take 15 (NaN), 16 (below zero), 17 (zero), 18 (above).
const notANumber = 15;
const belowZero = 16;
const zero = 17;
const aboveZero = 18;

/** Writes bytes one after another into a buffer that grows. */
class KeyWriter {
  bytes = Buffer.allocUnsafe(64);
  length = 0;

  reserve(count: number): void {
    if (this.length + count <= this.bytes.length) return;
    const larger = Buffer.allocUnsafe(Math.max(this.bytes.length * 2, this.length + count));
    this.bytes.copy(larger, 0, 0, this.length);
    this.bytes = larger;
  }

  byte(value: number): void {
    this.reserve(1);
    this.bytes[this.length] = value;
    this.length += 1;
  }

  raw(value: Uint8Array): void {
    this.reserve(value.length);
    this.bytes.set(value, this.length);
    this.length += value.length;
  }

  invert(from: number): void {
    for (let index = from; index < this.length; index += 1) this.bytes[index] = ~(this.bytes[index] as number);
  }

  /** A copy of what was written; the writer is then empty again. */
  take(): Buffer {
    const result = Buffer.from(this.bytes.subarray(0, this.length));
    this.length = 0;
    // One huge key must not keep its memory for ever.
    if (this.bytes.length > 65_536) this.bytes = Buffer.allocUnsafe(64);
    return result;
  }
}

const shared = new KeyWriter();

/** The key of a value: keys compare by memcmp as their values do by `compareValues`, and equal values have equal keys. */
export function encodeKey(value: unknown): Buffer {
  shared.length = 0;
  writeValue(shared, value);
  return shared.take();
}

/** The key of a value as a text, by which a Map or a Set finds values that are equal. */
export function keyText(value: unknown): string {
  return encodeKey(value).toString('latin1');
}

/**
 * The key of several values in a row. Where a direction is negative the order is reversed for that value. The key of the first
 * n values is a prefix of the whole key, and of no key whose first n values differ.
 */
export function encodeCompoundKey(values: readonly unknown[], directions: readonly number[]): Buffer {
  shared.length = 0;
  for (let index = 0; index < values.length; index += 1) {
    const start = shared.length;
    writeValue(shared, values[index]);
    if ((directions[index] ?? 1) < 0) shared.invert(start);
  }
  return shared.take();
}

function writeValue(writer: KeyWriter, value: unknown): void {
  const order = typeOrder(value);
  if (order === 15) {
    writeNumber(writer, exactNumber(value));
    return;
  }
  writer.byte(order);
  switch (order) {
    case 20:
      writeText(writer, stringOf(value));
      break;
    case 25:
      writeFields(writer, value as Fields);
      break;
    case 30:
      for (const element of value as unknown[]) writeValue(writer, element);
      writer.byte(0);
      break;
    case 35:
      writeBinary(writer, value);
      break;
    case 40:
      writer.raw((value as ObjectId).id);
      break;
    case 45:
      writer.byte(value ? 1 : 0);
      break;
    case 50:
      writeTime(writer, (value as Date).getTime());
      break;
    case 55:
      writeWords(writer, (value as Timestamp).high, (value as Timestamp).low);
      break;
    case 60:
      writeText(writer, regexParts(value).pattern);
      writeText(writer, regexParts(value).options);
      break;
    case 70:
      writeText(writer, (value as Code).code as string);
      break;
    case 75:
      writeText(writer, (value as Code).code as string);
      writeFields(writer, (value as Code).scope as Fields);
      break;
  }
}

/** As `compareValues` compares binary data: the length, the subtype, the bytes. */
function writeBinary(writer: KeyWriter, value: unknown): void {
  const { bytes, subtype } = binaryParts(value);
  writer.reserve(5);
  writer.bytes.writeUInt32BE(bytes.length, writer.length);
  writer.bytes[writer.length + 4] = subtype;
  writer.length += 5;
  writer.raw(bytes);
}

/** UTF-8 with 00 written as 00 FF, then 00 00: a shorter string comes before every longer one that it begins. */
function writeText(writer: KeyWriter, text: string): void {
  writer.reserve(text.length * 3 + 2);
  const start = writer.length;
  writer.length += writer.bytes.write(text, start);
  if (text.includes('\0')) {
    const escaped = [...writer.bytes.subarray(start, writer.length)].flatMap((byte) =>
      byte === 0 ? [0, 255] : [byte],
    );
    writer.length = start;
    writer.raw(Uint8Array.from(escaped));
  }
  writer.byte(0);
  writer.byte(0);
}

/** As `compareValues` compares documents: for each field the type, the name, the value. */
function writeFields(writer: KeyWriter, document: Fields): void {
  for (const name of fieldNames(document)) {
    const value = getField(document, name);
    writer.byte(typeOrder(value));
    writeText(writer, name);
    writeValue(writer, value);
  }
  writer.byte(0);
}

function writeTime(writer: KeyWriter, milliseconds: number): void {
  // An invalid date sorts first, as compareValues has it.
  const time = Number.isNaN(milliseconds) ? -(2 ** 62) : milliseconds;
  writeWords(writer, (Math.floor(time / 2 ** 32) ^ 0x80000000) | 0, (time % 2 ** 32) | 0);
}

function writeWords(writer: KeyWriter, high: number, low: number): void {
  writer.reserve(8);
  writer.bytes.writeUInt32BE(high >>> 0, writer.length);
  writer.bytes.writeUInt32BE(low >>> 0, writer.length + 4);
  writer.length += 8;
}

/**
 * The magnitude as the greatest double not above it (big-endian bits of positive doubles sort as their values), then 0 if
 * that is all, or 1 and the exact decimal where the value lies between two doubles. Negative numbers are inverted.
 */
function writeNumber(writer: KeyWriter, value: Exact): void {
  const sign = Number.isNaN(value) ? Number.NaN : compareExact(value, 0);
  if (!(sign < 0 || sign > 0)) {
    writer.byte(sign === 0 ? zero : notANumber);
    return;
  }
  const negative = sign < 0;
  writer.byte(negative ? belowZero : aboveZero);
  const start = writer.length;
  writer.reserve(9);
  if (typeof value === 'number') {
    writer.bytes.writeDoubleBE(Math.abs(value), start);
    writer.bytes[start + 8] = 0;
    writer.length += 9;
  } else {
    writeBetweenDoubles(writer, exactDecimal(value).abs());
  }
  if (negative) writer.invert(start);
}

function writeBetweenDoubles(writer: KeyWriter, magnitude: Decimal): void {
  const floor = floorDouble(magnitude);
  writer.bytes.writeDoubleBE(floor, writer.length);
  writer.length += 8;
  const exact = compareExact(floor, magnitude) === 0;
  writer.byte(exact ? 0 : 1);
  if (exact) return;
  const [digits = ''] = magnitude.toExponential().split('e');
  const scale = magnitude.e + 1 + 0x8000;
  writer.byte(scale >> 8);
  writer.byte(scale & 0xff);
  const significant = digits.replace('.', '');
  for (let index = 0; index < significant.length; index += 2) {
    writer.byte(Number(significant.slice(index, index + 2).padEnd(2, '0')) + 1);
  }
  writer.byte(0);
}

/** The greatest double that is not above a positive decimal. */
function floorDouble(magnitude: Decimal): number {
  const nearest = Math.min(magnitude.toNumber(), Number.MAX_VALUE);
  if (compareExact(nearest, magnitude) <= 0) return nearest;
  const view = new DataView(new ArrayBuffer(8));
  view.setFloat64(0, nearest);
  view.setBigUint64(0, view.getBigUint64(0) - 1n);
  return view.getFloat64(0);
}
