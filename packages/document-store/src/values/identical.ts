import { Int32 } from 'bson';
import { encode } from './codec.ts';

/**
 * Whether two values are the same in BSON, byte for byte: the same types too (an int 1 is not a long 1), -0 is not 0. An
 * update that leaves a field identical has not changed its document.
 */
export function identicalValues(left: unknown, right: unknown): boolean {
  if (left === right) return typeof left !== 'number' || Object.is(left, right);
  if (typeof left === 'string' && typeof right === 'string') return false;
  if (left instanceof Int32 && right instanceof Int32) return left.value === right.value;
  if (left === undefined || right === undefined) return false;
  return Buffer.compare(encode({ value: left }), encode({ value: right })) === 0;
}
