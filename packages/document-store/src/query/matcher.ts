import type { Document } from 'bson';
import { compileCondition } from '../aggregate/expression.ts';
import type { Scope } from '../aggregate/scope.ts';
import { badValue, notSupported } from '../errors.ts';
import { describeValue } from '../values/describe-value.ts';
import { type Fields, fieldNames, getField, isFields } from '../values/fields.ts';
import { integerOf, isNumber } from '../values/numbers.ts';
import { compilePath, type Path, visitPath } from '../values/path.ts';
import {
  equalTo,
  isOperatorDocument,
  isRegex,
  isTruthy,
  regexOperator,
  regexTest,
  valueOperators,
} from './match-operators.ts';

interface CompiledFilter {
  (document: Document): boolean;
  /**
   * Returns the index of the array element that matched, which the positional `$` refers to. If
   * several arrays matched, the last one in the query counts.
   */
  positional(document: Document): number | undefined;
}

interface MatchDetails {
  arrayIndex?: number | undefined;
}

/** A predicate on a document, an array element, or a value (undefined if missing). */
type Test<Subject = unknown> = (subject: Subject, details?: MatchDetails) => boolean;
type DocumentTest = Test<Fields>;

/** Applies a predicate to the values at a path. `leafArrays` also tests an array's elements. */
type AtPath = (test: Test, leafArrays: boolean) => DocumentTest;

const MAX_DEPTH = 100;
/** Operators that make `$elemMatch` match documents instead of values. */
const DOCUMENT_OPERATORS = new Set(['$and', '$or', '$nor', '$where', '$comment', '$expr']);
const REFERENCE_PARTS = new Set(['$ref', '$id', '$db']);

const TOP_LEVEL_HINTS = [
  "If you have a field name that starts with a '$' symbol, consider using $getField or $setField.",
  'If you are trying to negate an entire expression, use $nor.',
];

const UNSUPPORTED_OPERATORS = new Set(
  '$where $text $jsonSchema $sampleRate $near $nearSphere $geoWithin $geoIntersects'.split(' '),
);

/**
 * Compiles a query with MongoDB's semantics. `scope` has the variables for `$expr`. Throws BadValue
 * or FailedToParse for malformed queries, and CommandNotSupported (115) for `$where`, `$text`,
 * `$jsonSchema`, and geospatial operators. Predicates throw 51156 when a regular expression takes
 * too long.
 */
export function compileFilter(filter: Document, scope?: Scope): CompiledFilter {
  const test = compileDocument(filter, 0, scope);
  return Object.assign((document: Document) => test(document), {
    positional(document: Document): number | undefined {
      const details: MatchDetails = {};
      test(document, details);
      return details.arrayIndex;
    },
  });
}

function compileDocument(filter: Fields, depth: number, scope?: Scope | null): DocumentTest {
  if (depth > MAX_DEPTH) throw badValue(`Query exceeds the maximum nesting depth of ${MAX_DEPTH}`);
  const tests: DocumentTest[] = [];
  for (const name of fieldNames(filter)) {
    const operand = getField(filter, name);
    if (!name.startsWith('$') || REFERENCE_PARTS.has(name)) tests.push(compileField(atPath(name), operand, depth));
    else if (name !== '$comment') tests.push(compileLogical(name, operand, depth, scope));
  }
  return every(tests);
}

function every<Subject>(tests: readonly Test<Subject>[]): Test<Subject> {
  const [first, second] = tests;
  if (!first) return () => true;
  if (!second) return first;
  return (subject, details) => {
    for (const test of tests) if (!test(subject, details)) return false;
    return true;
  };
}

function not<Subject>(test: Test<Subject>): Test<Subject> {
  return (subject) => !test(subject);
}

function compileLogical(operator: string, operand: unknown, depth: number, scope?: Scope | null): DocumentTest {
  switch (operator) {
    case '$and':
      return every(compileClauses(operator, operand, depth, scope));
    case '$or': {
      const tests = compileClauses(operator, operand, depth, scope);
      return (document, details) => tests.some((test) => test(document, details));
    }
    case '$nor': {
      const tests = compileClauses(operator, operand, depth, scope);
      return (document) => !tests.some((test) => test(document));
    }
    case '$expr': {
      if (scope === null) throw badValue('$expr can only be applied to the top-level document');
      return compileCondition(operand, scope);
    }
    case '$alwaysTrue':
    case '$alwaysFalse':
      return () => operator === '$alwaysTrue';
    default:
      if (UNSUPPORTED_OPERATORS.has(operator)) throw notSupported(`${operator} is not supported by this server`);
      throw badValue(`unknown top level operator: ${operator}. ${TOP_LEVEL_HINTS[Number(operator === '$not')]}`);
  }
}

function compileClauses(operator: string, operand: unknown, depth: number, scope?: Scope | null): DocumentTest[] {
  if (!Array.isArray(operand)) throw badValue(`${operator} must be an array`);
  if (operand.length === 0) throw badValue('$and/$or/$nor must be a nonempty array');
  return operand.map((clause) => {
    if (!isFields(clause)) throw badValue('$or/$and/$nor entries need to be full objects');
    return compileDocument(clause, depth + 1, scope);
  });
}

function compileField(at: AtPath, operand: unknown, depth: number): DocumentTest {
  return isOperatorDocument(operand) ? compileOperators(at, operand, depth) : at(valueTest(operand), true);
}

function valueTest(operand: unknown): Test {
  return isRegex(operand) ? regexTest(operand) : equalTo(operand);
}

