import { StoreError } from '../errors.ts';
import { describeValue } from '../values/describe-value.ts';
import { type Fields, fieldNames, getField, isArrayIndex, isFields } from '../values/fields.ts';

export const unchanged = Symbol('unchanged');
export const removed = Symbol('removed');

export interface UpdateContext {
  path: string;
  document: Fields;
  now: Date;
}

/**
 * Returns a field's new value, `unchanged`, or `removed`. Must not modify `value`. `value` is
 * undefined if the field is missing.
 */
export type Change = (value: unknown, context: UpdateContext) => unknown;

export interface UpdateOperator {
  /**
   * Whether to create a missing field and its parents. If a value on the path cannot hold the
   * field, `ignore` does nothing, and the others throw.
   */
  missing: 'create' | 'skip' | 'ignore';
  compile(operand: unknown, path: string): Change;
}

export function valueAt(container: unknown, part: string): unknown {
  if (isFields(container)) return getField(container, part);
  return Array.isArray(container) && isArrayIndex(part) ? container[Number(part)] : undefined;
}

export function describeShort(value: unknown): string {
  return describeValue(value).slice(0, 200);
}

export function describeField({ path, document }: UpdateContext): string {
  return `field '${path}' of the document with _id ${describeShort(getField(document, '_id'))}`;
}

export function rejectExpressions(query: Fields, where = 'in this context'): void {
  for (const name of fieldNames(query)) {
    if (name === '$expr') throw new StoreError(224, 'QueryFeatureNotAllowed', `$expr is not allowed ${where}`);
    const clauses = getField(query, name);
    if (!name.startsWith('$') || !Array.isArray(clauses)) continue;
    for (const clause of clauses) if (isFields(clause)) rejectExpressions(clause, where);
  }
}
