import { StoreError } from '../errors.ts';
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

/** What lies in a document under a name, or in an array at an index. */
export function valueAt(container: unknown, part: string): unknown {
  if (isFields(container)) return getField(container, part);
  return Array.isArray(container) && isArrayIndex(part) ? container[Number(part)] : undefined;
}

/** A value as messages show it, cut short. */
export function shown(value: unknown): string {
  return describeValue(value).slice(0, 200);
}

/** A field and its document, as messages tell of them. */
export function place({ path, document }: UpdateContext): string {
  return `field '${path}' of the document with _id ${shown(getField(document, '_id'))}`;
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
