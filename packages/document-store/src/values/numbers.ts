import { Decimal128, Double, Int32, Long } from 'bson';
import { Decimal as AnyDecimal } from 'decimal.js';

/** Decimals with the 34 digits and the range of a Decimal128. */
export const Decimal = AnyDecimal.clone({
  precision: 34,
  rounding: AnyDecimal.ROUND_HALF_EVEN,
  minE: -6176,
  maxE: 6144,
});
export type Decimal = AnyDecimal;
export type Rounding = AnyDecimal.Rounding;

/** A number's exact value: a bigint only for 64-bit integers beyond ±2^53, a Decimal only for finite Decimal128s. */
export type Exact = number | bigint | Decimal;

/** More digits of a double than a Decimal128 could have in common with it by chance. */
const DOUBLE_DIGITS = 100;

const numberTypes = new Set<unknown>([Int32.prototype, Double.prototype, Long.prototype, Decimal128.prototype]);

/** Whether a value is a BSON number (Int32, Long, Double, Decimal128, or JavaScript's number or bigint). */
export function isNumber(value: unknown): boolean {
  if (typeof value === 'number' || typeof value === 'bigint') return true;
  return typeof value === 'object' && value !== null && numberTypes.has(Object.getPrototypeOf(value));
}

/** The exact value of a BSON number. The argument must be one. */
export function exactNumber(value: unknown): Exact {
  if (value instanceof Int32 || value instanceof Double) return Number(value.value);
  if (value instanceof Long) return exactInteger(value.toBigInt());
  if (!(value instanceof Decimal128)) return typeof value === 'bigint' ? exactInteger(value) : (value as number);
  const decimal = new Decimal(value.toString());
  return decimal.isFinite() ? decimal : decimal.toNumber();
}

function exactInteger(value: bigint): Exact {
  const number = Number(value);
  return Number.isSafeInteger(number) ? number : value;
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
  return exactDecimal(left).cmp(exactDecimal(right));
}

/** The decimal of a finite exact value. */
export function exactDecimal(value: Exact): Decimal {
  if (typeof value === 'object') return value;
  return new Decimal(typeof value === 'bigint' ? value.toString() : value.toPrecision(DOUBLE_DIGITS));
}

/** The double nearest to a BSON number; undefined where the value is no number. */
export function nearestDouble(value: unknown): number | undefined {
  return isNumber(value) ? Number(exactNumber(value)) : undefined;
}

/** A number without its fraction; undefined for what is no number or does not fit in 64 bits. */
export function truncated(value: unknown): bigint | undefined {
  if (!isNumber(value)) return undefined;
  const exact = exactNumber(value);
  if (!(Math.abs(Number(exact)) < 1e19)) return undefined;
  const whole = BigInt(typeof exact === 'object' ? exact.trunc().toFixed() : truncatedNumber(exact));
  return whole === BigInt.asIntN(64, whole) ? whole : undefined;
}

function truncatedNumber(value: number | bigint): number | bigint {
  return typeof value === 'number' ? Math.trunc(value) : value;
}

/** A number that is whole and fits in 64 bits; undefined for anything else. */
export function wholeOf(value: unknown): bigint | undefined {
  const whole = truncated(value);
  return whole !== undefined && compareExact(exactNumber(value), whole) === 0 ? whole : undefined;
}

/** A number that is a safe integer of JavaScript, for operands such as `$size`; undefined for anything else. */
export function integerOf(value: unknown): number | undefined {
  const whole = Number(wholeOf(value));
  return Number.isSafeInteger(whole) ? whole : undefined;
}
