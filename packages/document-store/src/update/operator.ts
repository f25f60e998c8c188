import { overflow } from '../errors.ts';
import { describeValue } from '../values/describe-value.ts';
import { type Fields, fieldNames, getField, isFields } from '../values/fields.ts';

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
   * the path that can't hold the field is an error, for `skip` alone it is not.
   */
  missing: 'create' | 'skip' | 'refuse';
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

/** A value as messages show it, cut short. */
export function shown(value: unknown): string {
  return describeValue(value).slice(0, 200);
}

/** The `_id` of a document being updated, as messages show it. */
export function shownId(document: Fields): string {
  return `{_id: ${describeValue(getField(document, '_id'))}}`;
}

/** The first of a document's field names that is not among the known ones. */
export function unknownField(document: Fields, known: readonly string[]): string | undefined {
  return fieldNames(document).find((name) => !known.includes(name));
}
