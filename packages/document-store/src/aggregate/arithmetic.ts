import { Decimal128, Double, Int32, Long } from 'bson';
import { badValue, locationError, overflow, typeMismatch } from '../errors.ts';
import { asBigInt, asDecimal, decimal128, fitting, product, remainder, round, subtract } from '../values/arithmetic.ts';
import { compareExact, Decimal, exactNumber, isNumber, nearestDouble, type Rounding } from '../values/numbers.ts';
import { Sum } from '../values/sum.ts';
import {
  type Kind,
  named,
  numeric,
  type Operator,
  type Operators,
  operator,
  optional,
  variadic,
  whole,
} from './operator.ts';

const isDecimal = (...values: unknown[]): boolean => values.some((value) => value instanceof Decimal128);
const asDouble = (value: unknown): number => nearestDouble(value) as number;
const isBelow = (value: unknown, limit: number): boolean => compareExact(exactNumber(value), limit) < 0;
const isZero = (value: unknown): boolean => compareExact(exactNumber(value), 0) === 0;

/** A function of one number, computed in decimals for decimals and in doubles for all others. */
function real(
  ofDouble: (value: number) => number,
  ofDecimal: (value: Decimal) => Decimal,
  refuses: (value: unknown) => boolean = () => false,
  code = 0,
): Operator {
  return operator([numeric(28765)], ([value], { name }) => {
    if (refuses(value)) throw locationError(code, `${name}'s argument is out of its range: ${value}`);
    return isDecimal(value) ? decimal128(ofDecimal(asDecimal(value))) : new Double(ofDouble(asDouble(value)));
  });
}

const notPositive = (value: unknown): boolean => isZero(value) || isBelow(value, 0);
const negative = (value: unknown): boolean => isBelow(value, 0);

/** What can be added: a number, or a date. */
const addend: Kind<unknown> = {
  ...numeric(14),
  wanted: 'a number or a date',
  accepts: (value) => value instanceof Date || isNumber(value),
};

/** A date so many milliseconds after another. */
function moved(date: Date, milliseconds: number): Date {
  const result = new Date(date.getTime() + Math.round(milliseconds));
  if (Number.isNaN(result.getTime())) throw overflow('date overflow');
  return result;
}

function sum(values: unknown[]): unknown {
  const numbers = new Sum();
  for (const value of values) if (!(value instanceof Date)) numbers.add(value);
  const [date, another] = values.filter((value) => value instanceof Date);
  if (another) throw locationError(16612, 'only one date allowed in an $add expression');
  return date ? moved(date, asDouble(numbers.value)) : numbers.value;
}

function difference([left, right]: [unknown, unknown]): unknown {
  if (left instanceof Date) {
    return right instanceof Date ? Long.fromNumber(left.getTime() - right.getTime()) : moved(left, -asDouble(right));
  }
  if (right instanceof Date) throw typeMismatch("can't $subtract a date from a number");
  return subtract(left, right) ?? new Double(asDouble(left) - asDouble(right));
}

function quotient([left, right]: [unknown, unknown]): unknown {
  if (isZero(right)) throw badValue("can't $divide by zero");
  if (isDecimal(left, right)) return decimal128(asDecimal(left).div(asDecimal(right)));
  return new Double(asDouble(left) / asDouble(right));
}

function power([base, exponent]: [unknown, unknown]): unknown {
  if (isZero(base) && isBelow(exponent, 0)) {
    throw locationError(28764, '$pow cannot take a base of 0 and a negative exponent');
  }
  if (isDecimal(base, exponent)) return decimal128(asDecimal(base).pow(asDecimal(exponent)));
  const [b, e] = [asDouble(base), asDouble(exponent)];
  const isWhole = !(base instanceof Double || exponent instanceof Double) && e >= 0 && Math.abs(b ** e) < 2 ** 64;
  const isLong = base instanceof Long || exponent instanceof Long;
  return (isWhole && fitting(asBigInt(base) ** asBigInt(exponent), isLong)) || new Double(b ** e);
}

function absolute([value]: [unknown]): unknown {
  if (!isBelow(value, 0)) return value;
  const result = subtract(new Int32(0), value);
  if (result === undefined) throw locationError(28680, "can't take $abs of long long min");
  return result;
}

function logarithm([value, base]: [unknown, unknown]): unknown {
  if (notPositive(value)) throw locationError(28758, `$log's argument must be a positive number, but is ${value}`);
  if (notPositive(base) || asDouble(base) === 1) {
    throw locationError(28759, `$log's base must be a positive number not equal to 1, but is ${base}`);
  }
  if (isDecimal(value, base)) return decimal128(asDecimal(value).log(asDecimal(base)));
  return new Double(Math.log(asDouble(value)) / Math.log(asDouble(base)));
}

function rounded(rounding: Rounding): Operator {
  return operator([numeric(28765), optional(whole(51082))], ([value, places = 0], { name }) => {
    if (places < -20 || places > 100)
      throw locationError(51083, `${name} rounds to -20 to 100 places, not to ${places}`);
    const result = round(value, places, rounding);
    if (result === undefined) throw locationError(51080, `invalid conversion of ${name}'s result to long`);
    return result;
  });
}

export const arithmeticOperators: Operators = {
  $abs: operator([numeric(28765)], absolute),
  $add: variadic(addend, sum),
  $ceil: rounded(Decimal.ROUND_CEIL),
  $divide: operator([numeric(14), numeric(14)], quotient),
  $exp: real(Math.exp, (value) => value.exp()),
  $floor: rounded(Decimal.ROUND_FLOOR),
  $ln: real(Math.log, (value) => value.ln(), notPositive, 28766),
  $log: operator([numeric(28756), numeric(28757)], logarithm),
  $log10: real(Math.log10, (value) => value.log(10), notPositive, 28761),
  $mod: operator([numeric(16611), numeric(16611)], ([left, right]) => {
    if (isZero(right)) throw locationError(16610, "can't $mod by zero");
    return remainder(left, right);
  }),
  $multiply: variadic(numeric(14), (values) => values.reduce(product, new Int32(1))),
  $pow: operator([numeric(28762), numeric(28763)], power),
  $rand: named({}, () => new Double(Math.random())),
  $round: rounded(Decimal.ROUND_HALF_EVEN),
  $sqrt: real(Math.sqrt, (value) => value.sqrt(), negative, 28714),
  $subtract: operator([addend, addend], difference),
  $trunc: rounded(Decimal.ROUND_DOWN),
};
