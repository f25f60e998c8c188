import { Decimal128, Double, Int32, Long } from 'bson';
import { badValue, locationError, overflow, typeMismatch } from '../errors.ts';
import { bitwise, multiply } from '../values/arithmetic.ts';
import { compareExact, exactNumber, isNumber, nearestDouble } from '../values/numbers.ts';
import { decimalFrom, divide, type Rounding, remainder, round } from './decimals.ts';
import { int32Of, type Operator, operator, strict, typeOf, unary } from './operator.ts';
import { product, Sum } from './sum.ts';

const ANY = Number.POSITIVE_INFINITY;

/** A function of doubles; of a decimal the result is a decimal, of a double's precision. */
function ofDoubles(apply: (value: number) => number, domain?: [code: number, least: number, most: number]): Operator {
  return unary((value, name) => {
    const number = numeric(value, name, 28765);
    if (domain && (number < domain[1] || number > domain[2])) {
      throw locationError(domain[0], `cannot apply ${name} to ${number}, value must be in [${domain[1]},${domain[2]}]`);
    }
    return likeDecimal(apply(number), value);
  });
}

function likeDecimal(result: number, ...operands: unknown[]): unknown {
  return operands.some((operand) => operand instanceof Decimal128) ? decimalFrom(result) : new Double(result);
}

function numeric(value: unknown, name: string, code: number): number {
  if (!isNumber(value)) throw locationError(code, `${name} only supports numeric types, not ${typeOf(value)}`);
  return nearestDouble(value) as number;
}

function bothNumeric(values: unknown[], name: string): void {
  if (values.every(isNumber)) return;
  throw typeMismatch(`${name} only supports numeric types, not ${values.map(typeOf).join(' and ')}`);
}

function isZero(value: unknown): boolean {
  return compareExact(exactNumber(value), 0) === 0;
}

function isInteger(value: unknown): boolean {
  return value instanceof Int32 || value instanceof Long;
}

/** A date so many milliseconds after another. */
function later(date: Date, milliseconds: unknown, sign: 1 | -1): Date {
  const result = new Date(date.getTime() + sign * Math.round(nearestDouble(milliseconds) as number));
  if (Number.isNaN(result.getTime())) throw overflow('date overflow');
  return result;
}

function addAll(values: unknown[]): unknown {
  const sum = new Sum();
  let date: Date | undefined;
  for (const value of values) {
    if (value instanceof Date) {
      if (date) throw locationError(16612, 'only one date allowed in an $add expression');
      date = value;
    } else if (isNumber(value)) {
      sum.add(value);
    } else {
      throw typeMismatch(`$add only supports numeric or date types, not ${typeOf(value)}`);
    }
  }
  return date ? later(date, sum.value, 1) : sum.value;
}

function subtract([left, right]: unknown[]): unknown {
  if (left instanceof Date && right instanceof Date) return Long.fromNumber(left.getTime() - right.getTime());
  if (left instanceof Date && isNumber(right)) return later(left, right, -1);
  if (!isNumber(left) || !isNumber(right)) throw typeMismatch(`can't $subtract ${typeOf(right)} from ${typeOf(left)}`);
  const sum = new Sum();
  sum.add(left);
  sum.add(negated(right));
  return sum.value;
}

function negated(value: unknown): unknown {
  if (value instanceof Double) return new Double(-value.value);
  if (value instanceof Long && value.equals(Long.MIN_VALUE)) return new Double(2 ** 63);
  return multiply(value, new Int32(-1));
}

function modulo(values: unknown[], name: string): unknown {
  const [left, right] = values;
  if (!values.every(isNumber)) {
    throw locationError(16611, `${name} only supports numeric types, not ${values.map(typeOf).join(' and ')}`);
  }
  if (isZero(right)) throw locationError(16610, "can't $mod by zero");
  if (left instanceof Decimal128 || right instanceof Decimal128) return remainder(left, right);
  if (left instanceof Double || right instanceof Double) {
    return new Double((nearestDouble(left) as number) % (nearestDouble(right) as number));
  }
  const result = bigintOf(left) % bigintOf(right);
  return left instanceof Int32 && right instanceof Int32 ? new Int32(Number(result)) : Long.fromBigInt(result);
}

function bigintOf(value: unknown): bigint {
  return value instanceof Long ? value.toBigInt() : BigInt((value as Int32).value);
}

function power([base, exponent]: unknown[], name: string): unknown {
  const [b, e] = [numeric(base, name, 28762), numeric(exponent, name, 28763)];
  if (b === 0 && e < 0) throw locationError(28764, '$pow cannot take a base of 0 and a negative exponent');
  if (isInteger(base) && isInteger(exponent) && e >= 0 && (e < 64 || Math.abs(b) <= 1)) {
    const result = bigintOf(base) ** BigInt(e < 64 ? e : 2 + (e % 2));
    const both = base instanceof Int32 && exponent instanceof Int32;
    if (both && result === BigInt.asIntN(32, result)) return new Int32(Number(result));
    if (result === BigInt.asIntN(64, result)) return Long.fromBigInt(result);
  }
  return likeDecimal(b ** e, base, exponent);
}

