import { BSONRegExp, type Document } from 'bson';
import { isOperatorDocument } from '../query/match-operators.ts';
import { fieldNames, getField, isArrayIndex, isFields } from '../values/fields.ts';
import { encodeKey } from '../values/keys.ts';
import { typeOrder } from '../values/order.ts';
import { bracketOf, type Interval, pointInterval, prefixInterval, rangeInterval, union } from './bounds.ts';

/** What one clause of a filter says about the keys of a field: they lie in `intervals`. */
export interface Predicate {
  path: string;
  readonly intervals: Interval[];
  /** True when a document without arrays matches the clause exactly if its key lies in the intervals. */
  exact: boolean;
  /** The value, when the clause says that the field equals it. */
  equals?: { value: unknown };
  /** True when a document that lacks the field can't match. */
  impliesExistence: boolean;
}

/** One operator of a filter on one field. */
export interface Condition {
  path: string;
  operator: string;
  operand: unknown;
}

/** A filter as far as indexes can help with it; the clauses of all parts must hold. */
export interface Predicates {
  fields: Predicate[];
  /** The branches of each `$or`. */
  alternatives: Document[][];
  /** Each operator on a field, for the comparison with partial filters. */
  conditions: Condition[];
  /** True when `fields` says everything that the filter says. */
  complete: boolean;
}

/** Reads what a filter, which the matcher has already accepted, says about single fields. */
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

/** The operators of a condition, an implicit equality included. */
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
      return startsWith(path, operand);
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
 * What `$in` says. An array equals arrays as a whole, and an index has their elements. Null also finds what is missing, and an
 * index has `undefined` for an empty array, in which things may be missing; where a number in the path names an element,
 * it does not show that the other elements lack a field of that name.
 */
function membership(path: string, values: unknown[]): Predicate | undefined {
  if (values.some((value) => Array.isArray(value) || value instanceof BSONRegExp)) return undefined;
  const withNull = values.some((value) => value == null);
  if (withNull && path.split('.').some(isArrayIndex)) return undefined;
  let intervals: Interval[] | undefined;
  return {
    path,
    // A long list is made keys of only if there is an index on the path.
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
  if (!RANGED_TYPES.has(typeOrder(value)) || isNotANumber(value)) return undefined;
  const interval = rangeInterval(operator, value);
  return { path, intervals: union([interval]), exact: true, impliesExistence: true };
}

const NAN_KEY = encodeKey(Number.NaN);

function isNotANumber(value: unknown): boolean {
  return typeOrder(value) === 15 && encodeKey(value).equals(NAN_KEY);
}

const PLAIN_PREFIX = /^\^([A-Za-z0-9 _@:/=,;<>~!"'%&#-]+)(.?)/;

/** A regular expression that begins with plain characters is a range of strings; regular expressions match themselves too. */
function startsWith(path: string, operand: unknown): Predicate | undefined {
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
    intervals: union([prefixInterval(key.subarray(0, key.length - 2)), bracketOf(new BSONRegExp(pattern))]),
    exact: false,
    impliesExistence: true,
  };
}
