import type { Document } from 'bson';
import { Variables } from '../aggregate/expression.ts';
import type { Expression, Scope } from '../aggregate/operator.ts';
import { locationError, type StoreError } from '../errors.ts';
import { type Fields, fieldNames, getField, isFields } from '../values/fields.ts';
import { integerOf, isNumber, nearestDouble } from '../values/numbers.ts';
import { fieldPathParts } from '../values/path.ts';
import { isTruthy } from './match-operators.ts';
import { compileFilter } from './matcher.ts';
import { unavailableMetadata } from './sort.ts';

/** What a projection does with one field. */
export type ProjectionNode =
  | { kind: 'include' }
  | { kind: 'exclude' }
  | { kind: 'slice'; skip: number | undefined; limit: number }
  /** `test` gives the index of the first element that matches. */
  | { kind: 'elemMatch'; test: (array: readonly unknown[]) => number | undefined }
  | { kind: 'computed'; compute: Expression }
  | ProjectionBranch;

/** A document of fields; `computes` tells that some field under it is made, not taken from the document. */
export interface ProjectionBranch {
  kind: 'branch';
  children: Map<string, ProjectionNode>;
  computes: boolean;
}

const POSITIONAL = /(^|\.)\$(\.|$)/;

/** A `find` projection as a tree. The constructor throws MongoDB's errors for mixes, collisions and malformed operators. */
export class Projection {
  readonly root: ProjectionBranch = branch();
  /** Whether only what is named comes out; otherwise all but what is named. */
  readonly inclusion: boolean;
  /** The path before `.$`. */
  positional: readonly string[] | undefined;
  readonly scope: Scope;
  readonly #filter: Document | undefined;
  /** Undefined until a field other than `_id` decides it. */
  #inclusion: boolean | undefined;
  #hasSlice = false;
  #hasElemMatch = false;

  constructor(specification: Document, filter?: Document, scope: Scope = Variables.of()) {
    this.#filter = filter;
    this.scope = scope;
    for (const name of fieldNames(specification)) this.#readField([], name, getField(specification, name));
    const { children } = this.root;
    const id = children.get('_id')?.kind;
    this.inclusion = this.#inclusion ?? (this.#hasElemMatch && !this.#hasSlice ? true : id === 'include');
    if (this.inclusion && id === undefined) children.set('_id', { kind: 'include' });
    if (!this.inclusion && id === 'include') children.delete('_id');
  }

