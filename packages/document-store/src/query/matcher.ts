import type { Document } from 'bson';
import { compileCondition } from '../aggregate/expression.ts';
import type { Scope } from '../aggregate/scope.ts';
import { badValue, notSupported } from '../errors.ts';
import { describeValue } from '../values/describe-value.ts';
import { type Fields, fieldNames, getField, isFields } from '../values/fields.ts';
import { integerOf, isNumber } from '../values/numbers.ts';
import { compilePath, visitPath } from '../values/path.ts';
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

type DocumentTest = (document: Fields, details?: MatchDetails) => boolean;

/** A test of what is found at a path: of one value, or a combination that looks the path up for each of its parts. */
type FieldTest =
  | { kind: 'value'; test: (value: unknown, details?: MatchDetails) => boolean; leafArrays: boolean }
  | { kind: 'not'; of: FieldTest }
  | { kind: 'every'; of: FieldTest[] };

const maximumDepth = 100;
/** With one of these first, `$elemMatch` is about documents. */
const DOCUMENT_OPERATORS = new Set(['$and', '$or', '$nor', '$where', '$comment', '$expr']);
const REFERENCE_PARTS = new Set(['$ref', '$id', '$db']);

const TOP_LEVEL_HINTS = [
  "If you have a field name that starts with a '$' symbol, consider using $getField or $setField.",
  'If you are trying to negate an entire expression, use $nor.',
];

const refused = new Set([
  '$where',
  '$text',
  '$jsonSchema',
  '$sampleRate',
  '$near',
  '$nearSphere',
  '$geoWithin',
  '$geoIntersects',
]);

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
    if (name.startsWith('$') && !REFERENCE_PARTS.has(name)) {
      const test = compileLogical(name, operand, depth, scope);
      if (test) tests.push(test);
    } else {
      tests.push(atPath(name, compileField(name, operand, depth)));
    }
  }
  return every(tests);
}

function every(tests: readonly DocumentTest[]): DocumentTest {
  const [first, second] = tests;
  if (!first) return () => true;
  if (!second) return first;
  return (document, details) => {
    for (const test of tests) if (!test(document, details)) return false;
    return true;
  };
}

