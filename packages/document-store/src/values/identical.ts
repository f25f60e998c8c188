import { Int32 } from 'bson';
import { encode } from './codec.ts';
import { fieldNames, getField, isFields } from './fields.ts';

/**
 * Whether two values are the same in BSON, byte for byte: the same types too (an int 1 is not a long 1), -0 is not 0. An
 * update that leaves a field identical has not changed its document. Goes no further than to the first difference.
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
