import { Decimal128, Double, Int32, Long, ObjectId, type Timestamp } from 'bson';
import { failedToParse, StoreError } from '../errors.ts';
import { isTruthy } from '../query/match-operators.ts';
import { asDecimal } from '../values/arithmetic.ts';
import { writeDecimal } from '../values/decimal.ts';
import { integerOf, isNumber, nearestDouble, truncated } from '../values/numbers.ts';
import { stringOf } from '../values/order.ts';
import { type TypeName, typeCodes } from '../values/types.ts';
import { parseDate } from './date-text.ts';
import { decimalFrom } from './decimals.ts';
import { anything, dateOf, later } from './kinds.ts';
import { named, type Operator, type Operators, operator, typeOf } from './operator.ts';

/** The text of a value that has one; undefined for the others. */
export function textOf(value: unknown): string | undefined {
  if (typeof value === 'boolean' || value instanceof ObjectId || value instanceof Decimal128) return String(value);
  if (value instanceof Date) return value.toISOString();
  if (isNumber(value)) return String((value as Int32).valueOf());
  switch (typeOf(value)) {
    case 'string':
    case 'symbol':
      return stringOf(value);
    case 'timestamp':
      return `Timestamp(${(value as Timestamp).getHighBits()}, ${(value as Timestamp).getLowBits()})`;
    default:
      return undefined;
  }
}

/** The integer that a value stands for, if it fits. */
function toWhole(value: unknown, bits: 32 | 64): bigint | undefined {
  let whole: bigint | undefined;
  if (typeof value === 'boolean') whole = BigInt(value);
  else if (value instanceof Date) whole = BigInt(value.getTime());
  else if (typeof value !== 'string') whole = truncated(value);
  else if (/^[+-]?\d{1,20}$/.test(value)) whole = BigInt(value.replace(/^\+/, ''));
  return whole === undefined || whole === BigInt.asIntN(bits, whole) ? whole : undefined;
}

const NUMERAL = /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i;

function toDouble(value: unknown): Double | undefined {
  if (typeof value === 'boolean' || value instanceof Date) return new Double(Number(value));
  if (typeof value === 'string') return NUMERAL.test(value) ? new Double(Number(value)) : undefined;
  const number = nearestDouble(value) as number;
  const overflows = !Number.isFinite(number) && value instanceof Decimal128 && /\d/.test(value.toString());
  return overflows ? undefined : new Double(number);
}

function toDecimal(value: unknown): Decimal128 | undefined {
  if (value instanceof Decimal128) return value;
  if (typeof value === 'boolean' || value instanceof Date) return decimalFrom(Number(value));
  if (typeof value !== 'string') {
    const decimal = asDecimal(value);
    return typeof decimal === 'number' ? decimalFrom(decimal) : writeDecimal(decimal);
  }
  try {
    return Decimal128.fromStringWithRounding(value);
  } catch {
    return undefined;
  }
}

function toDate(value: unknown): Date | undefined {
  if (typeof value === 'string') return parseDate(value, 'UTC');
  if (!isNumber(value)) return dateOf(value);
  const whole = truncated(value);
  const date = new Date(whole === undefined ? Number.NaN : Number(whole));
  return Number.isNaN(date.getTime()) ? undefined : date;
}

/** A type that can be converted to. */
interface Conversion {
  /** The types that can be converted. */
  from: readonly TypeName[];
  /** Undefined for values that can't be. */
  convert: (value: unknown) => unknown;
}

const NUMBERS: readonly TypeName[] = ['int', 'long', 'double', 'decimal'];

const conversions: Partial<Record<TypeName, Conversion>> = {
  bool: { from: Object.keys(typeCodes) as TypeName[], convert: isTruthy },
  date: { from: ['long', 'double', 'decimal', 'string', 'date', 'objectId', 'timestamp'], convert: toDate },
  decimal: { from: [...NUMBERS, 'bool', 'string', 'date'], convert: toDecimal },
  double: { from: [...NUMBERS, 'bool', 'string', 'date'], convert: toDouble },
  int: {
    from: [...NUMBERS, 'bool', 'string'],
    convert(value) {
      const whole = toWhole(value, 32);
      return whole === undefined ? undefined : new Int32(Number(whole));
    },
  },
  long: {
    from: [...NUMBERS, 'bool', 'string', 'date'],
    convert(value) {
      const whole = toWhole(value, 64);
      return whole === undefined ? undefined : Long.fromBigInt(whole);
    },
  },
  objectId: {
    from: ['objectId', 'string'],
    convert(value) {
      if (typeof value !== 'string') return value;
      return /^[0-9a-f]{24}$/i.test(value) ? new ObjectId(value) : undefined;
    },
  },
  string: { from: [...NUMBERS, 'bool', 'string', 'symbol', 'date', 'objectId'], convert: textOf },
};

/** Throws ConversionFailure for what can't be converted. */
function convert(value: unknown, to: TypeName): unknown {
  const type = typeOf(value);
  const conversion = conversions[to];
  const isKnown = type !== 'missing' && conversion?.from.includes(type);
  const result = isKnown ? conversion?.convert(value) : undefined;
  if (result !== undefined) return result;
  let reason = `Unsupported conversion from ${type} to ${to}`;
  if (isKnown) {
    reason =
      typeof value === 'string'
        ? `Failed to parse ${to} '${value.slice(0, 100)}'`
        : 'Conversion would overflow target type';
  }
  throw new StoreError(241, 'ConversionFailure', `${reason} in $convert with no onError value`);
}

function targetOf(to: unknown): TypeName {
  const code = integerOf(to);
  const name = typeof to === 'string' ? to : Object.entries(typeCodes).find(([, known]) => known === code)?.[0];
  if (name === undefined || !Object.hasOwn(typeCodes, name))
    throw failedToParse(`$convert's 'to' argument is no type: ${String(to)}`);
  return name as TypeName;
}

const compileConvert = named(
  { input: anything, to: anything, onError: later, onNull: later },
  [9, 9, 9],
  ({ input, to, onError, onNull }) => {
    if (input == null) return onNull ? onNull() : null;
    if (to == null) return null;
    const target = targetOf(to);
    try {
      return convert(input, target);
    } catch (error) {
      if (onError && error instanceof StoreError && error.code === 241) return onError();
      throw error;
    }
  },
);

function converting(to: TypeName): Operator {
  return operator([anything], ([value]) => (value == null ? null : convert(value, to)));
}

export const conversionOperators: Operators = {
  $convert: compileConvert,
  $isNumber: operator([anything], ([value]) => isNumber(value)),
  $toBool: converting('bool'),
  $toDate: converting('date'),
  $toDecimal: converting('decimal'),
  $toDouble: converting('double'),
  $toInt: converting('int'),
  $toLong: converting('long'),
  $toObjectId: converting('objectId'),
  $toString: converting('string'),
  $type: operator([anything], ([value]) => typeOf(value)),
};