  #readField(parents: readonly string[], name: string, operand: unknown): void {
    const flag = typeof operand === 'boolean' || isNumber(operand) ? isTruthy(operand) : undefined;
    if (POSITIONAL.test(name)) {
      if (isFields(operand)) {
        throw locationError(31271, 'positional projection cannot be used with an expression or sub object');
      }
      if (flag) {
        this.#readPositional(parents, name);
        return;
      }
    }
    const path = [...parents, ...fieldPathParts(name)];
    if (flag === undefined) {
      if (isFields(operand)) this.#readDocument(path, operand);
      else this.#compute(path, operand);
      return;
    }
    const [verb, other] = flag ? ['inclusion', 'exclusion'] : ['exclusion', 'inclusion'];
    if (path.length > 1 || path[0] !== '_id') {
      this.#decide(flag, flag ? 31253 : 31254, `Cannot do ${verb} on field ${path.join('.')} in ${other} projection`);
    }
    this.#add(path, { kind: flag ? 'include' : 'exclude' });
  }

  #readDocument(path: readonly string[], operand: Fields): void {
    const [operator, ...others] = fieldNames(operand);
    if (operator === undefined) {
      throw locationError(51270, 'An empty sub-projection is not a valid value. Found empty object at path');
    }
    if (!operator.startsWith('$')) {
      for (const name of fieldNames(operand)) this.#readField(path, name, getField(operand, name));
      return;
    }
    if (others.length > 0) throw locationError(31325, `Unknown expression ${operator}`);
    const argument = getField(operand, operator);
    if (operator === '$slice' && !isExpressionSlice(argument)) {
      this.#add(path, readSlice(argument));
      this.#hasSlice = true;
    } else if (operator === '$elemMatch') this.#readElemMatch(path, argument, operand);
    else if (operator === '$meta') throw unavailableMetadata(argument);
    else this.#compute(path, operand);
  }

  #compute(path: readonly string[], operand: unknown): void {
    this.#decide(true, 31310, `Cannot use an expression ${path.join('.')} in an exclusion projection`);
    this.#add(path, { kind: 'computed', compute: this.scope.compile(operand) });
    let node = this.root;
    node.computes = true;
    for (const part of path.slice(0, -1)) {
      node = node.children.get(part) as ProjectionBranch;
      node.computes = true;
    }
  }

  #readElemMatch(path: readonly string[], argument: unknown, operand: Fields): void {
    if (!isFields(argument)) throw locationError(31274, 'elemMatch: Invalid argument, object required');
    if (this.positional) throw locationError(31255, 'Cannot specify positional operator and $elemMatch.');
    if (path.length > 1) throw locationError(31275, 'Cannot use $elemMatch projection on a nested field.');
    const filter = compileFilter({ array: operand });
    this.#add(path, { kind: 'elemMatch', test: (array) => filter.positional({ array }) });
    this.#hasElemMatch = true;
  }

  #readPositional(parents: readonly string[], name: string): void {
    if (this.positional) throw locationError(31276, 'Cannot specify more than one positional projection per query.');
    if (this.#hasElemMatch) throw locationError(31256, 'Cannot specify positional operator and $elemMatch.');
    const end = POSITIONAL.exec(name) as RegExpExecArray;
    const rest = name.slice(end.index + end[0].length);
    if (POSITIONAL.test(rest)) throw locationError(31287, `Cannot use positional operator twice: ${name}`);
    if (name.endsWith('.$.')) throw locationError(31270, "Path cannot end with '.$.'");
    const path = [...parents, ...fieldPathParts(name.slice(0, end.index))];
    if (!this.#filter) throw locationError(51050, 'Projections with a positional operator require a matcher');
    if (!queries(this.#filter, path[0] as string)) {
      throw locationError(31277, `Positional projection '${name}' does not match the query document.`);
    }
    this.#decide(true, 31253, `Cannot do inclusion on field ${name} in exclusion projection`);
    this.#add(path, { kind: 'include' });
    this.positional = path;
  }

  /** Notes that a field makes the projection an inclusion or an exclusion; the two do not mix. */
  #decide(inclusion: boolean, code: number, message: string): void {
    this.#inclusion ??= inclusion;
    if (this.#inclusion !== inclusion) throw locationError(code, message);
  }

  #add(path: readonly string[], node: ProjectionNode): void {
    let parent = this.root;
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
}

function branch(): ProjectionBranch {
  return { kind: 'branch', children: new Map(), computes: false };
}

/** `[array, …]` is the expression `$slice`; `[skip, limit]` and a number are the projection. */
function isExpressionSlice(argument: unknown): boolean {
  if (!Array.isArray(argument)) return false;
  const [first] = argument;
  return (typeof first === 'string' && first.startsWith('$')) || Array.isArray(first) || isFields(first);
}

function readSlice(argument: unknown): ProjectionNode {
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

function truncatedInt(value: unknown): number {
  const whole = integerOf(value) ?? Math.trunc(nearestDouble(value) as number);
  return Number.isNaN(whole) ? 0 : Math.max(-0x80000000, Math.min(0x7fffffff, whole));
}

/** Whether a query has a condition on a top-level field. */
function queries(filter: Fields, field: string): boolean {
  return fieldNames(filter).some((name) => {
    const operand = getField(filter, name);
    if (!name.startsWith('$')) return name.split('.')[0] === field;
    return Array.isArray(operand) && operand.some((clause) => isFields(clause) && queries(clause, field));
  });
}

function collision(code: number, path: readonly string[]): StoreError {
  return locationError(code, `Path collision at ${path.join('.')}`);
}
