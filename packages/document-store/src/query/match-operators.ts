import { type BSONRegExp, Double, Int32, MaxKey, MinKey, ObjectId } from 'bson';
import { badValue, failedToParse, locationError, typeMismatch } from '../errors.ts';
import { type Fields, fieldNames, getField, isFields } from '../values/fields.ts';
import { compareExact, exactNumber, integerOf, isNumber, nearestDouble, truncated } from '../values/numbers.ts';
import { compareValues, equalValues, regexParts, stringOf, typeOrder } from '../values/order.ts';
import { type TypeName, typeCodes, typeName } from '../values/types.ts';
import { bitsTest } from './match-bits.ts';
import { compileRegex } from './regex.ts';

/** A test of one value, which is undefined where the field is missing. */
export type ValueTest = (value: unknown) => boolean;

/** The operators that test one value, each with a maker of the test from its operand. */
export const valueOperators: Readonly<Record<string, (operand: unknown) => ValueTest>> = {
  $eq: equalTo,
  $gt: (operand) => comparedTo(operand, (order) => order > 0),
  $gte: (operand) => comparedTo(operand, (order) => order >= 0),
  $lt: (operand) => comparedTo(operand, (order) => order < 0),
  $lte: (operand) => comparedTo(operand, (order) => order <= 0),
  $in: oneOf,
  $type: ofType,
  $mod: leavingRemainder,
  $bitsAllSet: (operand) => bitsTest('$bitsAllSet', operand),
  $bitsAllClear: (operand) => bitsTest('$bitsAllClear', operand),
  $bitsAnySet: (operand) => bitsTest('$bitsAnySet', operand),
  $bitsAnyClear: (operand) => bitsTest('$bitsAnyClear', operand),
};

/** Equality: null also equals a missing field. A regular expression equals only itself. */
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

/** A comparison within the operand's type; MinKey and MaxKey compare with every type, NaN with itself alone. */
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

/** `$in`: equality with any of a list, in which regular expressions are patterns. */
function oneOf(operand: unknown): ValueTest {
  if (!Array.isArray(operand)) throw badValue('$in needs an array');
  const tests: ValueTest[] = [];
  const values: unknown[] = [];
  for (const value of operand) {
    if (value === undefined) throw badValue('cannot compare to undefined');
    if (isOperatorDocument(value)) throw badValue('cannot nest $ under $in');
    if (isRegex(value)) tests.push(matchingRegex(value));
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
    if (others.length > 0 && holds(others, value === undefined ? null : value)) return true;
    return typeName(value) === 'symbol' && strings.has(stringOf(value));
  };
}

/** Binary search. */
function holds(sorted: readonly unknown[], value: unknown): boolean {
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

/** The test of a regular expression that stands in a query as a value. */
export function matchingRegex(operand: BSONRegExp | RegExp): ValueTest {
  const { pattern, options } = regexParts(operand);
  return matchingPattern(pattern, options);
}

/** A pattern matches strings and symbols, and the regular expression that equals it. */
function matchingPattern(pattern: string, options: string): ValueTest {
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

/** The test of `$regex` with its `$options`, which may stand before it. */
export function regexOperator(operators: Fields): ValueTest {
  const operand = getField(operators, '$regex');
  const options = getField(operators, '$options');
  if (options !== undefined && typeof options !== 'string') throw badValue('$options has to be a string');
  if (typeof operand === 'string') return matchingPattern(operand, options ?? '');
  if (!isRegex(operand)) throw badValue('$regex has to be a string');
  const parts = regexParts(operand);
  if (options && parts.options !== '') {
    const names = fieldNames(operators);
    const code = names.indexOf('$regex') < names.indexOf('$options') ? 51075 : 51074;
    throw locationError(code, 'options set in both $regex and $options');
  }
  return matchingPattern(parts.pattern, options ?? parts.options);
}

function ofType(operand: unknown): ValueTest {
  const names = new Set<TypeName>();
  const listed = Array.isArray(operand) ? operand : [operand];
  if (listed.length === 0) throw failedToParse('$type must match at least one type');
  for (const type of listed) for (const name of typesOf(type)) names.add(name);
  return (value) => value !== undefined && names.has(typeName(value));
}

const numberTypes: readonly TypeName[] = ['int', 'long', 'double', 'decimal'];

function typesOf(type: unknown): readonly TypeName[] {
  if (typeof type === 'string') {
    if (type === 'number') return numberTypes;
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

function leavingRemainder(operand: unknown): ValueTest {
  if (!Array.isArray(operand)) throw badValue('malformed mod, needs to be an array');
  if (operand.length < 2) throw badValue('malformed mod, not enough elements');
  if (operand.length > 2) throw badValue('malformed mod, too many elements');
  const divisor = truncated(operand[0]);
  const remainder = truncated(operand[1]);
  if (divisor === undefined) throw badValue('malformed mod, divisor not a number');
  if (remainder === undefined) throw badValue('malformed mod, remainder not a number');
  if (divisor === 0n) throw badValue('divisor cannot be 0');
  return (value) => {
    if (value instanceof Int32) return BigInt(value.value) % divisor === remainder;
    const dividend = truncated(value);
    return dividend !== undefined && dividend % divisor === remainder;
  };
}

/** Whether a value is a regular expression of BSON or of JavaScript. */
export function isRegex(value: unknown): value is BSONRegExp | RegExp {
  return typeof value === 'object' && value !== null && typeName(value) === 'regex';
}

/** Whether a value is a document whose first field is an operator; `{$ref, $id}` is a reference, so a value. */
export function isOperatorDocument(value: unknown): value is Fields {
  if (!isFields(value)) return false;
  const names = fieldNames(value);
  return names[0]?.startsWith('$') === true && !(names.includes('$ref') && names.includes('$id'));
}

/** MongoDB's truth of an operand: not false, not null, not a zero. */
export function isTruthy(value: unknown): boolean {
  if (isNumber(value)) {
    const exact = exactNumber(value);
    return typeof exact === 'object' ? !exact.isZero() : exact !== 0;
  }
  return value !== false && value != null;
}
