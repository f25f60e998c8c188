import type { Document } from 'bson';
import { locationError, type StoreError } from '../errors.ts';
import { isTruthy } from '../query/match-operators.ts';
import { copyFields, type Fields, fieldNames, getField, isFields, removeField, setField } from '../values/fields.ts';
import { isNumber } from '../values/numbers.ts';
import { pathParts } from './expression.ts';
import type { Expression, Frame, Scope } from './operator.ts';

/** One document becomes another. The argument is not changed; the result may share values with it. */
export type Shape = (document: Document) => Document;

/** What becomes of a field: kept, dropped, computed, or gone into. */
type Node = 'keep' | 'drop' | Expression | Branch;
type Branch = Map<string, Node>;

/** `$addFields` and `$set`. */
export function compileAddFields(argument: unknown, scope: Scope, name: string): Shape {
  if (!isFields(argument)) throw locationError(40272, `${name} specification stage must be an object`);
  const root: Branch = new Map();
  const visit = (operand: unknown, path: readonly string[]): void => {
    const names = isFields(operand) ? fieldNames(operand) : [];
    if (path.length > 0 && (names.length === 0 || names[0]?.startsWith('$'))) {
      place(root, path, scope.compile(operand));
      return;
    }
    for (const field of names) visit(getField(operand as Fields, field), [...path, ...pathParts(field)]);
  };
  visit(argument, []);
  return shaping(scope, (document, frame) => compute(document, root, frame));
}

/** `$unset`: a field's path or several. */
export function compileUnset(argument: unknown, scope: Scope): Shape {
  const paths = Array.isArray(argument) ? argument : [argument];
  if (paths.length === 0 || !paths.every((path) => typeof path === 'string' && path !== '')) {
    throw locationError(31002, '$unset specification must be a string or an array of strings');
  }
  const root: Branch = new Map();
  for (const path of paths) place(root, pathParts(path), 'drop');
  return shaping(scope, (document) => exclude(document, root));
}

/** `$replaceRoot` and `$replaceWith`. */
export function compileReplaceRoot(argument: unknown, scope: Scope, name: string): Shape {
  let operand = argument;
  if (name === '$replaceRoot') {
    if (!isFields(argument)) throw locationError(40229, 'expected an object as specification for $replaceRoot stage');
    operand = getField(argument, 'newRoot');
    if (operand === undefined) throw locationError(40231, 'no newRoot specified for the $replaceRoot stage');
  }
  const expression = scope.compile(operand);
  return shaping(scope, (_document, frame) => {
    const root = expression(frame);
    if (!isFields(root)) {
      throw locationError(40228, `'newRoot' expression must evaluate to an object, but resulting value was not one`);
    }
    return root;
  });
}

/** `$project`: inclusion with computed fields, or exclusion. */
export function compileProject(argument: unknown, scope: Scope): Shape {
  if (!isFields(argument)) throw locationError(15969, '$project specification must be an object');
  if (fieldNames(argument).length === 0) {
    throw locationError(
      51272,
      'Invalid $project :: caused by :: projection specification must have at least one field',
    );
  }
  const root: Branch = new Map();
  let inclusion = undefined as boolean | undefined;
  const decide = (path: readonly string[], wanted: boolean, operation: string): void => {
    if (path.length === 1 && path[0] === '_id' && operation !== 'computation') return;
    inclusion ??= wanted;
    if (inclusion === wanted) return;
    const [code, kind] = wanted ? [31253, 'exclusion'] : [31254, 'inclusion'];
    throw locationError(
      code,
      `Invalid $project :: caused by :: Cannot do ${operation} on field ${path.join('.')} in ${kind} projection`,
    );
  };
  const visit = (operand: unknown, path: readonly string[]): void => {
    const names = isFields(operand) ? fieldNames(operand) : undefined;
    if (names?.length === 0) throw locationError(51270, 'An empty sub-projection is not a valid value.');
    if (names && !names[0]?.startsWith('$')) {
      for (const field of names) visit(getField(operand as Fields, field), [...path, ...pathParts(field)]);
    } else if (typeof operand === 'boolean' || isNumber(operand)) {
      const wanted = isTruthy(operand);
      decide(path, wanted, wanted ? 'inclusion' : 'exclusion');
      place(root, path, wanted ? 'keep' : 'drop');
    } else {
      decide(path, true, 'computation');
      place(root, path, scope.compile(operand));
    }
  };
  for (const field of fieldNames(argument)) visit(getField(argument, field), pathParts(field));
  const id = root.get('_id');
  if (inclusion ?? id === 'keep') {
    if (id === undefined) root.set('_id', 'keep');
    if (id === 'drop') root.delete('_id');
    return shaping(scope, (document, frame) => compute(include(document, root), root, frame));
  }
  return shaping(scope, (document) => exclude(document, root));
}

