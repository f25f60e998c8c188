import type { Document } from 'bson';
import { locationError, notSupported, type StoreError } from '../errors.ts';
import { type Fields, fieldNames, getField, isFields } from '../values/fields.ts';
import { integerOf, isNumber, nearestDouble } from '../values/numbers.ts';
import { isTruthy } from './match-operators.ts';
import { compileFilter } from './matcher.ts';

/** What a projection does with one field. */
export type ProjectionNode =
  | { kind: 'include' }
  | { kind: 'exclude' }
  | { kind: 'slice'; skip: number | undefined; limit: number }
  /** `test` gives the index of the first element that matches. */
  | { kind: 'elemMatch'; test: (array: readonly unknown[]) => number | undefined }
  | { kind: 'constant'; value: unknown }
  | ProjectionBranch;

/** A document of fields; `hasConstant` tells that some field under it is made, not taken from the document. */
interface ProjectionBranch {
  kind: 'branch';
  children: Map<string, ProjectionNode>;
  hasConstant: boolean;
}

/** A projection as a tree. */
export interface ParsedProjection {
  /** Whether only what is named comes out; otherwise all but what is named. */
  inclusion: boolean;
  root: ProjectionBranch;
  /** The path before `.$`. */
  positional: string[] | undefined;
}

/** What has been learnt of a projection so far; the type is open until a field other than `_id` decides it. */
interface Parsing {
  root: ProjectionBranch;
  filter: Document | undefined;
  inclusion: boolean | undefined;
  positional: string[] | undefined;
  hasSlice: boolean;
  hasElemMatch: boolean;
}

/** Parses a `find` projection. Throws MongoDB's errors for mixes, collisions and malformed operators. */
export function parseProjection(specification: Document, filter: Document | undefined): ParsedProjection {
  const parsing: Parsing = {
    root: branch(),
    filter,
    inclusion: undefined,
    positional: undefined,
    hasSlice: false,
    hasElemMatch: false,
  };
  for (const name of fieldNames(specification)) parseField(parsing, [], name, getField(specification, name));
  const { children } = parsing.root;
  const id = children.get('_id')?.kind;
  const inclusion =
    parsing.inclusion ?? (parsing.hasSlice ? id === 'include' : parsing.hasElemMatch || id === 'include');
  if (inclusion && id === undefined) children.set('_id', { kind: 'include' });
  if (!inclusion && id === 'include') children.delete('_id');
  return { inclusion, root: parsing.root, positional: parsing.positional };
}

function branch(): ProjectionBranch {
  return { kind: 'branch', children: new Map(), hasConstant: false };
}

function parseField(parsing: Parsing, parents: readonly string[], name: string, operand: unknown): void {
  if (isFields(operand)) {
    if (/\.\$(\.|$)/.test(name)) {
      throw locationError(31271, 'positional projection cannot be used with an expression or sub object');
    }
    parseDocument(parsing, [...parents, ...pathParts(name)], operand);
  } else if (typeof operand !== 'boolean' && !isNumber(operand)) {
    if (typeof operand === 'string' && operand.startsWith('$')) {
      throw notSupported('Aggregation expressions in a find projection are not supported by this store');
    }
    parseConstant(parsing, [...parents, ...pathParts(name)], operand);
  } else if (!isTruthy(operand)) {
    parseExclusion(parsing, [...parents, ...pathParts(name)]);
  } else if (/(^|\.)\$(\.|$)/.test(name)) {
    parsePositional(parsing, parents, name);
  } else {
    const path = [...parents, ...pathParts(name)];
    if (!isId(path)) decide(parsing, true, `Cannot do inclusion on field ${name} in exclusion projection`, 31253);
    add(parsing.root, path, { kind: 'include' });
  }
}

function parseExclusion(parsing: Parsing, path: readonly string[]): void {
  if (!isId(path)) {
    decide(parsing, false, `Cannot do exclusion on field ${path.join('.')} in inclusion projection`, 31254);
  }
  add(parsing.root, path, { kind: 'exclude' });
}

function parseConstant(parsing: Parsing, path: readonly string[], operand: unknown): void {
  decide(parsing, true, `Cannot use an expression ${path.join('.')} in an exclusion projection`, 31310);
  let node = parsing.root;
  node.hasConstant = true;
  add(parsing.root, path, { kind: 'constant', value: operand });
  for (const part of path.slice(0, -1)) {
    node = node.children.get(part) as ProjectionBranch;
    node.hasConstant = true;
  }
}

function parseDocument(parsing: Parsing, path: readonly string[], operand: Fields): void {
  const names = fieldNames(operand);
  const operator = names[0] ?? '';
  if (names.length === 0)
    throw locationError(51270, 'An empty sub-projection is not a valid value. Found empty object at path');
  if (!operator.startsWith('$')) {
    for (const name of names) parseField(parsing, path, name, getField(operand, name));
    return;
  }
  const argument = getField(operand, operator);
  if (names.length > 1) throw locationError(31325, `Unknown expression ${operator}`);
  if (operator === '$slice') {
    add(parsing.root, path, parseSlice(argument));
    parsing.hasSlice = true;
  } else if (operator === '$elemMatch') {
    parseElemMatch(parsing, path, argument, operand);
  } else if (operator === '$literal') {
    parseConstant(parsing, path, argument);
  } else {
    throw notSupported(`${operator} in a find projection is not supported by this store`);
  }
}

