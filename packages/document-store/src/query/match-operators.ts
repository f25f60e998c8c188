import { Binary, type BSONRegExp, Double, Int32, MaxKey, MinKey, ObjectId } from 'bson';
import { badValue, failedToParse, locationError, typeMismatch } from '../errors.ts';
import { describeValue } from '../values/describe-value.ts';
import { type Fields, fieldNames, getField, isFields } from '../values/fields.ts';
import {
  compareExact,
  exactNumber,
  int64Of,
  integerOf,
  isNumber,
  nearestDouble,
  truncateToInt64,
} from '../values/numbers.ts';
import { binaryParts, compareValues, equalValues, regexParts, stringOf, typeOrder } from '../values/order.ts';
import { type TypeName, typeCodes, typeName } from '../values/types.ts';
import { compileRegex } from './regex.ts';

/** A predicate on a value, which is undefined if the field is missing. */
type ValueTest = (value: unknown) => boolean;

export const valueOperators: Readonly<Record<string, (operand: unknown) => ValueTest>> = {
  $eq: equalTo,
  $gt: (operand) => comparedTo(operand, (order) => order > 0),
  $gte: (operand) => comparedTo(operand, (order) => order >= 0),
  $lt: (operand) => comparedTo(operand, (order) => order < 0),
  $lte: (operand) => comparedTo(operand, (order) => order <= 0),
  $in: oneOf,
  $type: ofType,
  $mod: moduloTest,
  $bitsAllSet: (operand) => compileBitsTest('$bitsAllSet', operand),
  $bitsAllClear: (operand) => compileBitsTest('$bitsAllClear', operand),
  $bitsAnySet: (operand) => compileBitsTest('$bitsAnySet', operand),
  $bitsAnyClear: (operand) => compileBitsTest('$bitsAnyClear', operand),
};

/** Tests equality. Null also equals a missing field, and a regular expression only itself. */
export function equalTo(operand: unknown): ValueTest {
  if (operand === undefined) throw badValue('cannot compare to undefined');
  if (operand === null) return (value) => value == null;
  if (typeof operand === 'boolean') return (value) => value === operand;
  if (typeof operand === 'string') {
    return (value) => value === operand || (typeof value === 'object' && equalValues(value, operand));
  }
  if (operand instanceof ObjectId) {
    const bytes = operand.id;
    return (value) => value instanceof ObjectId && Buffer.compare(value.id, bytes) === 0;
  }
  if (operand instanceof Int32 || operand instanceof Double) {
    const number = Number(operand.value);
    return (value) => (value instanceof Int32 ? value.value === number : equalValues(value, operand));
  }
  return (value) => equalValues(value, operand);
}

/** Compares within the operand's type. MinKey and MaxKey compare with every type. */
function comparedTo(operand: unknown, accepts: (order: number) => boolean): ValueTest {
  if (operand === undefined) throw badValue('cannot compare to undefined');
  if (operand === null) return accepts(0) ? (value) => value == null : () => false;
  if (operand instanceof MinKey) return (value) => accepts(value instanceof MinKey ? 0 : 1);
  if (operand instanceof MaxKey) return (value) => accepts(value instanceof MaxKey ? 0 : -1);
  if (isNumber(operand)) {
    const exact = exactNumber(operand);
    if (Number.isNaN(exact)) return accepts(0) ? (value) => Number.isNaN(nearestDouble(value)) : () => false;
    return (value) => {
      if (!isNumber(value)) return false;
      const number = exactNumber(value);
      return !Number.isNaN(number) && accepts(compareExact(number, exact));
    };
  }
  const order = typeOrder(operand);
  return (value) => typeOrder(value) === order && accepts(compareValues(value, operand));
}

function oneOf(operand: unknown): ValueTest {
  if (!Array.isArray(operand)) throw badValue('$in needs an array');
  const tests: ValueTest[] = [];
  const values: unknown[] = [];
  for (const value of operand) {
    if (value === undefined) throw badValue('cannot compare to undefined');
    if (isOperatorDocument(value)) throw badValue('cannot nest $ under $in');
    if (isRegex(value)) tests.push(regexTest(value));
    else values.push(value);
  }
  if (values.length <= 4) tests.unshift(...values.map(equalTo));
  else tests.unshift(inSorted(values));
  return (value) => {
    for (const test of tests) if (test(value)) return true;
    return false;
  };
}

function inSorted(values: readonly unknown[]): ValueTest {
  const strings = new Set(values.filter((value) => typeof value === 'string'));
  const others = values.filter((value) => typeof value !== 'string').sort(compareValues);
  const symbols = others.filter((value) => typeName(value) === 'symbol');
  return (value) => {
    if (typeof value === 'string') return strings.has(value) || symbols.some((symbol) => equalValues(value, symbol));
    if (others.length > 0 && includesSorted(others, value === undefined ? null : value)) return true;
    return typeName(value) === 'symbol' && strings.has(stringOf(value));
  };
}

function includesSorted(sorted: readonly unknown[], value: unknown): boolean {
  let low = 0;
  let high = sorted.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    const order = compareValues(sorted[middle], value);
    if (order === 0) return true;
    if (order < 0) low = middle + 1;
    else high = middle;
  }
  return false;
}

export function regexTest(operand: BSONRegExp | RegExp): ValueTest {
  const { pattern, options } = regexParts(operand);
  return patternTest(pattern, options);
}

/** Matches strings, symbols, and the identical regular expression. */
function patternTest(pattern: string, options: string): ValueTest {
  const test = compileRegex(pattern, options);
  return (value) => {
    if (typeof value === 'string') return test(value);
    const name = typeName(value);
    if (name === 'symbol') return test(stringOf(value));
    if (name !== 'regex') return false;
    const parts = regexParts(value);
    return parts.pattern === pattern && parts.options === options;
  };
}

