import { Decimal128, Double, Int32, Long } from 'bson';
import { Decimal, exactDecimal, exactNumber, nearestDouble, type Rounding } from './numbers.ts';
import { typeName } from './types.ts';

type NumericOperation = (left: unknown, right: unknown) => unknown;

interface Calculation {
  integers: (a: bigint, b: bigint) => bigint;
  doubles: (a: number, b: number) => number;
  decimals: (a: Decimal, b: Decimal) => Decimal;
  places: (a: number, b: number) => number;
}

/**
 * Defines an operation on two BSON numbers that returns MongoDB's result type. That is decimal if
 * either is one, else double, else int or long. Undefined above 64 bits.
 */
function numericOperation({ integers, doubles, decimals, places }: Calculation): NumericOperation {
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
    return toIntegerType(integers(asBigInt(left), asBigInt(right)), types.includes('long'));
  };
}

export const add = numericOperation({
  integers: (a, b) => a + b,
  doubles: (a, b) => a + b,
  decimals: (a, b) => a.plus(b),
  places: Math.max,
});
export const subtract = numericOperation({
  integers: (a, b) => a - b,
  doubles: (a, b) => a - b,
  decimals: (a, b) => a.minus(b),
  places: Math.max,
});
export const multiply = numericOperation({
  integers: (a, b) => a * b,
  doubles: (a, b) => a * b,
  decimals: (a, b) => a.times(b),
  places: (a, b) => a + b,
});
/** The result has the dividend's sign. The divisor must not be 0. */
export const remainder = numericOperation({
  integers: (a, b) => a % b,
  doubles: (a, b) => a % b,
  decimals: (a, b) => a.mod(b),
  places: Math.max,
});

export function product(left: unknown, right: unknown): unknown {
  return multiply(left, right) ?? new Double(asDouble(left) * asDouble(right));
}

/** Rounds to `places` decimal places and keeps the type. Undefined if a long overflows. */
export function round(value: unknown, places: number, rounding: Rounding): unknown {
  const isInteger = value instanceof Int32 || value instanceof Long;
  const exact = exactNumber(value);
  if ((isInteger && places >= 0) || !Number.isFinite(Number(exact))) return value;
  const rounded = exactDecimal(exact).toNearest(new Decimal(10).pow(-places), rounding);
  if (value instanceof Decimal128) return decimal128(rounded);
  if (!isInteger) return new Double(Object.is(exact, -0) ? -0 : rounded.toNumber());
  return toIntegerType(BigInt(rounded.toFixed()), value instanceof Long);
}

/** Returns an int if it fits, else a long. The number must be a safe integer. */
export function integer(value: number): Int32 | Long {
  return value === (value | 0) ? new Int32(value) : Long.fromNumber(value);
}

/** Returns an int, or a long if needed or requested. Undefined above 64 bits. */
export function toIntegerType(value: bigint, isLong: boolean): Int32 | Long | undefined {
  if (!isLong && value === BigInt.asIntN(32, value)) return new Int32(Number(value));
  return value === BigInt.asIntN(64, value) ? Long.fromBigInt(value) : undefined;
}

function asDouble(value: unknown): number {
  return nearestDouble(value) as number;
}

export function asBigInt(value: unknown): bigint {
  return value instanceof Long ? value.toBigInt() : BigInt(Number(value));
}

/** Formats a number as a decimal. Like MongoDB, takes 15 digits of a double. */
export function decimalText(value: unknown): string {
  return typeName(value) === 'double' ? asDouble(value).toPrecision(15) : String(value);
}

export function asDecimal(value: unknown): Decimal {
  return new Decimal(decimalText(value));
}

function placesOf(value: unknown): number {
  return /\.(\d+)$/.exec(decimalText(value))?.[1]?.length ?? 0;
}

/** Converts a decimal, padding it with zeros to `places` if they fit. */
export function decimal128(value: Decimal, places = 0): Decimal128 {
  const isFilled = places > value.decimalPlaces() && places + value.e < Decimal.precision;
  return Decimal128.fromString(isFilled ? value.toFixed(places) : value.valueOf());
}

export function bitwise(name: 'and' | 'or' | 'xor', left: unknown, right: unknown): unknown {
  const [a, b] = [asBigInt(left), asBigInt(right)];
  const result = name === 'and' ? a & b : name === 'or' ? a | b : a ^ b;
  return toIntegerType(result, typeName(left) === 'long' || typeName(right) === 'long');
}

/**
 * Sums numbers of any type. The result is decimal, else double, else long or int. Integers add
 * exactly, and doubles with compensation, so that ten times 0.1 is 1.
 */
export class Sum {
  #integers: unknown = new Int32(0);
  #double = 0;
  #compensation = 0;
  #decimal: unknown;
  #isDouble = false;
  #count = 0;

  add(value: unknown): void {
    this.#count += 1;
    if (value instanceof Decimal128) {
      this.#decimal = this.#decimal ? add(this.#decimal, value) : value;
    } else if (value instanceof Double) {
      this.#addDouble(value.value);
    } else {
      const sum = add(this.#integers, value);
      // Beyond 64 bits, continue the earlier sum as a double.
      if (sum === undefined) this.#addDouble(nearestDouble(this.#integers) as number);
      this.#integers = sum ?? value;
    }
  }

  get value(): unknown {
    const rest = this.#isDouble ? new Double(this.#asDouble()) : this.#integers;
    return this.#decimal ? add(this.#decimal, rest) : rest;
  }

  get average(): unknown {
    if (this.#count === 0) return null;
    const sum = this.value;
    if (sum instanceof Decimal128) return decimal128(asDecimal(sum).div(this.#count));
    return new Double((nearestDouble(sum) as number) / this.#count);
  }

  #addDouble(value: number): void {
    this.#isDouble = true;
    const total = this.#double + value;
    if (Number.isFinite(total)) {
      const large = Math.abs(this.#double) >= Math.abs(value) ? this.#double : value;
      this.#compensation += large - total + (large === value ? this.#double : value);
    }
    this.#double = total;
  }

  #asDouble(): number {
    const integers = nearestDouble(this.#integers) as number;
    return integers === 0 ? this.#double + this.#compensation : this.#double + integers + this.#compensation;
  }
}
