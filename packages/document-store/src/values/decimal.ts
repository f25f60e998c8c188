import { Decimal128 } from 'bson';

/** A finite decimal number `±coefficient × 10^exponent`, exactly. */
export interface Decimal {
  negative: boolean;
  coefficient: bigint;
  exponent: number;
}

const maximumDigits = 34;
const maximumExponent = 6111;
const minimumExponent = -6176;
const exponentBias = 6176;
const maximumCoefficient = 10n ** 34n - 1n;

/** Reads a Decimal128: a finite decimal, or the JavaScript number NaN, Infinity or -Infinity. */
export function readDecimal(value: Decimal128): Decimal | number {
  const view = new DataView(value.bytes.buffer, value.bytes.byteOffset, 16);
  const high = view.getBigUint64(8, true);
  const negative = high >> 63n === 1n;
  const combination = Number((high >> 58n) & 0x1fn);
  if (combination === 0x1f) return Number.NaN;
  if (combination === 0x1e) return negative ? Number.NEGATIVE_INFINITY : Number.POSITIVE_INFINITY;
  // The second form only holds coefficients over 34 digits, which the standard reads as zero.
  if (combination >> 3 === 3) return { negative, coefficient: 0n, exponent: 0 };
  const exponent = Number((high >> 49n) & 0x3fffn) - exponentBias;
  const coefficient = ((high & 0x1ffffffffffffn) << 64n) | view.getBigUint64(0, true);
  return { negative, coefficient: coefficient > maximumCoefficient ? 0n : coefficient, exponent };
}

/** The exact decimal of a finite double or of an integer. */
export function decimalOf(value: number | bigint): Decimal {
  if (typeof value === 'bigint') return { negative: value < 0n, coefficient: value < 0n ? -value : value, exponent: 0 };
  if (Number.isSafeInteger(value)) return { negative: value < 0, coefficient: BigInt(Math.abs(value)), exponent: 0 };
  const view = new DataView(new ArrayBuffer(8));
  view.setFloat64(0, value);
  const bits = view.getBigUint64(0);
  const biased = Number((bits >> 52n) & 0x7ffn);
  const fraction = bits & 0xfffffffffffffn;
  const mantissa = biased === 0 ? fraction : fraction | 0x10000000000000n;
  const power = (biased === 0 ? 1 : biased) - 1075;
  const negative = bits >> 63n === 1n;
  if (power >= 0) return { negative, coefficient: mantissa << BigInt(power), exponent: 0 };
  // m × 2^-k = m × 5^k × 10^-k
  return { negative, coefficient: mantissa * 5n ** BigInt(-power), exponent: power };
}

/** Orders two finite decimals: negative, 0 or positive. Zeros of either sign are equal. */
export function compareDecimals(left: Decimal, right: Decimal): number {
  if (left.coefficient === 0n) return right.coefficient === 0n ? 0 : right.negative ? 1 : -1;
  if (right.coefficient === 0n || left.negative !== right.negative) return left.negative ? -1 : 1;
  return left.negative ? compareMagnitudes(right, left) : compareMagnitudes(left, right);
}

function compareMagnitudes(left: Decimal, right: Decimal): number {
  const leftDigits = left.coefficient.toString().length;
  const rightDigits = right.coefficient.toString().length;
  const scale = leftDigits + left.exponent - (rightDigits + right.exponent);
  if (scale !== 0) return scale;
  const shift = left.exponent - right.exponent;
  const a = shift > 0 ? left.coefficient * 10n ** BigInt(shift) : left.coefficient;
  const b = shift < 0 ? right.coefficient * 10n ** BigInt(-shift) : right.coefficient;
  return a < b ? -1 : a > b ? 1 : 0;
}

/** The sum as a Decimal128, rounded half to even at 34 digits. Operands are decimals or non-finite numbers. */
export function addDecimals(left: Decimal | number, right: Decimal | number): Decimal128 {
  if (typeof left === 'number' || typeof right === 'number') {
    return specialDecimal((typeof left === 'number' ? left : 0) + (typeof right === 'number' ? right : 0));
  }
  const exponent = Math.min(left.exponent, right.exponent);
  const sum = signedAt(left, exponent) + signedAt(right, exponent);
  return writeDecimal({ negative: sum < 0n, coefficient: sum < 0n ? -sum : sum, exponent });
}

/** The product as a Decimal128, rounded half to even at 34 digits. Operands are decimals or non-finite numbers. */
export function multiplyDecimals(left: Decimal | number, right: Decimal | number): Decimal128 {
  if (typeof left === 'number' || typeof right === 'number') return specialDecimal(signOf(left) * signOf(right));
  return writeDecimal({
    negative: left.negative !== right.negative,
    coefficient: left.coefficient * right.coefficient,
    exponent: left.exponent + right.exponent,
  });
}

/** A Decimal128 of a decimal, rounded half to even at 34 digits; out of range it is an infinity or zero. */
export function writeDecimal(value: Decimal): Decimal128 {
  let { coefficient, exponent } = value;
  let drop = Math.max(coefficient.toString().length - maximumDigits, minimumExponent - exponent);
  while (drop > 0) {
    coefficient = roundedQuotient(coefficient, drop);
    exponent += drop;
    // Rounding 99…9 up makes one digit more.
    drop = coefficient.toString().length - maximumDigits;
  }
  while (exponent > maximumExponent && coefficient !== 0n && coefficient * 10n <= maximumCoefficient) {
    coefficient *= 10n;
    exponent -= 1;
  }
  if (exponent > maximumExponent) {
    if (coefficient !== 0n) return specialDecimal(value.negative ? Number.NEGATIVE_INFINITY : Number.POSITIVE_INFINITY);
    exponent = maximumExponent;
  }
  const bytes = new Uint8Array(16);
  const view = new DataView(bytes.buffer);
  view.setBigUint64(0, coefficient & 0xffffffffffffffffn, true);
  const sign = value.negative ? 1n << 63n : 0n;
  view.setBigUint64(8, sign | (BigInt(exponent + exponentBias) << 49n) | (coefficient >> 64n), true);
  return new Decimal128(bytes);
}

function roundedQuotient(coefficient: bigint, drop: number): bigint {
  if (drop > coefficient.toString().length) return 0n;
  const divisor = 10n ** BigInt(drop);
  const quotient = coefficient / divisor;
  const twice = (coefficient % divisor) * 2n;
  return twice > divisor || (twice === divisor && (quotient & 1n) === 1n) ? quotient + 1n : quotient;
}

function signedAt(value: Decimal, exponent: number): bigint {
  const scaled = value.coefficient * 10n ** BigInt(value.exponent - exponent);
  return value.negative ? -scaled : scaled;
}

function signOf(value: Decimal | number): number {
  if (typeof value === 'number') return value;
  if (value.coefficient === 0n) return 0;
  return value.negative ? -1 : 1;
}

function specialDecimal(value: number): Decimal128 {
  return Decimal128.fromString(Number.isNaN(value) ? 'NaN' : value > 0 ? 'Infinity' : '-Infinity');
}
