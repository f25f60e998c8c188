import { badValue, conflictingUpdate, dollarPrefixedFieldName, emptyFieldName, overflow } from '../errors.ts';
import { type Fields, getField, isArrayIndex, isFields } from '../values/fields.ts';
import type { UpdateOperator } from './update-operator.ts';

/** Documents may be nested this deep, as in MongoDB. */
const maximumDepth = 180;

/** One field's change: an operator at a path, whose parts may be `$`, `$[]` and `$[identifier]`. */
export interface Modification {
  readonly path: string;
  readonly parts: readonly string[];
  readonly operator: UpdateOperator;
  /** Whether the path has parts that each document decides. */
  readonly dynamic: boolean;
}

/** A test of an array's element, by the identifier of its filter. */
export type ElementTests = ReadonlyMap<string, (element: unknown) => boolean>;

/** Checks a path and puts it together with its operator. Throws for empty, `$`-prefixed and misplaced positional parts. */
export function createModification(path: string, operator: UpdateOperator): Modification {
  if (path === '') throw emptyFieldName('An empty update path is not valid.');
  const parts = path.split('.');
  let positional = 0;
  parts.forEach((part, index) => {
    if (part === '') {
      throw emptyFieldName(`The update path '${path}' contains an empty field name, which is not allowed.`);
    }
    if (!part.startsWith('$')) return;
    if (part === '$') positional += 1;
    if (part === '$' || isFilteredPart(part)) {
      if (index > 0) return;
      const kind = part === '$' ? "positional (i.e. '$') element" : `array filter identifier (i.e. '$[<id>]') element`;
      throw badValue(`Cannot have ${kind} in the first position in path '${path}'`);
    }
    if (index > 0 && ['$id', '$ref', '$db'].includes(part)) return;
    throw dollarPrefixedFieldName(`The dollar ($) prefixed field '${part}' in '${path}' is not valid for storage.`);
  });
  if (positional > 1) throw badValue(`Too many positional (i.e. '$') elements found in path '${path}'`);
  if (parts.length + operator.depth > maximumDepth) {
    throw overflow(`Document exceeds maximum nested object depth: ${maximumDepth}`);
  }
  return { path, parts, operator, dynamic: parts.some((part) => part === '$' || isFilteredPart(part)) };
}

/** Whether a part is `$[]` or `$[identifier]`. */
export function isFilteredPart(part: string): boolean {
  return part.startsWith('$[') && part.endsWith(']');
}

/** How deep a value is nested; a scalar is 0. */
export function nestingDepth(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0;
  let deepest = -1;
  if (Array.isArray(value)) {
    for (const element of value) deepest = Math.max(deepest, nestingDepth(element));
  } else if (isFields(value)) {
    const values = value instanceof Map ? value.values() : Object.values(value);
    for (const element of values) deepest = Math.max(deepest, nestingDepth(element));
  } else {
    return 0;
  }
  return Math.max(deepest, 0) + 1;
}

interface PathNode {
  kind: 'object' | 'array' | 'leaf';
  children: Map<string, PathNode>;
  modification: Modification | undefined;
}

/**
 * Puts modifications in the order in which MongoDB applies them, field by field: names as strings, indexes as numbers.
 * Throws ConflictingUpdateOperators (40) where two paths are the same or one leads through the other.
 */
export function orderModifications(modifications: readonly Modification[]): Modification[] {
  if (modifications.length < 2) return [...modifications];
  const root: PathNode = { kind: 'object', children: new Map(), modification: undefined };
  for (const modification of modifications) place(root, modification);
  const ordered: Modification[] = [];
  collect(root, ordered);
  return ordered;
}

function place(root: PathNode, modification: Modification): void {
  const { parts } = modification;
  let node = root;
  parts.forEach((part, index) => {
    const next = parts[index + 1];
    const kind = next === undefined ? 'leaf' : isFilteredPart(next) ? 'array' : 'object';
    const child = node.children.get(part);
    if (child && (kind === 'leaf' || child.kind !== kind)) {
      throw updateConflict(modification.path, parts.slice(0, index + 1).join('.'));
    }
    const placed = child ?? { kind, children: new Map(), modification: kind === 'leaf' ? modification : undefined };
    node.children.set(part, placed);
    node = placed;
  });
}

