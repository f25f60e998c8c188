import type { Document } from 'bson';
import { badValue, locationError, notSupported, StoreError } from '../errors.ts';
import { extractIndexKeys, type KeyField } from '../storage/index-keys.ts';
import { describeValue } from '../values/describe-value.ts';
import { type Fields, fieldNames, getField, isFields } from '../values/fields.ts';
import { integerOf, isNumber } from '../values/numbers.ts';
import { compareValues } from '../values/order.ts';
import { fieldPathParts } from '../values/path.ts';

export interface SortComparator {
  (left: Document, right: Document): number;
  key(document: Document): unknown[];
  compareKeys(left: readonly unknown[], right: readonly unknown[]): number;
}

/**
 * Compiles a sort. An array counts as its lowest element, or its highest if descending. Missing
 * fields sort as null. Comparing two parallel arrays throws BadValue.
 */
export function compileSort(specification: Document): SortComparator {
  const fields = sortFields(specification);
  const compareKeys = (left: readonly unknown[], right: readonly unknown[]): number => {
    for (let index = 0; index < fields.length; index += 1) {
      const order = compareValues(left[index], right[index]);
      if (order !== 0) return (fields[index] as KeyField).direction < 0 ? -order : order;
    }
    return 0;
  };
  const lowest = (one: unknown[], other: unknown[]) => (compareKeys(other, one) < 0 ? other : one);
  const key = (document: Document): unknown[] => sortKeys(document, fields).reduce(lowest);
  const compare = (left: Document, right: Document): number => compareKeys(key(left), key(right));
  return Object.assign(compare, { key, compareKeys });
}

export function sortFields(specification: Document): KeyField[] {
  const names = fieldNames(specification);
  return names.map((path) => {
    const direction = getField(specification as Fields, path);
    if (isFields(direction)) throw unavailableMetadata(getField(direction, '$meta'));
    if (!isNumber(direction)) {
      throw locationError(15974, `Illegal key in $sort specification: ${path}: ${describeValue(direction)}`);
    }
    const number = integerOf(direction);
    if (number !== 1 && number !== -1) {
      throw locationError(15975, '$sort key ordering must be 1 (for ascending) or -1 (for descending)');
    }
    if (path !== '$natural') fieldPathParts(path);
    else if (names.length > 1) throw badValue("Cannot include '$natural' in compound sort");
    return { path, direction: number };
  });
}

export function compileElementOrder(specification: unknown): (left: unknown, right: unknown) => number {
  if (!isFields(specification)) {
    const direction = integerOf(specification);
    if (direction === 1 || direction === -1) return (left, right) => direction * compareValues(left, right);
    throw badValue('sort elements by 1, -1, or {field: 1 or -1}');
  }
  const names = fieldNames(specification);
  const isInvalid = (name: string) =>
    name.split('.').includes('') || Math.abs(integerOf(getField(specification, name)) ?? 0) !== 1;
  if (names.length === 0 || names.some(isInvalid)) throw badValue('sort elements by field names with 1 or -1');
  const compare = compileSort(specification);
  return (left, right) => compare(isFields(left) ? left : {}, isFields(right) ? right : {});
}

function sortKeys(document: Document, fields: readonly KeyField[]): unknown[][] {
  try {
    return extractIndexKeys(document, fields).keys;
  } catch (error) {
    const isParallel = error instanceof StoreError && error.code === 171;
    throw isParallel ? badValue('cannot sort with keys that are parallel arrays') : error;
  }
}

export function unavailableMetadata(argument: unknown): StoreError {
  if (argument !== 'textScore') return notSupported(`$meta: ${String(argument)} is not supported by this server`);
  return locationError(40218, 'query requires text score metadata, but it is not available');
}
