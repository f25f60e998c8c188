import type { Document } from 'bson';
import { type Fields, fieldNames, getField, isFields } from '../values/fields.ts';
import type { Scope } from './scope.ts';

/**
 * What the `$expr` of a filter says about single fields, as conditions that indexes can serve: `{$eq: ['$field', value]}`, also in
 * `$and`. Each holds for all documents for which the expression does; the expression itself decides.
 */
export function equalitiesOf(filter: Fields, scope: Scope): Document[] {
  return clausesOf(filter, '$expr')
    .flatMap((clause) => conjuncts(clause))
    .flatMap((pair) => {
      const [left, right] = pair;
      const equality = fieldEquality(left, right, scope) ?? fieldEquality(right, left, scope);
      return equality ? [equality] : [];
    });
}

/** The operands of an operator at the top of a filter and inside its `$and`. */
function clausesOf(filter: unknown, name: string): unknown[] {
  if (!isFields(filter)) return [];
  return fieldNames(filter).flatMap((field) => {
    const operand = getField(filter, field);
    if (field === name) return [operand];
    return field === '$and' && Array.isArray(operand) ? operand.flatMap((part) => clausesOf(part, name)) : [];
  });
}

function conjuncts(expression: unknown): unknown[][] {
  return clausesOf(expression, '$eq').filter((pair): pair is unknown[] => Array.isArray(pair) && pair.length === 2);
}

function fieldEquality(field: unknown, operand: unknown, scope: Scope): Document | undefined {
  if (typeof field !== 'string' || !/^\$[^$]/.test(field) || !isConstant(operand)) return undefined;
  const value = scope.compile(operand)(scope.frame);
  // A query's equality looks into arrays and takes null for missing: it finds more for every other value, and less for these.
  if (value === undefined || Array.isArray(value)) return undefined;
  return { [field.slice(1)]: { $eq: value } };
}

/** Whether an expression does not look into the document. */
function isConstant(operand: unknown): boolean {
  if (typeof operand === 'string') return !operand.startsWith('$') || /^\$\$(?!ROOT|CURRENT|REMOVE)/.test(operand);
  if (!isFields(operand)) return !Array.isArray(operand);
  return fieldNames(operand).join() === '$literal';
}
