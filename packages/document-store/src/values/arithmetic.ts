import { Decimal128, Double, Int32, Long } from 'bson';
import { addDecimals, type Decimal, multiplyDecimals, readDecimal } from './decimal.ts';
import { typeName } from './types.ts';

const longMinimum = -(2n ** 63n);
const longMaximum = 2n ** 63n - 1n;

/**
 * The sum of two BSON numbers in MongoDB's type: decimal if either is one, else double if either is one, else int or, where an
 * operand is a long or the result does not fit, long. Undefined where the result does not fit in 64 bits.
 */
export function add(left: unknown, right: unknown): unknown {
  if (left instanceof Int32 && right instanceof Int32) return fromInts(left.value + right.value);
  return combine(
    left,
    right,
    (a, b) => a + b,
    (a, b) => a + b,
    addDecimals,
  );
}

/** The product of two BSON numbers, its type as that of `add`. */
export function multiply(left: unknown, right: unknown): unknown {
  return combine(
    left,
    right,
    (a, b) => a * b,
    (a, b) => a * b,
    multiplyDecimals,
  );
}

/** Zero of the same type as a BSON number. */
export function zeroLike(value: unknown): unknown {
  switch (typeName(value)) {
    case 'decimal':
      return Decimal128.fromString('0');
    case 'double':
      return new Double(0);
    case 'long':
      return Long.ZERO;
    default:
      return new Int32(0);
  }
}

/** A result of two BSON numbers, computed in the type that MongoDB gives it; undefined where it does not fit in 64 bits. */
export function combine(
  left: unknown,
  right: unknown,
  ofIntegers: (a: bigint, b: bigint) => bigint,
  ofDoubles: (a: number, b: number) => number,
  ofDecimals: (a: Decimal | number, b: Decimal | number) => Decimal128,
): unknown {
  const types = [typeName(left), typeName(right)];
  if (types.includes('decimal')) return ofDecimals(asDecimal(left), asDecimal(right));
  if (types.includes('double')) return new Double(ofDoubles(asDouble(left), asDouble(right)));
  const result = ofIntegers(asBigInt(left), asBigInt(right));
  if (!types.includes('long') && result >= -0x80000000n && result <= 0x7fffffffn) return new Int32(Number(result));
  return result < longMinimum || result > longMaximum ? undefined : Long.fromBigInt(result);
}

/** An int, or a long where the sum of two ints does not fit. */
function fromInts(sum: number): Int32 | Long {
  return sum >= -0x80000000 && sum <= 0x7fffffff ? new Int32(sum) : Long.fromNumber(sum);
}

function asDouble(value: unknown): number {
  return value instanceof Long ? value.toNumber() : Number(value);
}

/** An int or a long. */
export function asBigInt(value: unknown): bigint {
  return value instanceof Long ? value.toBigInt() : BigInt(Number(value));
}

/** A double becomes the decimal of its first 15 digits, as MongoDB converts it. */
export function asDecimal(value: unknown): Decimal | number {
  if (value instanceof Decimal128) return readDecimal(value);
  if (typeName(value) !== 'double') {
    const whole = asBigInt(value);
    return { negative: whole < 0n, coefficient: whole < 0n ? -whole : whole, exponent: 0 };
  }
  const double = asDouble(value);
  return Number.isFinite(double) ? readDecimal(Decimal128.fromString(double.toPrecision(15))) : double;
}

/** `and`, `or` or `xor` of two ints or longs; a long if either is one. */
export function bitwise(name: 'and' | 'or' | 'xor', left: unknown, right: unknown): unknown {
  const [a, b] = [asBigInt(left), asBigInt(right)];
  const result = name === 'and' ? a & b : name === 'or' ? a | b : a ^ b;
  const isLong = typeName(left) === 'long' || typeName(right) === 'long';
  return isLong ? Long.fromBigInt(result) : new Int32(Number(result));
}
