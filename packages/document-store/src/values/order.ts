import { Binary, BSONRegExp, type BSONSymbol, type Code, Int32, type ObjectId, type Timestamp } from 'bson';
import { encode } from './codec.ts';
import { type Fields, fieldNames, getField, isFields } from './fields.ts';
import { compareExact, exactNumber } from './numbers.ts';
import { typeOrders as orders, typeName } from './types.ts';

/**
 * Returns the position of a value's type in BSON order. `undefined` is the key of an empty array.
 * Compare missing fields as null instead.
 */
export function typeOrder(value: unknown): number {
  return typeof value === 'string' ? 20 : orders[typeName(value)];
}

export function compareValues(left: unknown, right: unknown): number {
  if (left === right) return 0;
  if (typeof left === 'string' && typeof right === 'string') return compareStrings(left, right);
  if (left instanceof Int32 && right instanceof Int32) return left.value - right.value;
  const order = typeOrder(left);
  const difference = order - typeOrder(right);
  return difference === 0 ? compareSameType(order, left, right) : difference;
}

export function equalValues(left: unknown, right: unknown): boolean {
  if (left === right) return true;
  if (typeof left === 'string' && typeof right === 'string') return false;
  return compareValues(left, right) === 0;
}

export function compareStrings(left: string, right: string): number {
  const length = Math.min(left.length, right.length);
  for (let position = 0; position < length; position += 1) {
    const a = left.charCodeAt(position);
    const b = right.charCodeAt(position);
    if (a !== b) return utf8Rank(a) - utf8Rank(b);
  }
  return left.length - right.length;
}

/** Surrogates encode code points above U+FFFF, so they rank above all other code units. */
function utf8Rank(unit: number): number {
  return unit >= 0xd800 && unit <= 0xdfff ? unit + 0x10000 : unit;
}

function compareSameType(order: number, left: unknown, right: unknown): number {
  switch (order) {
    case orders.int:
      return compareExact(exactNumber(left), exactNumber(right));
    case orders.string:
      return compareStrings(stringOf(left), stringOf(right));
    case orders.object:
      return compareFields(left as Fields, right as Fields);
    case orders.array:
      return compareArrays(left as unknown[], right as unknown[]);
    case orders.binData:
      return compareBinaries(left, right);
    case orders.objectId:
      return Buffer.compare((left as ObjectId).id, (right as ObjectId).id);
    case orders.bool:
      return Number(left) - Number(right);
    case orders.date:
      return compareExact((left as Date).getTime(), (right as Date).getTime());
    case orders.timestamp:
      return (left as Timestamp).compare(right as Timestamp);
    case orders.regex: {
      const [a, b] = [regexParts(left), regexParts(right)];
      return compareStrings(a.pattern, b.pattern) || compareStrings(a.options, b.options);
    }
    case orders.javascript:
      return compareStrings((left as Code).code as string, (right as Code).code as string);
    case orders.javascriptWithScope: {
      const [a, b] = [left as Code, right as Code];
      return compareStrings(a.code as string, b.code as string) || compareFields(a.scope as Fields, b.scope as Fields);
    }
    default:
      return 0;
  }
}

function compareFields(left: Fields, right: Fields): number {
  const leftNames = fieldNames(left);
  const rightNames = fieldNames(right);
  const length = Math.min(leftNames.length, rightNames.length);
  for (let index = 0; index < length; index += 1) {
    const leftName = leftNames[index] as string;
    const rightName = rightNames[index] as string;
    const a = getField(left, leftName);
    const b = getField(right, rightName);
    const order = typeOrder(a);
    const result = order - typeOrder(b) || compareStrings(leftName, rightName) || compareSameType(order, a, b);
    if (result !== 0) return result;
  }
  return leftNames.length - rightNames.length;
}

function compareArrays(left: unknown[], right: unknown[]): number {
  const length = Math.min(left.length, right.length);
  for (let index = 0; index < length; index += 1) {
    const result = compareValues(left[index], right[index]);
    if (result !== 0) return result;
  }
  return left.length - right.length;
}

function compareBinaries(left: unknown, right: unknown): number {
  const [a, b] = [binaryParts(left), binaryParts(right)];
  return a.bytes.length - b.bytes.length || a.subtype - b.subtype || Buffer.compare(a.bytes, b.bytes);
}

export function binaryParts(value: unknown): { bytes: Uint8Array; subtype: number } {
  if (!(value instanceof Binary)) return { bytes: value as Uint8Array, subtype: 0 };
  return { bytes: value.buffer.subarray(0, value.position), subtype: value.sub_type };
}

export function regexParts(value: unknown): { pattern: string; options: string } {
  if (value instanceof BSONRegExp) return { pattern: value.pattern, options: value.options };
  const { source, flags } = value as RegExp;
  return { pattern: source, options: flags.replace(/[^imsux]/g, '') };
}

export function stringOf(value: unknown): string {
  return typeof value === 'string' ? value : (value as BSONSymbol).value;
}

/**
 * True if two values have the same BSON encoding: int 1 differs from long 1, and -0 from 0. An
 * update to an identical value changes nothing. Stops at the first difference.
 */
export function identicalValues(left: unknown, right: unknown): boolean {
  if (left === right) return typeof left !== 'number' || Object.is(left, right);
  if (left === undefined || right === undefined) return false;
  if (typeof left === 'string' && typeof right === 'string') return false;
  if (left instanceof Int32 && right instanceof Int32) return left.value === right.value;
  if (Array.isArray(left) && Array.isArray(right)) {
    return left.length === right.length && left.every((element, at) => identicalValues(element, right[at]));
  }
  if (isFields(left) && isFields(right)) {
    const [names, others] = [fieldNames(left), fieldNames(right)];
    const isSame = (name: string, at: number): boolean =>
      name === others[at] && identicalValues(getField(left, name), getField(right, name));
    return names.length === others.length && names.every(isSame);
  }
  return Buffer.compare(encode({ value: left }), encode({ value: right })) === 0;
}
