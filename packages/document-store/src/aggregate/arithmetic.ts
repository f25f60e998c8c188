import { Decimal128, Double, Int32, Long } from 'bson';
import { badValue, locationError, overflow, typeMismatch } from '../errors.ts';
import {
  asBigInt,
  asDecimal,
  decimal128,
  product,
  remainder,
  round,
  Sum,
  subtract,
  toIntegerType,
} from '../values/arithmetic.ts';
import { compareExact, Decimal, exactNumber, isNumber, nearestDouble, type Rounding } from '../values/numbers.ts';
import {
  namedOperator,
  number,
  type Operator,
  type Operators,
  operator,
  optional,
  type Parameter,
  variadicOperator,
  wholeNumber,
} from './operator.ts';

const isDecimal = (...values: unknown[]): boolean => values.some((value) => value instanceof Decimal128);
const asDouble = (value: unknown): number => nearestDouble(value) as number;
const isBelow = (value: unknown, limit: number): boolean => compareExact(exactNumber(value), limit) < 0;
const isZero = (value: unknown): boolean => compareExact(exactNumber(value), 0) === 0;

function realOperator(
  ofDouble: (value: number) => number,
  ofDecimal: (value: Decimal) => Decimal,
  refuses: (value: unknown) => boolean = () => false,
  code = 0,
): Operator {
  return operator([number(28765)], ([value], { name }) => {
    if (refuses(value)) throw locationError(code, `${name}'s argument is out of its range: ${value}`);
    return isDecimal(value) ? decimal128(ofDecimal(asDecimal(value))) : new Double(ofDouble(asDouble(value)));
  });
}

const isNotPositive = (value: unknown): boolean => isZero(value) || isBelow(value, 0);
const isNegative = (value: unknown): boolean => isBelow(value, 0);

const addend: Parameter<unknown> = {
  ...number(14),
  expected: 'a number or a date',
  accepts: (value) => value instanceof Date || isNumber(value),
};

function addMilliseconds(date: Date, milliseconds: number): Date {
  const result = new Date(date.getTime() + Math.round(milliseconds));
  if (Number.isNaN(result.getTime())) throw overflow('date overflow');
  return result;
}

function sum(values: unknown[]): unknown {
  const numbers = new Sum();
  for (const value of values) if (!(value instanceof Date)) numbers.add(value);
  const [date, another] = values.filter((value) => value instanceof Date);
  if (another) throw locationError(16612, 'only one date allowed in an $add expression');
  return date ? addMilliseconds(date, asDouble(numbers.value)) : numbers.value;
}

function difference([left, right]: [unknown, unknown]): unknown {
  if (left instanceof Date) {
    return right instanceof Date
      ? Long.fromNumber(left.getTime() - right.getTime())
      : addMilliseconds(left, -asDouble(right));
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
  return (isWhole && toIntegerType(asBigInt(base) ** asBigInt(exponent), isLong)) || new Double(b ** e);
}

function absolute([value]: [unknown]): unknown {
  if (!isBelow(value, 0)) return value;
  const result = subtract(new Int32(0), value);
  if (result === undefined) throw locationError(28680, "can't take $abs of long long min");
  return result;
}

function logarithm([value, base]: [unknown, unknown]): unknown {
  if (isNotPositive(value)) throw locationError(28758, `$log's argument must be a positive number, but is ${value}`);
  if (isNotPositive(base) || asDouble(base) === 1) {
    throw locationError(28759, `$log's base must be a positive number not equal to 1, but is ${base}`);
  }
  if (isDecimal(value, base)) return decimal128(asDecimal(value).log(asDecimal(base)));
  return new Double(Math.log(asDouble(value)) / Math.log(asDouble(base)));
}

function roundingOperator(rounding: Rounding): Operator {
  return operator([number(28765), optional(wholeNumber(51082))], ([value, places = 0], { name }) => {
    if (places < -20 || places > 100)
      throw locationError(51083, `${name} rounds to between -20 and 100 places, not ${places}`);
    const result = round(value, places, rounding);
    if (result === undefined) throw locationError(51080, `invalid conversion of ${name}'s result to long`);
    return result;
  });
}

export const arithmeticOperators: Operators = {
  $abs: operator([number(28765)], absolute),
  $add: variadicOperator(addend, sum),
  $ceil: roundingOperator(Decimal.ROUND_CEIL),
  $divide: operator([number(14), number(14)], quotient),
  $exp: realOperator(Math.exp, (value) => value.exp()),
  $floor: roundingOperator(Decimal.ROUND_FLOOR),
  $ln: realOperator(Math.log, (value) => value.ln(), isNotPositive, 28766),
  $log: operator([number(28756), number(28757)], logarithm),
  $log10: realOperator(Math.log10, (value) => value.log(10), isNotPositive, 28761),
  $mod: operator([number(16611), number(16611)], ([left, right]) => {
    if (isZero(right)) throw locationError(16610, "can't $mod by zero");
    return remainder(left, right);
  }),
  $multiply: variadicOperator(number(14), (values) => values.reduce(product, new Int32(1))),
  $pow: operator([number(28762), number(28763)], power),
  $rand: namedOperator({}, () => new Double(Math.random())),
  $round: roundingOperator(Decimal.ROUND_HALF_EVEN),
  $sqrt: realOperator(Math.sqrt, (value) => value.sqrt(), isNegative, 28714),
  $subtract: operator([addend, addend], difference),
  $trunc: roundingOperator(Decimal.ROUND_DOWN),
};