function updateConflict(path: string, at: string): Error {
  return conflictingUpdate(`Updating the path '${path}' would create a conflict at '${at}'`);
}

function collect(node: PathNode, ordered: Modification[]): void {
  if (node.modification) ordered.push(node.modification);
  const names = [...node.children.keys()].sort(compareParts);
  for (const name of names) collect(node.children.get(name) as PathNode, ordered);
}

function compareParts(left: string, right: string): number {
  if (isArrayIndex(left) && isArrayIndex(right)) return Number(left) - Number(right);
  return left < right ? -1 : left > right ? 1 : 0;
}

/** A modification at a path that has become concrete for one document. */
export interface Target {
  parts: readonly string[];
  operator: UpdateOperator;
}

/**
 * The concrete paths of modifications in a document. Throws BadValue where a positional part finds no array or no element,
 * ConflictingUpdateOperators (40) where two of them meet in one element.
 */
export function resolveTargets(
  document: Fields,
  modifications: readonly Modification[],
  positional: number | undefined,
  elementTests: ElementTests,
): Target[] {
  const targets: Target[] = [];
  for (const { parts, operator, dynamic } of modifications) {
    if (!dynamic) targets.push({ parts, operator });
    else
      resolve(document, parts, 0, positional, elementTests, (concrete) => targets.push({ parts: concrete, operator }));
  }
  if (modifications.length > 1 && modifications.some(({ dynamic }) => dynamic)) refuseOverlaps(targets);
  return targets;
}

function resolve(
  value: unknown,
  parts: readonly string[],
  from: number,
  positional: number | undefined,
  elementTests: ElementTests,
  add: (concrete: readonly string[]) => void,
): void {
  let current = value;
  for (let index = from; index < parts.length; index += 1) {
    const part = parts[index] as string;
    if (isFilteredPart(part)) {
      resolveElements(current, parts, index, positional, elementTests, add);
      return;
    }
    if (part === '$') {
      if (positional === undefined) {
        throw badValue('The positional operator did not find the match needed from the query.');
      }
      resolve(current, replacePart(parts, index, String(positional)), index, positional, elementTests, add);
      return;
    }
    if (isFields(current)) current = getField(current, part);
    else current = Array.isArray(current) && isArrayIndex(part) ? current[Number(part)] : undefined;
  }
  add(parts);
}

function resolveElements(
  array: unknown,
  parts: readonly string[],
  index: number,
  positional: number | undefined,
  elementTests: ElementTests,
  add: (concrete: readonly string[]) => void,
): void {
  const path = parts.slice(0, index).join('.');
  if (array === undefined) {
    throw badValue(`The path '${path}' must exist in the document in order to apply array updates.`);
  }
  if (!Array.isArray(array)) throw badValue(`Cannot apply array updates to non-array element ${path}`);
  const test = elementTests.get((parts[index] as string).slice(2, -1));
  for (let position = 0; position < array.length; position += 1) {
    if (test && !test(array[position])) continue;
    resolve(array[position], replacePart(parts, index, String(position)), index + 1, positional, elementTests, add);
  }
}

function replacePart(parts: readonly string[], index: number, part: string): string[] {
  const replaced = [...parts];
  replaced[index] = part;
  return replaced;
}

function refuseOverlaps(targets: readonly Target[]): void {
  const paths = new Set<string>();
  for (const { parts } of targets) {
    const path = parts.join('.');
    if (paths.has(path)) throw conflictingUpdate(`Update created a conflict at '${path}'`);
    paths.add(path);
  }
  for (const { parts } of targets) {
    for (let length = 1; length < parts.length; length += 1) {
      const prefix = parts.slice(0, length).join('.');
      if (paths.has(prefix)) throw conflictingUpdate(`Update created a conflict at '${prefix}'`);
    }
  }
}
