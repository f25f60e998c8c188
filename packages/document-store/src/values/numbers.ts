import { Decimal128, Double, Int32, Long } from 'bson';
import { compareDecimals, type Decimal, decimalOf, readDecimal } from './decimal.ts';

/** A number's exact value: a bigint only for 64-bit integers beyond ±2^53, a Decimal only for finite Decimal128s. */
export type Exact = number | bigint | Decimal;

/** Whether a value is a BSON number (Int32, Long, Double, Decimal128, or JavaScript's number or bigint). */
export function isNumber(value: unknown): boolean {
  if (typeof value === 'number' || typeof value === 'bigint') return true;
  if (typeof value !== 'object' || value === null) return false;
  const prototype = Object.getPrototypeOf(value);
  return (
    prototype === Int32.prototype ||
    prototype === Double.prototype ||
    prototype === Long.prototype ||
    prototype === Decimal128.prototype
  );
}

/** The exact value of a BSON number. The argument must be one. */
export function exactNumber(value: unknown): Exact {
  if (value instanceof Int32 || value instanceof Double) return Number(value.value);
  if (value instanceof Long) return exactInteger(value.toBigInt());
  if (value instanceof Decimal128) return readDecimal(value);
  return typeof value === 'bigint' ? exactInteger(value) : (value as number);
}

/** Orders two exact values; NaN equals NaN and is the lowest; -0 equals 0. */
export function compareExact(left: Exact, right: Exact): number {
  if (typeof left !== 'object' && typeof right !== 'object') {
    if (left < right) return -1;
    if (left > right) return 1;
    // JavaScript compares a bigint with a number exactly, so these two are equal, or one of them is NaN.
    return Number(Number.isNaN(right)) - Number(Number.isNaN(left));
  }
  if (typeof left === 'number' && !Number.isFinite(left)) return left > 0 ? 1 : -1;
  if (typeof right === 'number' && !Number.isFinite(right)) return right > 0 ? -1 : 1;
  return compareDecimals(toDecimal(left), toDecimal(right));
}

/** The decimal of a finite exact value. */
export function toDecimal(value: Exact): Decimal {
  return typeof value === 'object' ? value : decimalOf(value);
}

/**
 * The value as a JavaScript integer, for operands such as `$size` and `$slice`: undefined where the value is no number or not
 * a safe integer.
 */
export function integerOf(value: unknown): number | undefined {
  const number = nearestDouble(value);
  return number !== undefined && Number.isSafeInteger(number) && isWhole(value) ? number : undefined;
}

/** The double nearest to a BSON number; undefined where the value is no number. */
export function nearestDouble(value: unknown): number | undefined {
  if (!isNumber(value)) return undefined;
  return doubleOf(exactNumber(value));
}

/** The double nearest to an exact value. */
export function doubleOf(value: Exact): number {
  if (typeof value === 'object') return Number(`${value.negative ? '-' : ''}${value.coefficient}e${value.exponent}`);
  return Number(value);
}

function isWhole(value: unknown): boolean {
  const exact = exactNumber(value);
  return compareExact(exact, Math.trunc(doubleOf(exact))) === 0;
}

function exactInteger(value: bigint): Exact {
  const number = Number(value);
  return Number.isSafeInteger(number) ? number : value;
}

const longLimit = 2n ** 63n;

/** A number without its fraction; undefined for what is no number or does not fit in 64 bits. */
export function truncated(value: unknown): bigint | undefined {
  if (!isNumber(value)) return undefined;
  const exact = exactNumber(value);
  if (typeof exact === 'object') {
    // Only what is far from 64 bits is lost here; the rest is taken exactly.
    if (Math.abs(doubleOf(exact)) > 1e19) return undefined;
    const { negative, coefficient, exponent } = exact;
    const whole = exponent >= 0 ? coefficient * 10n ** BigInt(exponent) : coefficient / 10n ** BigInt(-exponent);
    return within64Bits(negative ? -whole : whole);
  }
  if (typeof exact === 'number' && !Number.isFinite(exact)) return undefined;
  return within64Bits(BigInt(typeof exact === 'number' ? Math.trunc(exact) : exact));
}

function within64Bits(value: bigint): bigint | undefined {
  return value >= -longLimit && value < longLimit ? value : undefined;
}

/** A number that is whole and fits in 64 bits; undefined for anything else. */
export function wholeOf(value: unknown): bigint | undefined {
  const whole = truncated(value);
  return whole !== undefined && compareExact(exactNumber(value), whole) === 0 ? whole : undefined;
}
