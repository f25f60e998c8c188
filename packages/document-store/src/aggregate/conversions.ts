import { Decimal128, Double, Int32, Long, ObjectId, type Timestamp } from 'bson';
import { failedToParse, StoreError } from '../errors.ts';
import { isTruthy } from '../query/match-operators.ts';
import { decimalText } from '../values/arithmetic.ts';
import { integerOf, isNumber, nearestDouble, truncated } from '../values/numbers.ts';
import { stringOf } from '../values/order.ts';
import { type TypeName, typeCodes } from '../values/types.ts';
import { parseDate } from './date-text.ts';
import { anything, dateOf, later, named, type Operator, type Operators, operator, typeOf } from './operator.ts';

/** The text of a value that has one; undefined for the others. */
export function textOf(value: unknown): string | undefined {
  if (typeof value === 'boolean' || value instanceof ObjectId || isNumber(value)) return String(value);
  if (value instanceof Date) return value.toISOString();
  const type = typeOf(value);
  if (type === 'timestamp') {
    return `Timestamp(${(value as Timestamp).getHighBits()}, ${(value as Timestamp).getLowBits()})`;
  }
  return type === 'string' || type === 'symbol' ? stringOf(value) : undefined;
}

/** The integer that a value stands for, if it fits. */
function toWhole(value: unknown, bits: 32 | 64): bigint | undefined {
  let whole: bigint | undefined;
  if (typeof value === 'boolean' || value instanceof Date) whole = BigInt(Number(value));
  else if (typeof value !== 'string') whole = truncated(value);
  else if (/^[+-]?\d{1,20}$/.test(value)) whole = BigInt(value.replace(/^\+/, ''));
  return whole === undefined || whole === BigInt.asIntN(bits, whole) ? whole : undefined;
}

const NUMERAL = /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i;

function toDouble(value: unknown): Double | undefined {
  if (typeof value === 'string' && !NUMERAL.test(value)) return undefined;
  const number = isNumber(value) ? (nearestDouble(value) as number) : Number(value);
  const overflows = !Number.isFinite(number) && value instanceof Decimal128 && /\d/.test(value.toString());
  return overflows ? undefined : new Double(number);
}

function toDecimal(value: unknown): Decimal128 | undefined {
  if (value instanceof Decimal128) return value;
  try {
    return Decimal128.fromStringWithRounding(
      typeof value === 'string' ? value : decimalText(isNumber(value) ? value : Number(value)),
    );
  } catch {
    return undefined;
  }
}

function toDate(value: unknown): Date | undefined {
  if (typeof value === 'string') return parseDate(value, 'UTC');
  if (!isNumber(value)) return dateOf(value);
  const date = new Date(Number(truncated(value)));
  return Number.isNaN(date.getTime()) ? undefined : date;
}

function toObjectId(value: unknown): unknown {
  if (typeof value !== 'string') return value;
  return /^[0-9a-f]{24}$/i.test(value) ? new ObjectId(value) : undefined;
}

const NUMBERS = 'int long double decimal';

/** What can be converted to a type, and how: undefined for values that can't be. */
const conversions: Partial<Record<TypeName, [from: string, convert: (value: unknown) => unknown]>> = {
  bool: [Object.keys(typeCodes).join(' '), isTruthy],
  date: ['long double decimal string date objectId timestamp', toDate],
  decimal: [`${NUMBERS} bool string date`, toDecimal],
  double: [`${NUMBERS} bool string date`, toDouble],
  int: [`${NUMBERS} bool string`, (value) => mapped(toWhole(value, 32), (whole) => new Int32(Number(whole)))],
  long: [`${NUMBERS} bool string date`, (value) => mapped(toWhole(value, 64), Long.fromBigInt)],
  objectId: ['objectId string', toObjectId],
  string: [`${NUMBERS} bool string symbol date objectId`, textOf],
};

function mapped<From, To>(value: From | undefined, map: (value: From) => To): To | undefined {
  return value === undefined ? undefined : map(value);
}

/** Throws ConversionFailure for what can't be converted. */
function convert(value: unknown, to: TypeName): unknown {
  const type = typeOf(value);
  const [from = '', apply] = conversions[to] ?? [];
  const isKnown = from.split(' ').includes(type);
  const result = isKnown ? apply?.(value) : undefined;
  if (result !== undefined) return result;
  const shown = typeof value === 'string' ? `'${value.slice(0, 100)}'` : 'a value';
  const reason = isKnown ? `Failed to parse or fit ${shown} as ${to}` : `Unsupported conversion from ${type} to ${to}`;
  throw new StoreError(241, 'ConversionFailure', `${reason} in $convert with no onError value`);
}

function targetOf(to: unknown): TypeName {
  const code = integerOf(to);
  const name = typeof to === 'string' ? to : Object.entries(typeCodes).find(([, known]) => known === code)?.[0];
  if (name !== undefined && Object.hasOwn(typeCodes, name)) return name as TypeName;
  throw failedToParse(`$convert's 'to' argument is no type: ${String(to)}`);
}

const $convert = named(
  { input: anything, to: anything, onError: later, onNull: later },
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
  $convert,
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
