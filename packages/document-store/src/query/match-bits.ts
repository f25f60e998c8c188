import { Binary } from 'bson';
import { badValue, failedToParse } from '../errors.ts';
import { exactNumber, integerOf, isNumber } from '../values/numbers.ts';
import { binaryParts } from '../values/order.ts';

/** Reads whether a bit is set; bit 0 is the lowest. */
type BitReader = (position: number) => boolean;

/**
 * The test of `$bitsAllSet`, `$bitsAllClear`, `$bitsAnySet` or `$bitsAnyClear`: the operand is a number, binary data or
 * a list of positions; values are integers (two's complement, the sign bit going on for ever) or binary data.
 */
export function bitsTest(operator: string, operand: unknown): (value: unknown) => boolean {
  const positions = bitPositions(operator, operand);
  const wanted = operator.endsWith('Set');
  if (operator.startsWith('$bitsAll')) {
    return (value) => {
      const bit = bitsOf(value);
      return bit !== undefined && positions.every((position) => bit(position) === wanted);
    };
  }
  return (value) => {
    const bit = bitsOf(value);
    return bit !== undefined && positions.some((position) => bit(position) === wanted);
  };
}

function bitPositions(operator: string, operand: unknown): number[] {
  if (Array.isArray(operand)) {
    return operand.map((position) => {
      const number = integerOf(position);
      if (number === undefined || number < 0 || number > 0x7fffffff) {
        throw badValue(`${operator} takes bit positions that are integers from 0 to 2147483647`);
      }
      return number;
    });
  }
  if (isNumber(operand)) {
    const mask = integer64(operand);
    if (mask === undefined) throw failedToParse(`Expected an integer: ${operator}`);
    if (mask < 0n) throw failedToParse(`Expected a non-negative number in: ${operator}`);
    return setPositions(63, (position) => ((mask >> BigInt(position)) & 1n) === 1n);
  }
  if (!(operand instanceof Binary)) {
    throw badValue(`${operator} takes an Array, a number, or a BinData but received something else`);
  }
  const { bytes } = binaryParts(operand);
  return setPositions(bytes.length * 8, bytesReader(bytes));
}

function setPositions(count: number, bit: BitReader): number[] {
  const positions: number[] = [];
  for (let position = 0; position < count; position += 1) if (bit(position)) positions.push(position);
  return positions;
}

function bitsOf(value: unknown): BitReader | undefined {
  if (value instanceof Binary || value instanceof Uint8Array) return bytesReader(binaryParts(value).bytes);
  const integer = isNumber(value) ? integer64(value) : undefined;
  if (integer === undefined) return undefined;
  return (position) => ((integer >> BigInt(Math.min(position, 63))) & 1n) === 1n;
}

function bytesReader(bytes: Uint8Array): BitReader {
  return (position) => (((bytes[position >> 3] ?? 0) >> (position & 7)) & 1) === 1;
}

/** A whole number of 64 bits, or undefined. */
function integer64(value: unknown): bigint | undefined {
  const exact = exactNumber(value);
  if (typeof exact === 'bigint') return exact;
  if (typeof exact === 'number') {
    return Number.isInteger(exact) && Math.abs(exact) < 2 ** 63 ? BigInt(exact) : undefined;
  }
  const whole = integerOf(value);
  return whole === undefined ? undefined : BigInt(whole);
}
