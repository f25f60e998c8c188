import { Decimal128, Double, Int32, Long, ObjectId, type Timestamp } from 'bson';
import { failedToParse, StoreError } from '../errors.ts';
import { isTruthy } from '../query/match-operators.ts';
import { decimalText } from '../values/arithmetic.ts';
import { integerOf, isNumber, nearestDouble, truncateToInt64 } from '../values/numbers.ts';
import { stringOf } from '../values/order.ts';
import { type TypeName, typeCodes } from '../values/types.ts';
import { parseDate } from './date-format.ts';
import {
  anything,
  dateOf,
  lazy,
  namedOperator,
  type Operator,
  type Operators,
  operator,
  typeOrMissing,
} from './operator.ts';

export function textOf(value: unknown): string | undefined {
  if (typeof value === 'boolean' || value instanceof ObjectId || isNumber(value)) return String(value);
  if (value instanceof Date) return value.toISOString();
  const type = typeOrMissing(value);
  if (type === 'timestamp') {
    return `Timestamp(${(value as Timestamp).getHighBits()}, ${(value as Timestamp).getLowBits()})`;
  }
  return type === 'string' || type === 'symbol' ? stringOf(value) : undefined;
}

/** Converts a value to an integer; undefined if it has none or does not fit. */
function toInteger(value: unknown, bits: 32 | 64): bigint | undefined {
  let whole: bigint | undefined;
  if (typeof value === 'boolean' || value instanceof Date) whole = BigInt(Number(value));
  else if (typeof value !== 'string') whole = truncateToInt64(value);
  else if (/^[+-]?\d{1,20}$/.test(value)) whole = BigInt(value.replace(/^\+/, ''));
  return whole === undefined || whole === BigInt.asIntN(bits, whole) ? whole : undefined;
}

const NUMBER_PATTERN = /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i;

function toDouble(value: unknown): Double | undefined {
  if (typeof value === 'string' && !NUMBER_PATTERN.test(value)) return undefined;
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
  const date = new Date(Number(truncateToInt64(value)));
  return Number.isNaN(date.getTime()) ? undefined : date;
}

function toObjectId(value: unknown): unknown {
  if (typeof value !== 'string') return value;
  return /^[0-9a-f]{24}$/i.test(value) ? new ObjectId(value) : undefined;
}

const NUMBER_TYPES = 'int long double decimal';

/** The types that can be converted to each type, and the conversion. It returns undefined on failure. */
const conversions: Partial<Record<TypeName, [from: string, convert: (value: unknown) => unknown]>> = {
  bool: [Object.keys(typeCodes).join(' '), isTruthy],
  date: ['long double decimal string date objectId timestamp', toDate],
  decimal: [`${NUMBER_TYPES} bool string date`, toDecimal],
  double: [`${NUMBER_TYPES} bool string date`, toDouble],
  int: [
    `${NUMBER_TYPES} bool string`,
    (value) => mapDefined(toInteger(value, 32), (whole) => new Int32(Number(whole))),
  ],
  long: [`${NUMBER_TYPES} bool string date`, (value) => mapDefined(toInteger(value, 64), Long.fromBigInt)],
  objectId: ['objectId string', toObjectId],
  string: [`${NUMBER_TYPES} bool string symbol date objectId`, textOf],
};

function mapDefined<From, To>(value: From | undefined, map: (value: From) => To): To | undefined {
  return value === undefined ? undefined : map(value);
}

function convert(value: unknown, to: TypeName): unknown {
  const type = typeOrMissing(value);
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
  throw failedToParse(`$convert's 'to' argument is not a type: ${String(to)}`);
}

const $convert = namedOperator(
  { input: anything, to: anything, onError: lazy, onNull: lazy },
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

function conversionOperator(to: TypeName): Operator {
  return operator([anything], ([value]) => (value == null ? null : convert(value, to)));
}

export const conversionOperators: Operators = {
  $convert,
  $isNumber: operator([anything], ([value]) => isNumber(value)),
  $toBool: conversionOperator('bool'),
  $toDate: conversionOperator('date'),
  $toDecimal: conversionOperator('decimal'),
  $toDouble: conversionOperator('double'),
  $toInt: conversionOperator('int'),
  $toLong: conversionOperator('long'),
  $toObjectId: conversionOperator('objectId'),
  $toString: conversionOperator('string'),
  $type: operator([anything], ([value]) => typeOrMissing(value)),
};
