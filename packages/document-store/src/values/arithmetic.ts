import { Decimal128, Double, Int32, Long } from 'bson';
import { Decimal, exactDecimal, exactNumber, nearestDouble, type Rounding } from './numbers.ts';
import { typeName } from './types.ts';

/** How one operation is done with numbers of each kind. */
interface Calculation {
  integers: (a: bigint, b: bigint) => bigint;
  doubles: (a: number, b: number) => number;
  decimals: (a: Decimal, b: Decimal) => Decimal;
  /** How many places after the point a decimal result has, zeros included. */
  places: (a: number, b: number) => number;
}

/**
 * An operation on two BSON numbers, its result of MongoDB's type: decimal if either is one, else double if either is one, else int or,
 * where an operand is a long or the result does not fit, long. Undefined where the result does not fit in 64 bits.
 */
function calculation({ integers, doubles, decimals, places }: Calculation): (left: unknown, right: unknown) => unknown {
  return (left, right) => {
    if (left instanceof Int32 && right instanceof Int32) {
      const result = doubles(left.value, right.value);
      if (Number.isSafeInteger(result)) return integer(result);
    }
    const types = [typeName(left), typeName(right)];
    if (types.includes('decimal')) {
      const result = decimals(asDecimal(left), asDecimal(right));
      return decimal128(result, places(placesOf(left), placesOf(right)));
    }
    if (types.includes('double')) return new Double(doubles(asDouble(left), asDouble(right)));
    return fitting(integers(asBigInt(left), asBigInt(right)), types.includes('long'));
  };
}

export const add = calculation({
  integers: (a, b) => a + b,
  doubles: (a, b) => a + b,
  decimals: (a, b) => a.plus(b),
  places: Math.max,
});
export const subtract = calculation({
  integers: (a, b) => a - b,
  doubles: (a, b) => a - b,
  decimals: (a, b) => a.minus(b),
  places: Math.max,
});
export const multiply = calculation({
  integers: (a, b) => a * b,
  doubles: (a, b) => a * b,
  decimals: (a, b) => a.times(b),
  places: (a, b) => a + b,
});
/** With the sign of the dividend; the divisor is not 0. */
export const remainder = calculation({
  integers: (a, b) => a % b,
  doubles: (a, b) => a % b,
  decimals: (a, b) => a.mod(b),
  places: Math.max,
});

/** The product, which becomes a double where it does not fit in 64 bits. */
export function product(left: unknown, right: unknown): unknown {
  return multiply(left, right) ?? new Double(asDouble(left) * asDouble(right));
}

/** Rounds to `places` digits after the point, or before it where that is negative; the type stays. Undefined where a long is too small. */
export function round(value: unknown, places: number, rounding: Rounding): unknown {
  const isInteger = value instanceof Int32 || value instanceof Long;
  const exact = exactNumber(value);
  if ((isInteger && places >= 0) || !Number.isFinite(Number(exact))) return value;
  const rounded = exactDecimal(exact).toNearest(new Decimal(10).pow(-places), rounding);
  if (value instanceof Decimal128) return decimal128(rounded);
  if (!isInteger) return new Double(Object.is(exact, -0) ? -0 : rounded.toNumber());
  return fitting(BigInt(rounded.toFixed()), value instanceof Long);
}

/** An int where it fits, else a long. The number must be a safe integer. */
export function integer(value: number): Int32 | Long {
  return value === (value | 0) ? new Int32(value) : Long.fromNumber(value);
}

/** An int where it fits and is not to be a long, else a long; undefined where it does not fit in 64 bits. */
export function fitting(value: bigint, isLong: boolean): Int32 | Long | undefined {
  if (!isLong && value === BigInt.asIntN(32, value)) return new Int32(Number(value));
  return value === BigInt.asIntN(64, value) ? Long.fromBigInt(value) : undefined;
}

function asDouble(value: unknown): number {
  return nearestDouble(value) as number;
}

/** An int or a long. */
export function asBigInt(value: unknown): bigint {
  return value instanceof Long ? value.toBigInt() : BigInt(Number(value));
}

/** A number as a decimal is written; a double has its first 15 digits, as MongoDB converts it. */
export function decimalText(value: unknown): string {
  return typeName(value) === 'double' ? asDouble(value).toPrecision(15) : String(value);
}

export function asDecimal(value: unknown): Decimal {
  return new Decimal(decimalText(value));
}

function placesOf(value: unknown): number {
  return /\.(\d+)$/.exec(decimalText(value))?.[1]?.length ?? 0;
}

/** The Decimal128 of a decimal, filled up with zeros to so many places after the point if it can hold them. */
export function decimal128(value: Decimal, places = 0): Decimal128 {
  const isFilled = places > value.decimalPlaces() && places + value.e < Decimal.precision;
  return Decimal128.fromString(isFilled ? value.toFixed(places) : value.valueOf());
}

/** `and`, `or` or `xor` of two ints or longs; a long if either is one. */
export function bitwise(name: 'and' | 'or' | 'xor', left: unknown, right: unknown): unknown {
  const [a, b] = [asBigInt(left), asBigInt(right)];
  const result = name === 'and' ? a & b : name === 'or' ? a | b : a ^ b;
  return fitting(result, typeName(left) === 'long' || typeName(right) === 'long');
}
