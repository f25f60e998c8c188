import { Binary } from 'bson';
import { badValue, failedToParse } from '../errors.ts';
import { describeValue } from '../values/describe-value.ts';
import { integerOf, isNumber, wholeOf } from '../values/numbers.ts';
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
  const all = operator.startsWith('$bitsAll');
  return (value) => {
    const bit = bitsOf(value);
    if (!bit) return false;
    const asked = (position: number): boolean => bit(position) === wanted;
    return all ? positions.every(asked) : positions.some(asked);
  };
}

function bitPositions(operator: string, operand: unknown): number[] {
  if (Array.isArray(operand)) {
    return operand.map((position) => {
      const number = integerOf(position);
      if (number !== undefined && number >= 0 && number <= 0x7fffffff) return number;
      throw badValue(`Failed to parse bit position. Expected a non-negative integer: ${describeValue(position)}`);
    });
  }
  const bit = bitsOf(operand);
  if (operand instanceof Binary && bit) return [...Array(operand.position * 8).keys()].filter(bit);
  if (!isNumber(operand)) {
    throw badValue(`${operator} takes an Array, a number, or a BinData but received: ${describeValue(operand)}`);
  }
  if (!bit) throw failedToParse(`Expected an integer: ${operator}: ${describeValue(operand)}`);
  if (bit(63)) throw failedToParse(`Expected a non-negative number in: ${operator}: ${describeValue(operand)}`);
  return [...Array(63).keys()].filter(bit);
}

function bitsOf(value: unknown): BitReader | undefined {
  if (value instanceof Binary || value instanceof Uint8Array) {
    const { bytes } = binaryParts(value);
    return (position) => (((bytes[position >> 3] ?? 0) >> (position & 7)) & 1) === 1;
  }
  const integer = wholeOf(value);
  if (integer === undefined) return undefined;
  return (position) => ((integer >> BigInt(Math.min(position, 63))) & 1n) === 1n;
}
