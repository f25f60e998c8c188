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
  matchingRegex,
  regexOperator,
  valueOperators,
} from './match-operators.ts';

/** A compiled query: whether a document matches it. */
export interface CompiledFilter {
  (document: Document): boolean;
  /**
   * The index, in the array that the query went through, of the element that made the document match: what the positional
   * `$` stands for. Where several arrays were matched, the last one in the query counts. Undefined where there is none.
   */
  positional(document: Document): number | undefined;
}

/** Where a match notes the array element that it came by. */
interface MatchDetails {
  arrayIndex?: number | undefined;
}

/** A test of a document, or of an array's element, or of a value, which is undefined where a field is missing. */
type Test<Subject = unknown> = (subject: Subject, details?: MatchDetails) => boolean;
type DocumentTest = Test<Fields>;

/** Where a condition looks: it makes of a test of values, of elements singly where `leafArrays`, one of what holds them. */
type Place = (test: Test, leafArrays: boolean) => DocumentTest;

const maximumDepth = 100;
/** With one of these first, `$elemMatch` is about documents. */
const DOCUMENT_OPERATORS = new Set(['$and', '$or', '$nor', '$where', '$comment', '$expr']);
const REFERENCE_PARTS = new Set(['$ref', '$id', '$db']);

const TOP_LEVEL_HINTS = [
  "If you have a field name that starts with a '$' symbol, consider using $getField or $setField.",
  'If you are trying to negate an entire expression, use $nor.',
];

const refused = new Set('$where $text $jsonSchema $sampleRate $near $nearSphere $geoWithin $geoIntersects'.split(' '));

/**
 * Compiles a query document with MongoDB's semantics: comparisons within a type, null for missing fields, arrays by their
 * elements and as a whole. Throws BadValue or FailedToParse for a malformed query, CommandNotSupported (115) for what this
 * store does not do ($where, $text, $jsonSchema, geo); a test throws 51156 where a regular expression takes too long.
 * `scope` has the command's variables, for `$expr`.
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
  if (depth > maximumDepth) throw badValue(`Query exceeds the maximum nesting depth of ${maximumDepth}`);
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

function compileLogical(
  operator: string,
  operand: unknown,
  depth: number,
  scope: Scope | null | undefined,
): DocumentTest {
  switch (operator) {
    case '$and':
      return every(clauses(operator, operand, depth, scope));
    case '$or': {
      const tests = clauses(operator, operand, depth, scope);
      return (document, details) => tests.some((test) => test(document, details));
    }
    case '$nor': {
      const tests = clauses(operator, operand, depth, scope);
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
      if (refused.has(operator)) throw notSupported(`${operator} is not supported by this store`);
      throw badValue(`unknown top level operator: ${operator}. ${TOP_LEVEL_HINTS[Number(operator === '$not')]}`);
  }
}

function clauses(operator: string, operand: unknown, depth: number, scope?: Scope | null): DocumentTest[] {
  if (!Array.isArray(operand)) throw badValue(`${operator} must be an array`);
  if (operand.length === 0) throw badValue('$and/$or/$nor must be a nonempty array');
  return operand.map((clause) => {
    if (!isFields(clause)) throw badValue('$or/$and/$nor entries need to be full objects');
    return compileDocument(clause, depth + 1, scope);
  });
}

/** A field's condition: operators, a pattern, or equality. */
function compileField(at: Place, operand: unknown, depth: number): DocumentTest {
  return isOperatorDocument(operand) ? compileOperators(at, operand, depth) : at(valueTest(operand), true);
}

function valueTest(operand: unknown): Test {
  return isRegex(operand) ? matchingRegex(operand) : equalTo(operand);
}

function compileOperators(at: Place, operators: Fields, depth: number): DocumentTest {
  if (depth > maximumDepth) throw badValue(`Query exceeds the maximum nesting depth of ${maximumDepth}`);
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

function compileOperator(at: Place, operator: string, operand: unknown, depth: number): DocumentTest {
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
      return at(ofArray(sizeTest(operand)), false);
    case '$all':
      return compileAll(at, operand, depth);
    case '$elemMatch':
      return at(ofArray(compileElemMatch(operand, depth)), false);
    default: {
      if (refused.has(operator)) throw notSupported(`${operator} is not supported by this store`);
      const make = Object.hasOwn(valueOperators, operator) ? valueOperators[operator] : undefined;
      if (!make) throw badValue(`unknown operator: ${operator}`);
      if (isRegex(operand) && /^\$[gl]te?$/.test(operator)) throw badValue(`Can't have RegEx as arg to ${operator}.`);
      return at(make(operand), true);
    }
  }
}

function compileNegated(at: Place, operand: unknown, depth: number): DocumentTest {
  if (isRegex(operand)) return at(matchingRegex(operand), true);
  if (!isFields(operand)) throw badValue('$not needs a regex or a document');
  if (fieldNames(operand).length === 0) throw badValue('$not cannot be empty');
  return compileOperators(at, operand, depth + 1);
}

function ofArray(test: Test<readonly unknown[]>): Test {
  return (value, details) => Array.isArray(value) && test(value, details);
}

function sizeTest(operand: unknown): (array: readonly unknown[]) => boolean {
  const size = integerOf(operand);
  if (size !== undefined && size >= 0) return (array) => array.length === size;
  const ofNumber = size === undefined ? 'an integer:' : 'a non-negative number in:';
  const wanted = isNumber(operand) ? ofNumber : 'a number in:';
  throw badValue(`Failed to parse $size. Expected ${wanted} $size: ${describeValue(operand)}`);
}

function compileAll(at: Place, operand: unknown, depth: number): DocumentTest {
  if (!Array.isArray(operand)) throw badValue('$all needs an array');
  if (operand.length === 0) return () => false;
  const isElemMatch = (value: unknown): value is Fields =>
    isOperatorDocument(value) && getField(value, '$elemMatch') !== undefined;
  const elemMatches = isElemMatch(operand[0]);
  const tests = operand.map((value): DocumentTest => {
    if (elemMatches) {
      if (!isElemMatch(value)) throw badValue('$all/$elemMatch has to be consistent');
      return at(ofArray(compileElemMatch(getField(value, '$elemMatch'), depth)), false);
    }
    if (isOperatorDocument(value)) throw badValue('no $ expressions in $all');
    return at(valueTest(value), true);
  });
  return every(tests);
}

/** `$elemMatch` with operators tests the elements themselves; with a query, the elements that are documents or arrays. */
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

/** Looks a path up in a document. */
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