function parseSlice(argument: unknown): ProjectionNode {
  if (isNumber(argument)) return { kind: 'slice', skip: undefined, limit: truncatedInt(argument) };
  if (!Array.isArray(argument)) throw locationError(31273, '$slice only supports numbers and [skip, limit] arrays');
  if (argument.length !== 2) throw locationError(31272, '$slice array argument should be of form [skip, limit]');
  const [skip, limit] = argument as [unknown, unknown];
  if (!isNumber(skip)) throw locationError(31257, '$slice expects the skip argument to be a number');
  if (!isNumber(limit)) throw locationError(31258, '$slice expects the limit argument to be a number');
  const count = truncatedInt(limit);
  if (count <= 0) throw locationError(31259, `$slice limit must be positive, got ${count}`);
  return { kind: 'slice', skip: truncatedInt(skip), limit: count };
}

function parseElemMatch(parsing: Parsing, path: readonly string[], argument: unknown, operand: Fields): void {
  if (!isFields(argument)) throw locationError(31274, 'elemMatch: Invalid argument, object required');
  if (parsing.positional) throw locationError(31255, 'Cannot specify positional operator and $elemMatch.');
  const [name] = path as [string];
  if (path.length > 1) throw locationError(31275, 'Cannot use $elemMatch projection on a nested field.');
  const filter = compileFilter({ array: operand });
  add(parsing.root, [name], { kind: 'elemMatch', test: (array) => filter.positional({ array }) });
  parsing.hasElemMatch = true;
}

function parsePositional(parsing: Parsing, parents: readonly string[], name: string): void {
  if (parsing.positional) throw locationError(31276, 'Cannot specify more than one positional projection per query.');
  if (parsing.hasElemMatch) throw locationError(31256, 'Cannot specify positional operator and $elemMatch.');
  const end = /(^|\.)\$(\.|$)/.exec(name) as RegExpExecArray;
  const rest = name.slice(end.index + end[0].length);
  if (/(^|\.)\$(\.|$)/.test(rest)) throw locationError(31287, `Cannot use positional operator twice: ${name}`);
  if (name.endsWith('.$.')) throw locationError(31270, "Path cannot end with '.$.'");
  const path = [...parents, ...pathParts(name.slice(0, end.index))];
  if (!parsing.filter) throw locationError(51050, 'Projections with a positional operator require a matcher');
  if (!queries(parsing.filter, path[0] as string)) {
    throw locationError(31277, `Positional projection '${name}' does not match the query document.`);
  }
  decide(parsing, true, `Cannot do inclusion on field ${name} in exclusion projection`, 31253);
  add(parsing.root, path, { kind: 'include' });
  parsing.positional = path;
}

/** Whether a query has a condition on a top-level field. */
function queries(filter: Fields, field: string): boolean {
  return fieldNames(filter).some((name) => {
    const operand = getField(filter, name);
    if (!name.startsWith('$')) return name.split('.')[0] === field;
    return Array.isArray(operand) && operand.some((clause) => isFields(clause) && queries(clause, field));
  });
}

/** Notes that a field makes the projection an inclusion or an exclusion; the two do not mix. */
function decide(parsing: Parsing, inclusion: boolean, message: string, code: number): void {
  if (parsing.inclusion !== undefined && parsing.inclusion !== inclusion) throw locationError(code, message);
  parsing.inclusion = inclusion;
}

function add(root: ProjectionBranch, path: readonly string[], node: ProjectionNode): void {
  let parent = root;
  for (const part of path.slice(0, -1)) {
    const child = parent.children.get(part) ?? branch();
    if (child.kind !== 'branch') throw collision(31249, path);
    parent.children.set(part, child);
    parent = child;
  }
  const last = path.at(-1) as string;
  if (parent.children.has(last)) throw collision(31250, path);
  parent.children.set(last, node);
}

function collision(code: number, path: readonly string[]): StoreError {
  return locationError(code, `Path collision at ${path.join('.')}`);
}

function pathParts(name: string): string[] {
  if (name === '') throw locationError(40352, 'FieldPath cannot be constructed with empty string');
  if (name.endsWith('.')) throw locationError(40353, "FieldPath must not end with a '.'.");
  const parts = name.split('.');
  for (const part of parts) {
    if (part === '') throw locationError(15998, 'FieldPath field names may not be empty strings.');
    if (part.startsWith('$') && !['$id', '$ref', '$db'].includes(part)) {
      throw locationError(
        16410,
        "FieldPath field names may not start with '$'. Consider using $getField or $setField.",
      );
    }
  }
  return parts;
}

function isId(path: readonly string[]): boolean {
  return path.length === 1 && path[0] === '_id';
}

function truncatedInt(value: unknown): number {
  const whole = integerOf(value) ?? Math.trunc(nearestDouble(value) as number);
  return Number.isNaN(whole) ? 0 : Math.max(-0x80000000, Math.min(0x7fffffff, whole));
}