function compileOperators(at: AtPath, operators: Fields, depth: number): DocumentTest {
  if (depth > MAX_DEPTH) throw badValue(`Query exceeds the maximum nesting depth of ${MAX_DEPTH}`);
  return every(
    fieldNames(operators).flatMap((operator) => {
      const operand = getField(operators, operator);
      if (operator === '$regex') return at(regexOperator(operators), true);
      if (operator !== '$options') return compileOperator(at, operator, operand, depth);
      if (getField(operators, '$regex') === undefined) throw badValue('$options needs a $regex');
      return [];
    }),
  );
}

function compileOperator(at: AtPath, operator: string, operand: unknown, depth: number): DocumentTest {
  switch (operator) {
    case '$ne':
      if (isRegex(operand)) throw badValue("Can't have regex as arg to $ne.");
      return not(at(equalTo(operand), true));
    case '$nin':
      if (!Array.isArray(operand)) throw badValue('$nin needs an array');
      return not(compileOperator(at, '$in', operand, depth));
    case '$not':
      return not(compileNegated(at, operand, depth));
    case '$exists': {
      const exists = at((value) => value !== undefined, false);
      return isTruthy(operand) ? exists : not(exists);
    }
    case '$size':
      return at(arrayTest(sizeTest(operand)), false);
    case '$all':
      return compileAll(at, operand, depth);
    case '$elemMatch':
      return at(arrayTest(compileElemMatch(operand, depth)), false);
    default: {
      if (UNSUPPORTED_OPERATORS.has(operator)) throw notSupported(`${operator} is not supported by this server`);
      const make = Object.hasOwn(valueOperators, operator) ? valueOperators[operator] : undefined;
      if (!make) throw badValue(`unknown operator: ${operator}`);
      if (isRegex(operand) && /^\$[gl]te?$/.test(operator)) throw badValue(`Can't have RegEx as arg to ${operator}.`);
      return at(make(operand), true);
    }
  }
}

function compileNegated(at: AtPath, operand: unknown, depth: number): DocumentTest {
  if (isRegex(operand)) return at(regexTest(operand), true);
  if (!isFields(operand)) throw badValue('$not needs a regex or a document');
  if (fieldNames(operand).length === 0) throw badValue('$not cannot be empty');
  return compileOperators(at, operand, depth + 1);
}

function arrayTest(test: Test<readonly unknown[]>): Test {
  return (value, details) => Array.isArray(value) && test(value, details);
}

function sizeTest(operand: unknown): (array: readonly unknown[]) => boolean {
  const size = integerOf(operand);
  if (size !== undefined && size >= 0) return (array) => array.length === size;
  const ofNumber = size === undefined ? 'an integer:' : 'a non-negative number in:';
  const wanted = isNumber(operand) ? ofNumber : 'a number in:';
  throw badValue(`Failed to parse $size. Expected ${wanted} $size: ${describeValue(operand)}`);
}

function compileAll(at: AtPath, operand: unknown, depth: number): DocumentTest {
  if (!Array.isArray(operand)) throw badValue('$all needs an array');
  if (operand.length === 0) return () => false;
  const isElemMatch = (value: unknown): value is Fields =>
    isOperatorDocument(value) && getField(value, '$elemMatch') !== undefined;
  const elemMatches = isElemMatch(operand[0]);
  const tests = operand.map((value): DocumentTest => {
    if (elemMatches) {
      if (!isElemMatch(value)) throw badValue('$all/$elemMatch has to be consistent');
      return at(arrayTest(compileElemMatch(getField(value, '$elemMatch'), depth)), false);
    }
    if (isOperatorDocument(value)) throw badValue('no $ expressions in $all');
    return at(valueTest(value), true);
  });
  return every(tests);
}

/** Tests elements with operators, or elements that are documents or arrays with a query. */
function compileElemMatch(operand: unknown, depth: number): Test<readonly unknown[]> {
  if (!isFields(operand)) throw badValue('$elemMatch needs an Object');
  const first = fieldNames(operand)[0] ?? '';
  const ofValues = first.startsWith('$') && !REFERENCE_PARTS.has(first) && !DOCUMENT_OPERATORS.has(first);
  const test = ofValues
    ? (compileOperators((value) => value, operand, depth + 1) as Test)
    : onElementDocument(compileDocument(operand, depth + 1, null));
  return (array, details) => {
    const index = array.findIndex((element) => test(element));
    if (index >= 0 && details) details.arrayIndex = index;
    return index >= 0;
  };
}

function onElementDocument(test: DocumentTest): Test {
  return (element) => {
    if (isFields(element)) return test(element);
    return Array.isArray(element) && test(Object.fromEntries(element.entries()));
  };
}

function atPath(name: string): (test: Test, leafArrays: boolean) => DocumentTest {
  const path = compilePath(name);
  return (test, leafArrays) => (name.includes('.') ? atDottedPath : atTopLevel)(path, test, leafArrays);
}

function atTopLevel({ text: name }: Path, test: Test, leafArrays: boolean): DocumentTest {
  return (document, details) => {
    const value = getField(document, name);
    if (!leafArrays || !Array.isArray(value)) return test(value, details);
    for (let index = 0; index < value.length; index += 1) {
      if (test(value[index], details)) {
        if (details) details.arrayIndex = index;
        return true;
      }
    }
    return test(value, details);
  };
}

function atDottedPath(path: Path, test: Test, leafArrays: boolean): DocumentTest {
  return (document, details) =>
    visitPath(document, path, leafArrays, (value, arrayIndex) => {
      if (!test(value, details)) return false;
      if (details && arrayIndex !== undefined) details.arrayIndex = arrayIndex;
      return true;
    });
}
