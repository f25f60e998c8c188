import { isTruthy } from '../query/match-operators.ts';
import { keyText } from '../values/keys.ts';
import { compareValues } from '../values/order.ts';
import { array, present } from './kinds.ts';
import { type Operators, operator, variadic } from './operator.ts';

/** The different values of an array, by their keys. */
function distinct(values: readonly unknown[]): Map<string, unknown> {
  const found = new Map<string, unknown>();
  for (const value of values) {
    const key = keyText(value);
    if (!found.has(key)) found.set(key, value);
  }
  return found;
}

function inOrder(values: Iterable<unknown>): unknown[] {
  return [...values].sort(compareValues);
}

/** The values of the first array that are in all others, or with `false` in none of them. */
function common([first = [], ...others]: unknown[][], wanted = true): unknown[] {
  const sets = others.map(distinct);
  const kept = [...distinct(first)].filter(([key]) => sets.every((set) => set.has(key) === wanted));
  return kept.map(([, value]) => value);
}

function contains(outer: unknown[], inner: unknown[]): boolean {
  return common([inner, outer], false).length === 0;
}

export const setOperators: Operators = {
  $allElementsTrue: operator([present(array(17040))], ([values]) => values.every(isTruthy)),
  $anyElementTrue: operator([present(array(17041))], ([values]) => values.some(isTruthy)),
  $setDifference: operator([array(17048), array(17048)], (arrays) => common(arrays, false)),
  $setEquals: variadic(
    present(array(17044)),
    ([first = [], ...others]) => others.every((other) => contains(first, other) && contains(other, first)),
    2,
  ),
  $setIntersection: variadic(array(17047), (arrays) => inOrder(common(arrays))),
  $setIsSubset: operator([present(array(17046)), present(array(17046))], ([inner, outer]) => contains(outer, inner)),
  $setUnion: variadic(array(17043), (arrays) => inOrder(distinct(arrays.flat()).values())),
};