function shaping(scope: Scope, shape: (document: Fields, frame: Frame) => Fields): Shape {
  return (document) => {
    scope.frame.begin(document);
    return shape(document, scope.frame) as Document;
  };
}

function place(root: Branch, path: readonly string[], node: Node): void {
  let parent = root;
  for (const part of path.slice(0, -1)) {
    const child = parent.get(part) ?? new Map();
    if (!(child instanceof Map)) throw collision(path);
    parent.set(part, child);
    parent = child;
  }
  const last = path.at(-1) as string;
  if (parent.has(last)) throw collision(path);
  parent.set(last, node);
}

function collision(path: readonly string[]): StoreError {
  return locationError(31250, `Invalid stage :: caused by :: Path collision at ${path.join('.')}`);
}

/** The fields that are kept, in the document's order. */
function include(document: Fields, branch: Branch): Fields {
  let result: Fields = {};
  for (const name of fieldNames(document)) {
    const node = branch.get(name);
    const value = getField(document, name);
    const kept = node === 'keep' ? value : node instanceof Map ? includeValue(value, node) : undefined;
    if (kept !== undefined) result = setField(result, name, kept);
  }
  return result;
}

function includeValue(value: unknown, branch: Branch): unknown {
  if (isFields(value)) return include(value, branch);
  if (!Array.isArray(value)) return undefined;
  return value.map((element) => includeValue(element, branch)).filter((element) => element !== undefined);
}

function exclude(document: Fields, branch: Branch): Fields {
  let result = copyFields(document);
  for (const [name, node] of branch) {
    const value = getField(document, name);
    if (value === undefined) continue;
    if (node instanceof Map) result = setField(result, name, excludeValue(value, node));
    else if (node === 'drop') removeField(result, name);
  }
  return result;
}

function excludeValue(value: unknown, branch: Branch): unknown {
  if (isFields(value)) return exclude(value, branch);
  return Array.isArray(value) ? value.map((element) => excludeValue(element, branch)) : value;
}

/** Sets the computed fields; all expressions see the document as it came. */
function compute(document: Fields, branch: Branch, frame: Frame): Fields {
  let result = document;
  let copied = false;
  for (const [name, node] of branch) {
    if (typeof node === 'string') continue;
    const before = getField(document, name);
    const value = node instanceof Map ? computeValue(before, node, frame) : node(frame);
    if (value === before) continue;
    if (!copied) result = copyFields(result);
    copied = true;
    if (value === undefined) removeField(result, name);
    else result = setField(result, name, value);
  }
  return result;
}

function computeValue(value: unknown, branch: Branch, frame: Frame): unknown {
  if (Array.isArray(value)) {
    frame.spend(value.length);
    return value.map((element) => computeValue(element, branch, frame));
  }
  if (isFields(value)) return compute(value, branch, frame);
  const made = makes(branch) ? compute({}, branch, frame) : undefined;
  return made ?? value;
}

/** Whether a branch computes anything. */
function makes(branch: Branch): boolean {
  for (const node of branch.values())
    if (typeof node === 'function' || (node instanceof Map && makes(node))) return true;
  return false;
}