function absolute(value: unknown, name: string): unknown {
  if (numeric(value, name, 28765) >= 0) return value;
  if (value instanceof Long && value.equals(Long.MIN_VALUE))
    throw locationError(28680, "can't take $abs of long long min");
  return negated(value);
}

function rounded(rounding: Rounding): Operator {
  return unary((value, name) => {
    numeric(value, name, 28765);
    return round(value, 0, rounding);
  });
}

function roundedTo(rounding: Rounding): Operator {
  return strict(1, 2, ([value, places = new Int32(0)], name) => {
    numeric(value, name, 51081);
    const count = int32Of(places, 51082, `precision argument to ${name}`);
    if (count < -20 || count > 100) {
      throw locationError(51083, `cannot apply ${name} with precision value ${count} value must be in [-20, 100]`);
    }
    const result = round(value, count, rounding);
    if (result === undefined) throw locationError(51080, `invalid conversion of ${name}'s result to long`);
    return result;
  });
}

function logarithm(code: number, apply: (value: number) => number): Operator {
  return unary((value, name) => {
    const number = numeric(value, name, 28765);
    if (number <= 0) throw locationError(code, `${name}'s argument must be a positive number, but is ${number}`);
    return likeDecimal(apply(number), value);
  });
}

function bits(name: 'and' | 'or' | 'xor', identity: number): Operator {
  return operator(0, ANY, (values) => {
    let result: unknown = new Int32(identity);
    for (const value of values) {
      if (value == null) return null;
      if (!isInteger(value))
        throw typeMismatch(`$bit${name} only supports int and long operands, not ${typeOf(value)}`);
      result = bitwise(name, result, value);
    }
    return result;
  });
}

const degrees = Math.PI / 180;

export const arithmeticOperators: Readonly<Record<string, Operator>> = {
  $abs: unary(absolute),
  $add: strict(0, ANY, addAll),
  $bitAnd: bits('and', -1),
  $bitNot: unary((value, name) => {
    if (!isInteger(value)) throw typeMismatch(`${name} only supports int and long, not: ${typeOf(value)}`);
    return bitwise('xor', value, new Int32(-1));
  }),
  $bitOr: bits('or', 0),
  $bitXor: bits('xor', 0),
  $ceil: rounded('up'),
  $divide: strict(2, 2, (values, name) => {
    bothNumeric(values, name);
    const [left, right] = values;
    if (isZero(right)) throw badValue("can't $divide by zero");
    if (left instanceof Decimal128 || right instanceof Decimal128) return divide(left, right);
    return new Double((nearestDouble(left) as number) / (nearestDouble(right) as number));
  }),
  $exp: ofDoubles(Math.exp),
  $floor: rounded('down'),
  $ln: logarithm(28766, Math.log),
  $log: strict(2, 2, ([value, base], name) => {
    const [of, to] = [numeric(value, name, 28756), numeric(base, name, 28757)];
    if (of <= 0) throw locationError(28758, `$log's argument must be a positive number, but is ${of}`);
    if (to <= 0 || to === 1)
      throw locationError(28759, `$log's base must be a positive number not equal to 1, but is ${to}`);
    return likeDecimal(Math.log(of) / Math.log(to), value, base);
  }),
  $log10: logarithm(28761, Math.log10),
  $mod: strict(2, 2, modulo),
  $multiply: strict(0, ANY, (values, name) => {
    bothNumeric(values, name);
    return values.reduce(product, new Int32(1));
  }),
  $pow: strict(2, 2, power),
  $rand: operator(0, 1, () => new Double(Math.random())),
  $round: roundedTo('half-even'),
  $sqrt: unary((value, name) => {
    const number = numeric(value, name, 28765);
    if (number < 0) throw locationError(28714, "$sqrt's argument must be greater than or equal to 0");
    return likeDecimal(Math.sqrt(number), value);
  }),
  $subtract: strict(2, 2, subtract),
  $trunc: roundedTo('toward-zero'),
  $sin: ofDoubles(Math.sin, [50989, -Number.MAX_VALUE, Number.MAX_VALUE]),
  $cos: ofDoubles(Math.cos, [50989, -Number.MAX_VALUE, Number.MAX_VALUE]),
  $tan: ofDoubles(Math.tan, [50989, -Number.MAX_VALUE, Number.MAX_VALUE]),
  $asin: ofDoubles(Math.asin, [50989, -1, 1]),
  $acos: ofDoubles(Math.acos, [50989, -1, 1]),
  $atan: ofDoubles(Math.atan),
  $atan2: strict(2, 2, ([y, x], name) =>
    likeDecimal(Math.atan2(numeric(y, name, 51044), numeric(x, name, 51045)), y, x),
  ),
  $sinh: ofDoubles(Math.sinh),
  $cosh: ofDoubles(Math.cosh),
  $tanh: ofDoubles(Math.tanh),
  $asinh: ofDoubles(Math.asinh),
  $acosh: ofDoubles(Math.acosh, [50989, 1, ANY]),
  $atanh: ofDoubles(Math.atanh, [50989, -1, 1]),
  $degreesToRadians: ofDoubles((value) => value * degrees),
  $radiansToDegrees: ofDoubles((value) => value / degrees),
};
