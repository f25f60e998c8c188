import { overflow, StoreError } from '../errors.ts';
import { describeValue } from '../values/describe-value.ts';
import { type Fields, fieldNames, getField, isArrayIndex, isFields } from '../values/fields.ts';

/** What a change gives where the field stays as it is. */
export const unchanged = Symbol('unchanged');
/** What a change gives where the field goes. */
export const removed = Symbol('removed');

/** Where and when a change is made. */
export interface UpdateContext {
  /** The path of the field, positional parts replaced by indexes. */
  path: string;
  /** The document before the update. */
  document: Fields;
  /** One time for the whole update. */
  now: Date;
}

/**
 * Gives the new value of a field, `unchanged` or `removed`. `value` is undefined where the field is missing, and must not be
 * changed in place.
 */
export type Change = (value: unknown, context: UpdateContext) => unknown;

/** An operator such as `$inc`. */
export interface UpdateOperator {
  /**
   * What becomes of a missing field: `create` makes it, and the documents on the path to it; the others do nothing. A value on
   * the path that can't hold the field is an error; for `ignore` alone it is not.
   */
  missing: 'create' | 'skip' | 'ignore';
  /** Throws for an operand that the operator does not take. */
  compile(operand: unknown, path: string): Change;
}

/** Documents may be nested this deep, as in MongoDB. */
const maximumDepth = 180;

/** Throws Overflow when a value at a path would make its document too deep. */
export function checkDepth(parts: readonly string[], value: unknown): void {
  if (parts.length + nestingDepth(value) > maximumDepth) {
    throw overflow(`Document exceeds maximum nested object depth: ${maximumDepth}`);
  }
}

/** How deep a value is nested; a scalar is 0. */
function nestingDepth(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0;
  if (!Array.isArray(value) && !isFields(value)) return 0;
  let deepest = 0;
  const inner = Array.isArray(value) || value instanceof Map ? value.values() : Object.values(value);
  for (const element of inner) deepest = Math.max(deepest, nestingDepth(element));
  return deepest + 1;
}

/** What lies in a document under a name, or in an array at an index. */
export function valueAt(container: unknown, part: string): unknown {
  if (isFields(container)) return getField(container, part);
  return Array.isArray(container) && isArrayIndex(part) ? container[Number(part)] : undefined;
}

/** A value as messages show it, cut short. */
export function shown(value: unknown): string {
  return describeValue(value).slice(0, 200);
}

/** The `_id` of a document being updated, as messages show it. */
export function shownId(document: Fields): string {
  const id = getField(document, '_id');
  return id === undefined ? 'no id' : `_id: ${describeValue(id)}`;
}

export function lastPart(path: string): string {
  return path.slice(path.lastIndexOf('.') + 1);
}

/** The first of a document's field names that is not among the known ones. */
export function unknownField(document: Fields, known: readonly string[]): string | undefined {
  return fieldNames(document).find((name) => !known.includes(name));
}

/** Throws QueryFeatureNotAllowed (224) for a query with `$expr`, where that may not be. */
export function refuseExpressions(query: Fields, where = 'in this context'): void {
  for (const name of fieldNames(query)) {
    if (name === '$expr') throw new StoreError(224, 'QueryFeatureNotAllowed', `$expr is not allowed ${where}`);
    const clauses = getField(query, name);
    if (!name.startsWith('$') || !Array.isArray(clauses)) continue;
    for (const clause of clauses) if (isFields(clause)) refuseExpressions(clause, where);
  }
}