export function regexOperator(operators: Fields): ValueTest {
  const operand = getField(operators, '$regex');
  const options = getField(operators, '$options');
  if (options !== undefined && typeof options !== 'string') throw badValue('$options has to be a string');
  if (typeof operand === 'string') return patternTest(operand, options ?? '');
  if (!isRegex(operand)) throw badValue('$regex has to be a string');
  const parts = regexParts(operand);
  if (options && parts.options !== '') {
    const names = fieldNames(operators);
    const code = names.indexOf('$regex') < names.indexOf('$options') ? 51075 : 51074;
    throw locationError(code, 'options set in both $regex and $options');
  }
  return patternTest(parts.pattern, options ?? parts.options);
}

function ofType(operand: unknown): ValueTest {
  const names = new Set<TypeName>();
  const listed = Array.isArray(operand) ? operand : [operand];
  if (listed.length === 0) throw failedToParse('$type must match at least one type');
  for (const type of listed) for (const name of typesOf(type)) names.add(name);
  return (value) => value !== undefined && names.has(typeName(value));
}

const NUMBER_TYPES: readonly TypeName[] = ['int', 'long', 'double', 'decimal'];

function typesOf(type: unknown): readonly TypeName[] {
  if (typeof type === 'string') {
    if (type === 'number') return NUMBER_TYPES;
    if (!Object.hasOwn(typeCodes, type)) throw badValue(`Unknown type name alias: ${type}`);
    return [type as TypeName];
  }
  if (!isNumber(type)) throw typeMismatch('type must be represented as a number or a string');
  const code = integerOf(type);
  if (code === 0) throw failedToParse('$type: 0 is not supported; use {$exists: false}');
  const name = (Object.keys(typeCodes) as TypeName[]).find((candidate) => typeCodes[candidate] === code);
  if (!name) throw badValue(`Invalid numerical type code: ${nearestDouble(type)}`);
  return [name];
}

function moduloTest(operand: unknown): ValueTest {
  if (!Array.isArray(operand)) throw badValue('malformed mod, needs to be an array');
  if (operand.length < 2) throw badValue('malformed mod, not enough elements');
  if (operand.length > 2) throw badValue('malformed mod, too many elements');
  const divisor = truncateToInt64(operand[0]);
  const remainder = truncateToInt64(operand[1]);
  if (divisor === undefined) throw badValue('malformed mod, divisor not a number');
  if (remainder === undefined) throw badValue('malformed mod, remainder not a number');
  if (divisor === 0n) throw badValue('divisor cannot be 0');
  return (value) => {
    if (value instanceof Int32) return BigInt(value.value) % divisor === remainder;
    const dividend = truncateToInt64(value);
    return dividend !== undefined && dividend % divisor === remainder;
  };
}

export function isRegex(value: unknown): value is BSONRegExp | RegExp {
  return typeof value === 'object' && value !== null && typeName(value) === 'regex';
}

/** True if the first field is an operator. A `{$ref, $id}` reference is a value. */
export function isOperatorDocument(value: unknown): value is Fields {
  if (!isFields(value)) return false;
  const names = fieldNames(value);
  return names[0]?.startsWith('$') === true && !(names.includes('$ref') && names.includes('$id'));
}

/** True unless false, null, missing, or zero. */
export function isTruthy(value: unknown): boolean {
  if (isNumber(value)) {
    const exact = exactNumber(value);
    return typeof exact === 'object' ? !exact.isZero() : exact !== 0;
  }
  return value !== false && value != null;
}

type BitReader = (position: number) => boolean;

/**
 * Compiles `$bitsAllSet`, `$bitsAllClear`, `$bitsAnySet`, or `$bitsAnyClear`. The operand is a
 * number, binary data, or a list of positions. Integers are sign-extended.
 */
function compileBitsTest(operator: string, operand: unknown): (value: unknown) => boolean {
  const positions = bitPositions(operator, operand);
  const wanted = operator.endsWith('Set');
  const all = operator.startsWith('$bitsAll');
  return (value) => {
    const bit = bitReader(value);
    if (!bit) return false;
    const asked = (position: number): boolean => bit(position) === wanted;
    return all ? positions.every(asked) : positions.some(asked);
  };
}

function bitPositions(operator: string, operand: unknown): number[] {
  if (Array.isArray(operand)) {
    return operand.map((position) => {
      const number = integerOf(position);
      if (number !== undefined && number >= 0 && number <= 0x7fffffff) return number;
      throw badValue(`Failed to parse bit position. Expected a non-negative integer: ${describeValue(position)}`);
    });
  }
  const bit = bitReader(operand);
  if (operand instanceof Binary && bit) return [...Array(operand.position * 8).keys()].filter(bit);
  if (!isNumber(operand)) {
    throw badValue(`${operator} takes an Array, a number, or a BinData but received: ${describeValue(operand)}`);
  }
  if (!bit) throw failedToParse(`Expected an integer: ${operator}: ${describeValue(operand)}`);
  if (bit(63)) throw failedToParse(`Expected a non-negative number in: ${operator}: ${describeValue(operand)}`);
  return [...Array(63).keys()].filter(bit);
}

function bitReader(value: unknown): BitReader | undefined {
  if (value instanceof Binary || value instanceof Uint8Array) {
    const { bytes } = binaryParts(value);
    return (position) => (((bytes[position >> 3] ?? 0) >> (position & 7)) & 1) === 1;
  }
  const integer = int64Of(value);
  if (integer === undefined) return undefined;
  return (position) => ((integer >> BigInt(Math.min(position, 63))) & 1n) === 1n;
}
