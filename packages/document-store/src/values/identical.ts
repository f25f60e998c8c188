import { Int32, type Long } from 'bson';
import { type Fields, fieldNames, getField } from './fields.ts';
import { compareValues } from './order.ts';
import { typeName } from './types.ts';

/**
 * Whether two values are the same in BSON, byte for byte: the same types too (an int 1 is not a long 1), -0 is not 0. An
 * update that leaves a field identical has not changed its document.
 */
export function identicalValues(left: unknown, right: unknown): boolean {
  if (left === right) return typeof left !== 'number' || Object.is(left, right);
  if (typeof left === 'string' || typeof right === 'string') return false;
  if (left instanceof Int32 && right instanceof Int32) return left.value === right.value;
  const name = typeName(left);
  if (name !== typeName(right)) return false;
  switch (name) {
    case 'object':
      return identicalFields(left as Fields, right as Fields);
    case 'array':
      return identicalArrays(left as unknown[], right as unknown[]);
    case 'double':
      return Object.is(Number(left), Number(right));
    case 'decimal':
      return Buffer.compare((left as Decimal).bytes, (right as Decimal).bytes) === 0;
    case 'long':
      return typeof left === 'object' && typeof right === 'object'
        ? (left as Long).equals(right as Long)
        : BigInt(String(left)) === BigInt(String(right));
    case 'javascriptWithScope':
      return false;
    default:
      return compareValues(left, right) === 0;
  }
}

interface Decimal {
  bytes: Uint8Array;
}

function identicalFields(left: Fields, right: Fields): boolean {
  const names = fieldNames(left);
  const rightNames = fieldNames(right);
  if (names.length !== rightNames.length) return false;
  for (let index = 0; index < names.length; index += 1) {
    const name = names[index] as string;
    if (name !== rightNames[index] || !identicalValues(getField(left, name), getField(right, name))) return false;
  }
  return true;
}

function identicalArrays(left: readonly unknown[], right: readonly unknown[]): boolean {
  if (left.length !== right.length) return false;
  for (let index = 0; index < left.length; index += 1) {
    if (!identicalValues(left[index], right[index])) return false;
  }
  return true;
}
