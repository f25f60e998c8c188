import type { Code, ObjectId, Timestamp } from 'bson';
import { type Fields, fieldNames, getField } from './fields.ts';
import { compareExact, type Decimal, type Exact, exactDecimal, exactNumber } from './numbers.ts';
import { binaryParts, regexParts, stringOf, typeOrder } from './order.ts';

// A key is the type's order byte and the content. Contents are self-delimiting, so keys can be concatenated.
// Numbers have four classes: 15 (NaN), 16 (negative), 17 (zero), and 18 (positive).
const notANumber = 15;
const belowZero = 16;
const zero = 17;
const aboveZero = 18;

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

  take(): Buffer {
    const result = Buffer.from(this.bytes.subarray(0, this.length));
    this.length = 0;
    // Do not keep the memory of a huge key.
    if (this.bytes.length > 65_536) this.bytes = Buffer.allocUnsafe(64);
    return result;
  }
}

const sharedWriter = new KeyWriter();

/** Encodes a value so that keys compare bytewise as `compareValues` compares values. */
export function encodeKey(value: unknown): Buffer {
  sharedWriter.length = 0;
  writeValue(sharedWriter, value);
  return sharedWriter.take();
}

export function keyText(value: unknown): string {
  return encodeKey(value).toString('latin1');
}

/**
 * Encodes several values, reversing the order of those with a negative direction. The key of the
 * first n values is a prefix of the whole key, and of no key whose values differ.
 */
export function encodeCompoundKey(values: readonly unknown[], directions: readonly number[]): Buffer {
  sharedWriter.length = 0;
  for (let index = 0; index < values.length; index += 1) {
    const start = sharedWriter.length;
    writeValue(sharedWriter, values[index]);
    if ((directions[index] ?? 1) < 0) sharedWriter.invert(start);
  }
  return sharedWriter.take();
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

/** Length, subtype, and bytes, as `compareValues` compares them. */
function writeBinary(writer: KeyWriter, value: unknown): void {
  const { bytes, subtype } = binaryParts(value);
  writer.reserve(5);
  writer.bytes.writeUInt32BE(bytes.length, writer.length);
  writer.bytes[writer.length + 4] = subtype;
  writer.length += 5;
  writer.raw(bytes);
}

/** UTF-8 with 00 escaped as 00 FF and terminated by 00 00, so that prefixes sort first. */
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
  // Invalid dates sort first, as in `compareValues`.
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
 * Writes the magnitude as the next lower double, whose big-endian bits sort by value. A 0 follows
 * if it is exact. Otherwise 1 and the exact decimal follow. Negative numbers are inverted.
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

function floorDouble(magnitude: Decimal): number {
  const nearest = Math.min(magnitude.toNumber(), Number.MAX_VALUE);
  if (compareExact(nearest, magnitude) <= 0) return nearest;
  const view = new DataView(new ArrayBuffer(8));
  view.setFloat64(0, nearest);
  view.setBigUint64(0, view.getBigUint64(0) - 1n);
  return view.getFloat64(0);
}
