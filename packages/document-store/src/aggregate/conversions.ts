import { Decimal128, Double, Int32, Long, ObjectId, type Timestamp } from 'bson';
import { failedToParse, locationError, StoreError } from '../errors.ts';
import { isTruthy } from '../query/match-operators.ts';
import { integerOf, isNumber, nearestDouble, truncated } from '../values/numbers.ts';
import { binaryParts, stringOf } from '../values/order.ts';
import { type TypeName, typeCodes } from '../values/types.ts';
import { parseDate } from './date-text.ts';
import { decimalFrom } from './decimals.ts';
import { type Expression, namedArguments, type Operator, operator, type Scope, typeOf, unary } from './operator.ts';

/** Throws ConversionFailure. */
function failure(value: unknown, to: string, reason = ''): StoreError {
  const message = reason || `Unsupported conversion from ${typeOf(value)} to ${to}`;
  return new StoreError(241, 'ConversionFailure', `${message} in $convert with no onError value`);
}

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

function toWhole(value: unknown, to: 'int' | 'long'): Int32 | Long {
  const [bits, wrap] =
    to === 'int'
      ? ([32, (whole: bigint) => new Int32(Number(whole))] as const)
      : ([64, (whole: bigint) => Long.fromBigInt(whole)] as const);
  let whole: bigint | undefined;
  if (typeof value === 'boolean') whole = value ? 1n : 0n;
  else if (isNumber(value)) whole = truncated(value);
  else if (value instanceof Date && to === 'long') whole = BigInt(value.getTime());
  else if (typeof value === 'string')
    whole = /^[+-]?\d{1,20}$/.test(value) ? BigInt(value.replace(/^\+/, '')) : undefined;
  else throw failure(value, to);
  if (whole === undefined || whole !== BigInt.asIntN(bits, whole)) {
    const reason =
      typeof value === 'string'
        ? `Failed to parse number '${value.slice(0, 100)}'`
        : 'Conversion would overflow target type';
    throw failure(value, to, reason);
  }
  return wrap(whole);
}

const numeral = /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i;

function toDouble(value: unknown): Double {
  if (typeof value === 'boolean') return new Double(Number(value));
  if (value instanceof Date) return new Double(value.getTime());
  if (typeof value === 'string') {
    if (!numeral.test(value) && !/^[+-]?(inf|infinity|nan)$/i.test(value))
      throw failure(value, 'double', `Failed to parse number '${value.slice(0, 100)}'`);
    return new Double(
      numeral.test(value)
        ? Number(value)
        : /nan/i.test(value)
          ? Number.NaN
          : value.startsWith('-')
            ? Number.NEGATIVE_INFINITY
            : Number.POSITIVE_INFINITY,
    );
  }
  const number = nearestDouble(value);
  if (number === undefined) throw failure(value, 'double');
  if (!Number.isFinite(number) && value instanceof Decimal128 && /\d/.test(value.toString()))
    throw failure(value, 'double', 'Conversion would overflow target type');
  return new Double(number);
}

function toDecimal(value: unknown): Decimal128 {
  if (value instanceof Decimal128) return value;
  if (value instanceof Int32 || value instanceof Long) return Decimal128.fromString(value.toString());
  if (value instanceof Double)
    return Number.isFinite(value.value) ? Decimal128.fromString(value.value.toPrecision(15)) : decimalFrom(value.value);
  if (typeof value === 'boolean') return Decimal128.fromString(value ? '1' : '0');
  if (value instanceof Date) return Decimal128.fromString(String(value.getTime()));
  if (typeof value !== 'string') throw failure(value, 'decimal');
  try {
    return Decimal128.fromStringWithRounding(value);
  } catch {
    throw failure(value, 'decimal', `Failed to parse number '${value.slice(0, 100)}'`);
  }
}

function toDate(value: unknown): Date {
  if (value instanceof Date) return value;
  if (value instanceof ObjectId) return value.getTimestamp();
  if (typeOf(value) === 'timestamp') return new Date((value as Timestamp).getHighBitsUnsigned() * 1000);
  if (typeof value === 'string') {
    const date = parseDate(value, 'UTC');
    if (!date) throw failure(value, 'date', `Error parsing date string '${value.slice(0, 100)}'`);
    return date;
  }
  if (!isNumber(value) || value instanceof Int32) throw failure(value, 'date');
  const whole = truncated(value);
  const date = new Date(whole === undefined ? Number.NaN : Number(whole));
  if (Number.isNaN(date.getTime())) throw failure(value, 'date', 'Conversion would overflow target type');
  return date;
}

const conversions: Partial<Record<TypeName, (value: unknown) => unknown>> = {
  bool: isTruthy,
  date: toDate,
  decimal: toDecimal,
  double: toDouble,
  int: (value) => toWhole(value, 'int'),
  long: (value) => toWhole(value, 'long'),
  objectId: (value) => {
    if (value instanceof ObjectId) return value;
    if (typeof value !== 'string') throw failure(value, 'objectId');
    if (!/^[0-9a-f]{24}$/i.test(value))
      throw failure(value, 'objectId', `Failed to parse objectId '${value.slice(0, 100)}'`);
    return new ObjectId(value);
  },
  string: (value) => {
    const text = textOf(value);
    if (text === undefined || typeOf(value) === 'timestamp') throw failure(value, 'string');
    return text;
  },
};

function targetOf(to: unknown): TypeName {
  const code = integerOf(to);
  const name = typeof to === 'string' ? to : Object.entries(typeCodes).find(([, known]) => known === code)?.[0];
  if (name === undefined || !Object.hasOwn(typeCodes, name))
    throw failedToParse(`$convert's 'to' argument is no type: ${String(to)}`);
  return name as TypeName;
}

function compileConvert(argument: unknown, scope: Scope, name: string): Expression {
  const given = namedArguments(argument, name, ['input', 'to', 'onError?', 'onNull?'], [9, 9, 9]);
  const part = (key: string): Expression | undefined => (given.has(key) ? scope.compile(given.get(key)) : undefined);
  const [input, to] = [scope.compile(given.get('input')), scope.compile(given.get('to'))];
  const [onError, onNull] = [part('onError'), part('onNull')];
  return (frame) => {
    const [value, type] = [input(frame), to(frame)];
    if (value == null) return onNull ? onNull(frame) : null;
    if (type == null) return null;
    const target = targetOf(type);
    try {
      const convert = conversions[target];
      if (!convert) throw failure(value, target);
      return convert(value);
    } catch (error) {
      if (onError && error instanceof StoreError && error.code === 241) return onError(frame);
      throw error;
    }
  };
}

function converting(to: TypeName): Operator {
  return unary((value) => conversions[to]?.(value));
}

export const conversionOperators: Readonly<Record<string, Operator>> = {
  $binarySize: unary((value) => {
    const type = typeOf(value);
    if (type !== 'string' && type !== 'binData')
      throw locationError(51276, `$binarySize requires a string or BinData argument, found: ${type}`);
    return new Int32(typeof value === 'string' ? Buffer.byteLength(value) : binaryParts(value).bytes.length);
  }),
  $convert: compileConvert,
  $isNumber: operator(1, 1, ([value]) => isNumber(value)),
  $toBool: converting('bool'),
  $toDate: converting('date'),
  $toDecimal: converting('decimal'),
  $toDouble: converting('double'),
  $toInt: converting('int'),
  $toLong: converting('long'),
  $toObjectId: converting('objectId'),
  $toString: converting('string'),
  $type: operator(1, 1, ([value]) => typeOf(value)),
};
