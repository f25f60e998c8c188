import { Decimal128, Double, Int32, Long } from 'bson';
import { Decimal as AnyDecimal } from 'decimal.js';

export const Decimal = AnyDecimal.clone({
  precision: 34,
  rounding: AnyDecimal.ROUND_HALF_EVEN,
  minE: -6176,
  maxE: 6144,
});
export type Decimal = AnyDecimal;
export type Rounding = AnyDecimal.Rounding;

/** A number's exact value. A bigint is beyond ±2^53, and a Decimal comes from a finite Decimal128. */
export type Exact = number | bigint | Decimal;

/** More digits than a double and a Decimal128 can share by chance. */
const DOUBLE_DIGITS = 100;

const numberTypes = new Set<unknown>([Int32.prototype, Double.prototype, Long.prototype, Decimal128.prototype]);

export function isNumber(value: unknown): boolean {
  if (typeof value === 'number' || typeof value === 'bigint') return true;
  return typeof value === 'object' && value !== null && numberTypes.has(Object.getPrototypeOf(value));
}

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

/** Compares exact values. NaN equals itself and is the lowest. */
export function compareExact(left: Exact, right: Exact): number {
  if (typeof left !== 'object' && typeof right !== 'object') {
    if (left < right) return -1;
    if (left > right) return 1;
    // JavaScript compares bigints with numbers exactly, so these are equal, or one is NaN.
    return Number(Number.isNaN(right)) - Number(Number.isNaN(left));
  }
  if (typeof left === 'number' && !Number.isFinite(left)) return left > 0 ? 1 : -1;
  if (typeof right === 'number' && !Number.isFinite(right)) return right > 0 ? -1 : 1;
  return exactDecimal(left).cmp(exactDecimal(right));
}

export function exactDecimal(value: Exact): Decimal {
  if (typeof value === 'object') return value;
  return new Decimal(typeof value === 'bigint' ? value.toString() : value.toPrecision(DOUBLE_DIGITS));
}

export function nearestDouble(value: unknown): number | undefined {
  return isNumber(value) ? Number(exactNumber(value)) : undefined;
}

/** Drops a number's fraction; undefined if it is not a number or exceeds 64 bits. */
export function truncateToInt64(value: unknown): bigint | undefined {
  if (!isNumber(value)) return undefined;
  const exact = exactNumber(value);
  if (!(Math.abs(Number(exact)) < 1e19)) return undefined;
  const whole = BigInt(typeof exact === 'object' ? exact.trunc().toFixed() : truncatedNumber(exact));
  return whole === BigInt.asIntN(64, whole) ? whole : undefined;
}

function truncatedNumber(value: number | bigint): number | bigint {
  return typeof value === 'number' ? Math.trunc(value) : value;
}

export function int64Of(value: unknown): bigint | undefined {
  const whole = truncateToInt64(value);
  return whole !== undefined && compareExact(exactNumber(value), whole) === 0 ? whole : undefined;
}

export function integerOf(value: unknown): number | undefined {
  const whole = Number(int64Of(value));
  return Number.isSafeInteger(whole) ? whole : undefined;
}
