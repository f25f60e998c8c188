import type { Document } from 'bson';
import { locationError } from '../errors.ts';
import { compileProjection } from '../query/project.ts';
import { copyFields, type Fields, fieldNames, getField, isFields, removeField, setField } from '../values/fields.ts';
import { fieldPathParts } from '../values/path.ts';
import { compileReader } from './expression.ts';
import type { Expression, Frame, Scope } from './operator.ts';

/** One document becomes another. The argument is not changed; the result may share values with it. */
export type Shape = (document: Document) => Document;

type CompileShape = (argument: unknown, scope: Scope, name: string) => Shape;

/** The fields that `$set` computes, as a tree. */
type Branch = Map<string, Expression | Branch>;

function compileAddFields(argument: unknown, scope: Scope, name: string): Shape {
  if (!isFields(argument)) throw locationError(40272, `${name} specification stage must be an object`);
  const root: Branch = new Map();
  const visit = (operand: unknown, path: readonly string[]): void => {
    const names = isFields(operand) ? fieldNames(operand) : [];
    if (path.length > 0 && (names.length === 0 || names[0]?.startsWith('$'))) place(root, path, scope.compile(operand));
    else for (const field of names) visit(getField(operand as Fields, field), [...path, ...fieldPathParts(field)]);
  };
  visit(argument, []);
  return (document) => {
    scope.frame.begin(document);
    return compute(document, root, scope.frame) as Document;
  };
}

function place(root: Branch, path: readonly string[], expression: Expression): void {
  let parent = root;
  for (const part of path.slice(0, -1)) {
    const child = parent.get(part) ?? new Map();
    if (!(child instanceof Map)) throw collision(path);
    parent.set(part, child);
    parent = child;
  }
  const last = path.at(-1) as string;
  if (parent.has(last)) throw collision(path);
  parent.set(last, expression);
}

function collision(path: readonly string[]): Error {
  return locationError(40176, `specification contains two conflicting paths at '${path.join('.')}'`);
}

/** Sets the computed fields; all expressions see the document as it came. */
function compute(document: Fields, branch: Branch, frame: Frame): Fields {
  let result = copyFields(document);
  for (const [name, node] of branch) {
    const value = node instanceof Map ? computeValue(getField(document, name), node, frame) : node(frame);
    if (value === undefined) removeField(result, name);
    else result = setField(result, name, value);
  }
  return result;
}

/** Inside an array, each element gets the fields; what is no document becomes one. */
function computeValue(value: unknown, branch: Branch, frame: Frame): unknown {
  if (!Array.isArray(value)) return compute(isFields(value) ? value : {}, branch, frame);
  frame.spend(value.length);
  return value.map((element) => computeValue(element, branch, frame));
}

function compileUnset(argument: unknown): Shape {
  const paths: unknown[] = Array.isArray(argument) ? argument : [argument];
  if (paths.length === 0 || !paths.every((path) => typeof path === 'string' && path !== '')) {
    throw locationError(31002, '$unset specification must be a string or an array of strings');
  }
  return compileProjection(Object.fromEntries(paths.map((path) => [path, false])));
}

function compileProject(argument: unknown, scope: Scope): Shape {
  if (!isFields(argument)) throw locationError(15969, '$project specification must be an object');
  if (fieldNames(argument).length === 0) {
    throw locationError(51272, 'projection specification must have at least one field');
  }
  return compileProjection(argument, undefined, scope);
}

function compileReplaceRoot(argument: unknown, scope: Scope, name: string): Shape {
  const byName = name === '$replaceRoot';
  if (byName && !isFields(argument))
    throw locationError(40229, 'expected an object as specification for $replaceRoot stage');
  const operand = byName ? getField(argument as Fields, 'newRoot') : argument;
  if (operand === undefined) throw locationError(40231, 'no newRoot specified for the $replaceRoot stage');
  const read = compileReader(operand, scope);
  return (document) => {
    const root = read(document);
    if (isFields(root)) return root as Document;
    throw locationError(40228, "'newRoot' expression must evaluate to an object, but resulting value was not one");
  };
}

/** The stages that make of each document another one, by themselves. */
export const shapes: ReadonlyMap<string, CompileShape> = new Map<string, CompileShape>([
  ['$addFields', compileAddFields],
  ['$project', compileProject],
  ['$replaceRoot', compileReplaceRoot],
  ['$replaceWith', compileReplaceRoot],
  ['$set', compileAddFields],
  ['$unset', compileUnset],
]);