function compileLogical(
  operator: string,
  operand: unknown,
  depth: number,
  scope: Scope | null | undefined,
): DocumentTest | undefined {
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
    case '$comment':
      return undefined;
    case '$expr': {
      if (scope === null) throw badValue('$expr can only be applied to the top-level document');
      return compileCondition(operand, scope);
    }
    case '$alwaysTrue':
      return () => true;
    case '$alwaysFalse':
      return () => false;
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

/** The test for `{path: operand}`: operators, a pattern, or equality. */
function compileField(path: string, operand: unknown, depth: number): FieldTest {
  if (isRegex(operand)) return onValue(matchingRegex(operand));
  if (!isOperatorDocument(operand)) return onValue(equalTo(operand));
  return compileOperators(path, operand, depth);
}

function compileOperators(path: string, operators: Fields, depth: number): FieldTest {
  if (depth > maximumDepth) throw badValue(`Query exceeds the maximum nesting depth of ${maximumDepth}`);
  const tests: FieldTest[] = [];
  for (const operator of fieldNames(operators)) {
    const operand = getField(operators, operator);
    if (operator === '$options') {
      if (getField(operators, '$regex') === undefined) throw badValue('$options needs a $regex');
    } else if (operator === '$regex') {
      tests.push(onValue(regexOperator(operators)));
    } else {
      tests.push(compileOperator(path, operator, operand, depth));
    }
  }
  return tests.length === 1 ? (tests[0] as FieldTest) : { kind: 'every', of: tests };
}

function compileOperator(path: string, operator: string, operand: unknown, depth: number): FieldTest {
  switch (operator) {
    case '$ne':
      if (isRegex(operand)) throw badValue("Can't have regex as arg to $ne.");
      return { kind: 'not', of: onValue(equalTo(operand)) };
    case '$nin':
      if (!Array.isArray(operand)) throw badValue('$nin needs an array');
      return { kind: 'not', of: compileOperator(path, '$in', operand, depth) };
    case '$not':
      return { kind: 'not', of: compileNegated(path, operand, depth) };
    case '$exists': {
      const exists: FieldTest = { kind: 'value', test: (value) => value !== undefined, leafArrays: false };
      return isTruthy(operand) ? exists : { kind: 'not', of: exists };
    }
    case '$size':
      return onArray(sizeTest(operand));
    case '$all':
      return compileAll(path, operand, depth);
    case '$elemMatch':
      return onArray(compileElemMatch(path, operand, depth));
    default: {
      if (refused.has(operator)) throw notSupported(`${operator} is not supported by this store`);
      const make = Object.hasOwn(valueOperators, operator) ? valueOperators[operator] : undefined;
      if (!make) throw badValue(`unknown operator: ${operator}`);
      if (isRegex(operand) && /^\$[gl]te?$/.test(operator)) {
        throw badValue(`Can't have RegEx as arg to predicate over field '${path}'.`);
      }
      return onValue(make(operand));
    }
  }
}

function compileNegated(path: string, operand: unknown, depth: number): FieldTest {
  if (isRegex(operand)) return onValue(matchingRegex(operand));
  if (!isFields(operand)) throw badValue('$not needs a regex or a document');
  if (fieldNames(operand).length === 0) throw badValue('$not cannot be empty');
  return compileOperators(path, operand, depth + 1);
}

function sizeTest(operand: unknown): (array: readonly unknown[]) => boolean {
  const size = integerOf(operand);
  if (size !== undefined && size >= 0) return (array) => array.length === size;
  const wanted = isNumber(operand)
    ? size === undefined
      ? 'an integer:'
      : 'a non-negative number in:'
    : 'a number in:';
  throw badValue(`Failed to parse $size. Expected ${wanted} $size: ${describeValue(operand)}`);
}

function compileAll(path: string, operand: unknown, depth: number): FieldTest {
  if (!Array.isArray(operand)) throw badValue('$all needs an array');
  if (operand.length === 0) return onValue(() => false);
  const isElemMatch = (value: unknown): value is Fields =>
    isOperatorDocument(value) && getField(value, '$elemMatch') !== undefined;
  const elemMatches = isElemMatch(operand[0]);
  const tests = operand.map((value): FieldTest => {
    if (elemMatches) {
      if (!isElemMatch(value)) throw badValue('$all/$elemMatch has to be consistent');
      return onArray(compileElemMatch(path, getField(value, '$elemMatch'), depth));
    }
    if (isOperatorDocument(value)) throw badValue('no $ expressions in $all');
    return onValue(isRegex(value) ? matchingRegex(value) : equalTo(value));
  });
  return tests.length === 1 ? (tests[0] as FieldTest) : { kind: 'every', of: tests };
}

/** `$elemMatch` with operators tests the elements themselves; with a query, the elements that are documents or arrays. */
function compileElemMatch(
  path: string,
  operand: unknown,
  depth: number,
): (array: readonly unknown[], details?: MatchDetails) => boolean {
  if (!isFields(operand)) throw badValue('$elemMatch needs an Object');
  const first = fieldNames(operand)[0] ?? '';
  const ofValues = first.startsWith('$') && !REFERENCE_PARTS.has(first) && !DOCUMENT_OPERATORS.has(first);
  const test = ofValues
    ? onElement(compileOperators(path, operand, depth + 1))
    : onElementDocument(compileDocument(operand, depth + 1, null));
  return (array, details) => {
    const index = array.findIndex((element) => test(element));
    if (index >= 0 && details) details.arrayIndex = index;
    return index >= 0;
  };
}

function onElementDocument(test: DocumentTest): (element: unknown) => boolean {
  return (element) => {
    if (isFields(element)) return test(element);
    return Array.isArray(element) && test(Object.fromEntries(element.entries()));
  };
}

/** A field test applied to one value, which is looked into no further. */
function onElement(fieldTest: FieldTest): (element: unknown) => boolean {
  switch (fieldTest.kind) {
    case 'value': {
      const { test } = fieldTest;
      return (element) => test(element);
    }
    case 'not': {
      const test = onElement(fieldTest.of);
      return (element) => !test(element);
    }
    case 'every': {
      const tests = fieldTest.of.map(onElement);
      return (element) => tests.every((test) => test(element));
    }
  }
}

function onValue(test: (value: unknown) => boolean): FieldTest {
  return { kind: 'value', test, leafArrays: true };
}

function onArray(test: (array: readonly unknown[], details?: MatchDetails) => boolean): FieldTest {
  return {
    kind: 'value',
    test: (value, details) => Array.isArray(value) && test(value, details),
    leafArrays: false,
  };
}

/** Looks a path up in a document and tests what is there. */
function atPath(name: string, fieldTest: FieldTest): DocumentTest {
  switch (fieldTest.kind) {
    case 'not': {
      const test = atPath(name, fieldTest.of);
      return (document) => !test(document);
    }
    case 'every':
      return every(fieldTest.of.map((part) => atPath(name, part)));
    case 'value':
      return name.includes('.') ? atDottedPath(name, fieldTest) : atTopLevel(name, fieldTest);
  }
}

function atTopLevel(name: string, { test, leafArrays }: FieldTest & { kind: 'value' }): DocumentTest {
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

function atDottedPath(name: string, { test, leafArrays }: FieldTest & { kind: 'value' }): DocumentTest {
  const path = compilePath(name);
  return (document, details) =>
    visitPath(document, path, leafArrays, (value, arrayIndex) => {
      if (!test(value, details)) return false;
      if (details && arrayIndex !== undefined) details.arrayIndex = arrayIndex;
      return true;
    });
}
