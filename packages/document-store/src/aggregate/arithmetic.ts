import { Decimal128, Double, Int32, Long } from 'bson';
import { badValue, locationError, overflow, typeMismatch } from '../errors.ts';
import { asBigInt, combine } from '../values/arithmetic.ts';
import { addDecimals, type Decimal } from '../values/decimal.ts';
import { compareExact, exactNumber, isNumber, nearestDouble } from '../values/numbers.ts';
import { decimalFrom, divide, type Rounding, remainder, round } from './decimals.ts';
import { int32, numeric, optional } from './kinds.ts';
import { type Kind, named, type Operator, type Operators, operator, variadic } from './operator.ts';
import { product, Sum } from './sum.ts';

/** A function of doubles, for arguments of at least `least`; of a decimal it gives a decimal, as precise as a double. */
function ofDouble(
  apply: (value: number) => number,
  least = Number.NEGATIVE_INFINITY,
  code = 0,
  wanted = 'a positive number',
): Operator {
  return operator([numeric(28765)], ([value], { name }) => {
    const number = nearestDouble(value) as number;
    if (number < least) throw locationError(code, `${name}'s argument must be ${wanted}, but is ${number}`);
    return likeDecimal(apply(number), value);
  });
}

function likeDecimal(result: number, ...operands: unknown[]): unknown {
  return operands.some((operand) => operand instanceof Decimal128) ? decimalFrom(result) : new Double(result);
}

function isZero(value: unknown): boolean {
  return compareExact(exactNumber(value), 0) === 0;
}

function isInteger(value: unknown): boolean {
  return value instanceof Int32 || value instanceof Long;
}

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

function addAll(values: unknown[]): unknown {
  const sum = new Sum();
  let date: Date | undefined;
  for (const value of values) {
    if (!(value instanceof Date)) sum.add(value);
    else if (date) throw locationError(16612, 'only one date allowed in an $add expression');
    else date = value;
  }
  return date ? moved(date, nearestDouble(sum.value) as number) : sum.value;
}

function subtract([left, right]: [unknown, unknown]): unknown {
  if (left instanceof Date) {
    if (right instanceof Date) return Long.fromNumber(left.getTime() - right.getTime());
    return moved(left, -(nearestDouble(right) as number));
  }
  if (right instanceof Date) throw typeMismatch("can't $subtract a date from a number");
  return difference(left, right) ?? new Double((nearestDouble(left) as number) - (nearestDouble(right) as number));
}

/** Undefined where it does not fit in 64 bits. */
function difference(left: unknown, right: unknown): unknown {
  return combine(
    left,
    right,
    (a, b) => a - b,
    (a, b) => a - b,
    (a, b) => addDecimals(a, negated(b)),
  );
}

function negated(value: Decimal | number): Decimal | number {
  return typeof value === 'number' ? -value : { ...value, negative: !value.negative };
}

function modulo([left, right]: [unknown, unknown]): unknown {
  if (isZero(right)) throw locationError(16610, "can't $mod by zero");
  return combine(
    left,
    right,
    (a, b) => a % b,
    (a, b) => a % b,
    () => remainder(left, right),
  );
}

function power([base, exponent]: [unknown, unknown]): unknown {
  const [b, e] = [nearestDouble(base) as number, nearestDouble(exponent) as number];
  if (b === 0 && e < 0) throw locationError(28764, '$pow cannot take a base of 0 and a negative exponent');
  if (isInteger(base) && isInteger(exponent) && e >= 0 && (e < 64 || Math.abs(b) <= 1)) {
    const result = asBigInt(base) ** BigInt(e < 64 ? e : 2 + (e % 2));
    const both = base instanceof Int32 && exponent instanceof Int32;
    if (both && result === BigInt.asIntN(32, result)) return new Int32(Number(result));
    if (result === BigInt.asIntN(64, result)) return Long.fromBigInt(result);
  }
  return likeDecimal(b ** e, base, exponent);
}

function absolute([value]: [unknown]): unknown {
  if ((nearestDouble(value) as number) >= 0) return value;
  const result = difference(new Int32(0), value);
  if (result === undefined) throw locationError(28680, "can't take $abs of long long min");
  return result;
}

function logarithm([value, base]: [number, number]): number {
  if (value <= 0) throw locationError(28758, `$log's argument must be a positive number, but is ${value}`);
  if (base <= 0 || base === 1)
    throw locationError(28759, `$log's base must be a positive number not equal to 1, but is ${base}`);
  return Math.log(value) / Math.log(base);
}

function rounded(rounding: Rounding): Operator {
  return operator([numeric(28765)], ([value]) => round(value, 0, rounding));
}

function roundedTo(rounding: Rounding): Operator {
  return operator([numeric(51081), optional(int32(51082))], ([value, places = 0], { name }) => {
    if (places < -20 || places > 100) {
      throw locationError(51083, `cannot apply ${name} with precision value ${places} value must be in [-20, 100]`);
    }
    const result = round(value, places, rounding);
    if (result === undefined) throw locationError(51080, `invalid conversion of ${name}'s result to long`);
    return result;
  });
}

export const arithmeticOperators: Operators = {
  $abs: operator([numeric(28765)], absolute),
  $add: variadic(addend, addAll),
  $ceil: rounded('up'),
  $divide: operator([numeric(14), numeric(14)], ([left, right]) => {
    if (isZero(right)) throw badValue("can't $divide by zero");
    if (left instanceof Decimal128 || right instanceof Decimal128) return divide(left, right);
    return new Double((nearestDouble(left) as number) / (nearestDouble(right) as number));
  }),
  $exp: ofDouble(Math.exp),
  $floor: rounded('down'),
  $ln: ofDouble(Math.log, Number.MIN_VALUE, 28766),
  $log: operator([numeric(28756), numeric(28757)], ([value, base]) =>
    likeDecimal(logarithm([nearestDouble(value) as number, nearestDouble(base) as number]), value, base),
  ),
  $log10: ofDouble(Math.log10, Number.MIN_VALUE, 28761),
  $mod: operator([numeric(16611), numeric(16611)], modulo),
  $multiply: variadic(numeric(14), (values) => values.reduce(product, new Int32(1))),
  $pow: operator([numeric(28762), numeric(28763)], power),
  $rand: named({}, [10065, 3040501, 3040501], () => new Double(Math.random())),
  $round: roundedTo('half-even'),
  $sqrt: ofDouble(Math.sqrt, 0, 28714, 'greater than or equal to 0'),
  $subtract: operator([addend, addend], subtract),
  $trunc: roundedTo('toward-zero'),
};
