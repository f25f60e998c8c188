import { BSONRegExp, type Document } from 'bson';
import { isOperatorDocument } from '../query/match-operators.ts';
import { fieldNames, getField, isArrayIndex, isFields } from '../values/fields.ts';
import { encodeKey } from '../values/keys.ts';
import { typeOrder } from '../values/order.ts';
import { type Interval, pointInterval, prefixInterval, rangeInterval, typeInterval, union } from './bounds.ts';

/** A filter clause on one field, as ranges of keys. */
export interface Predicate {
  path: string;
  readonly intervals: Interval[];
  /** True if, without arrays, the clause matches exactly the keys in the intervals. */
  exact: boolean;
  equals?: { value: unknown };
  /** True if documents without the field cannot match. */
  impliesExistence: boolean;
}

export interface Condition {
  path: string;
  operator: string;
  operand: unknown;
}

/** The parts of a filter that indexes can serve. All must hold. */
export interface Predicates {
  fields: Predicate[];
  alternatives: Document[][];
  conditions: Condition[];
  /** True if `fields` covers the whole filter. */
  complete: boolean;
}

export function readPredicates(filter: Document): Predicates {
  const predicates: Predicates = { fields: [], alternatives: [], conditions: [], complete: true };
  readFilter(filter, predicates);
  return predicates;
}

function readFilter(filter: Document, into: Predicates): void {
  if (!isFields(filter)) {
    into.complete = false;
    return;
  }
  for (const name of fieldNames(filter)) {
    const condition = getField(filter, name);
    if (name === '$and' && Array.isArray(condition)) for (const part of condition) readFilter(part as Document, into);
    else if (name === '$or' && Array.isArray(condition)) readAlternatives(condition, into);
    else if (name === '$comment') continue;
    else if (name.startsWith('$')) into.complete = false;
    else readCondition(name, condition, into);
  }
}

function readAlternatives(branches: unknown[], into: Predicates): void {
  if (branches.length === 1) {
    readFilter(branches[0] as Document, into);
    return;
  }
  into.complete = false;
  into.alternatives.push(branches as Document[]);
}

function readCondition(path: string, condition: unknown, into: Predicates): void {
  const operators = operatorsOf(condition);
  const withOptions = operators.some(([operator]) => operator === '$options');
  for (const [operator, operand] of operators) {
    into.conditions.push({ path, operator, operand });
    const predicate = operator === '$regex' && withOptions ? undefined : readOperator(path, operator, operand);
    if (predicate) into.fields.push(predicate);
    if (!predicate?.exact) into.complete = false;
  }
}

function operatorsOf(condition: unknown): [string, unknown][] {
  if (condition instanceof BSONRegExp) return [['$regex', condition]];
  if (!isOperatorDocument(condition)) return [['$eq', condition]];
  return fieldNames(condition).map((name) => [name, getField(condition, name)]);
}

function readOperator(path: string, operator: string, operand: unknown): Predicate | undefined {
  switch (operator) {
    case '$eq':
      return equality(path, operand);
    case '$in':
      return Array.isArray(operand) ? membership(path, operand) : undefined;
    case '$gt':
    case '$gte':
    case '$lt':
    case '$lte':
      return range(path, operator, operand);
    case '$regex':
      return regexPrefix(path, operand);
    default:
      return undefined;
  }
}

function equality(path: string, value: unknown): Predicate | undefined {
  const predicate = membership(path, [value]);
  if (predicate) predicate.equals = { value };
  return predicate;
}

/**
 * Reads `$in`. Arrays are skipped, because an index holds their elements. Null also matches missing
 * fields. Those have the key `undefined` inside an empty array, and no key at all beside an element
 * that the path names by number.
 */
function membership(path: string, values: unknown[]): Predicate | undefined {
  if (values.some((value) => Array.isArray(value) || value instanceof BSONRegExp)) return undefined;
  const withNull = values.some((value) => value == null);
  if (withNull && path.split('.').some(isArrayIndex)) return undefined;
  let intervals: Interval[] | undefined;
  return {
    path,
    // Computed on demand, since long lists are expensive and often no index has the path.
    get intervals() {
      intervals ??= union([...values, ...(withNull ? [undefined, null] : [])].map(pointInterval));
      return intervals;
    },
    exact: !withNull && !values.some(isFields),
    impliesExistence: !withNull,
  };
}

const RANGED_TYPES = new Set([15, 20, 35, 40, 45, 50, 55]);

function range(path: string, operator: '$gt' | '$gte' | '$lt' | '$lte', value: unknown): Predicate | undefined {
  if (!RANGED_TYPES.has(typeOrder(value)) || isNaNValue(value)) return undefined;
  const interval = rangeInterval(operator, value);
  return { path, intervals: union([interval]), exact: true, impliesExistence: true };
}

const NAN_KEY = encodeKey(Number.NaN);

function isNaNValue(value: unknown): boolean {
  return typeOrder(value) === 15 && encodeKey(value).equals(NAN_KEY);
}

const PLAIN_PREFIX = /^\^([A-Za-z0-9 _@:/=,;<>~!"'%&#-]+)(.?)/;

/** A pattern with a literal prefix is a range of strings. Regular expressions also match themselves. */
function regexPrefix(path: string, operand: unknown): Predicate | undefined {
  const pattern = operand instanceof BSONRegExp ? operand.pattern : operand;
  const options = operand instanceof BSONRegExp ? operand.options : '';
  if (typeof pattern !== 'string' || /[imx]/.test(options) || pattern.includes('|')) return undefined;
  const found = PLAIN_PREFIX.exec(pattern);
  if (!found) return undefined;
  const optional = found[2] !== '' && '*?{'.includes(found[2] as string);
  const prefix = optional ? (found[1] as string).slice(0, -1) : (found[1] as string);
  if (prefix === '') return undefined;
  const key = encodeKey(prefix);
  return {
    path,
    intervals: union([prefixInterval(key.subarray(0, key.length - 2)), typeInterval(new BSONRegExp(pattern))]),
    exact: false,
    impliesExistence: true,
  };
}
