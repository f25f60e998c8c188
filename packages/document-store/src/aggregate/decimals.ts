import { Decimal128, Double, Int32, Long } from 'bson';
import { asDecimal } from '../values/arithmetic.ts';
import { type Decimal, decimalOf, writeDecimal } from '../values/decimal.ts';
import { doubleOf } from '../values/numbers.ts';

/** One digit more than a Decimal128 holds. */
const DIGITS = 35;

/** A Decimal128 of a number that may not be finite. */
export function decimalFrom(value: number): Decimal128 {
  return Decimal128.fromString(String(value));
}

/** The quotient of two numbers of which one is decimal, rounded half to even at 34 digits. The divisor is not 0. */
export function divide(left: unknown, right: unknown): Decimal128 {
  const [dividend, divisor] = [asDecimal(left), asDecimal(right)];
  if (typeof dividend === 'number' || typeof divisor === 'number') {
    return decimalFrom(roughly(dividend) / roughly(divisor));
  }
  const shift = Math.max(0, DIGITS + digits(divisor.coefficient) - digits(dividend.coefficient));
  const scaled = dividend.coefficient * 10n ** BigInt(shift);
  let coefficient = scaled / divisor.coefficient;
  let exponent = dividend.exponent - divisor.exponent - shift;
  const negative = dividend.negative !== divisor.negative;
  if (scaled % divisor.coefficient !== 0n) {
    // A last digit that is no 0 tells the rounding that there is more.
    return writeDecimal({ negative, coefficient: coefficient * 10n + 1n, exponent: exponent - 1 });
  }
  while (exponent < dividend.exponent - divisor.exponent && coefficient % 10n === 0n) {
    coefficient /= 10n;
    exponent += 1;
  }
  return writeDecimal({ negative, coefficient, exponent });
}

/** The remainder of two numbers of which one is decimal, with the dividend's sign. The divisor is not 0. */
export function remainder(left: unknown, right: unknown): Decimal128 {
  const [dividend, divisor] = [asDecimal(left), asDecimal(right)];
  if (typeof dividend === 'number' || typeof divisor === 'number') {
    return decimalFrom(roughly(dividend) % roughly(divisor));
  }
  const exponent = Math.min(dividend.exponent, divisor.exponent);
  const at = (value: Decimal): bigint => value.coefficient * 10n ** BigInt(value.exponent - exponent);
  return writeDecimal({ negative: dividend.negative, coefficient: at(dividend) % at(divisor), exponent });
}

/** How a number loses its places. */
export type Rounding = 'half-even' | 'toward-zero' | 'down' | 'up';

/** Rounds a number to `places` digits after the point, or to tens, hundreds … where that is negative; the type stays. */
export function round(value: unknown, places: number, rounding: Rounding): unknown {
  if (value instanceof Int32 || value instanceof Long) {
    if (places >= 0) return value;
    const rounded = scaled(
      roundDecimal(decimalOf(value instanceof Long ? value.toBigInt() : BigInt(value.value)), places, rounding),
    );
    if (value instanceof Int32 && rounded === BigInt.asIntN(32, rounded)) return new Int32(Number(rounded));
    return rounded === BigInt.asIntN(64, rounded) ? Long.fromBigInt(rounded) : undefined;
  }
  if (value instanceof Decimal128) {
    const decimal = asDecimal(value);
    return typeof decimal === 'number' ? value : writeDecimal(roundDecimal(decimal, places, rounding));
  }
  const { value: double } = value as Double;
  if (!Number.isFinite(double)) return value;
  const result = Math.abs(doubleOf(roundDecimal(decimalOf(double), places, rounding)));
  return new Double(double < 0 || Object.is(double, -0) ? -result : result);
}

function roundDecimal(value: Decimal, places: number, rounding: Rounding): Decimal {
  const drop = -places - value.exponent;
  if (drop <= 0) return value;
  const { negative, coefficient } = value;
  const far = drop > digits(coefficient) + 1;
  const divisor = far ? 0n : 10n ** BigInt(drop);
  const quotient = far ? 0n : coefficient / divisor;
  const rest = far ? coefficient : coefficient % divisor;
  const away =
    rest !== 0n &&
    (rounding === 'half-even'
      ? !far && (rest * 2n > divisor || (rest * 2n === divisor && (quotient & 1n) === 1n))
      : rounding === (negative ? 'down' : 'up'));
  return { negative, coefficient: away ? quotient + 1n : quotient, exponent: -places };
}

/** A decimal without places as an integer. */
function scaled({ negative, coefficient, exponent }: Decimal): bigint {
  const value = coefficient * 10n ** BigInt(exponent);
  return negative ? -value : value;
}

function digits(value: bigint): number {
  return value.toString().length;
}

function roughly(value: Decimal | number): number {
  return typeof value === 'number' ? value : doubleOf(value);
}
