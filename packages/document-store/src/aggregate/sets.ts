import { isTruthy } from '../query/match-operators.ts';
import { encodeKey } from '../values/keys.ts';
import { compareValues } from '../values/order.ts';
import { arrayArgument, type Operator, operator, strict } from './operator.ts';

/** The different values of an array, by their keys. */
export function distinct(values: readonly unknown[]): Map<string, unknown> {
  const found = new Map<string, unknown>();
  for (const value of values) {
    const key = encodeKey(value).toString('latin1');
    if (!found.has(key)) found.set(key, value);
  }
  return found;
}

function setsOf(values: unknown[], name: string, code: number): Map<string, unknown>[] {
  return values.map((value) => distinct(arrayArgument(value, code, `every operand of ${name}`)));
}

function inOrder(values: Iterable<unknown>): unknown[] {
  return [...values].sort(compareValues);
}

function contains(outer: Map<string, unknown> | undefined, inner: Map<string, unknown> | undefined): boolean {
  for (const key of inner?.keys() ?? []) if (!outer?.has(key)) return false;
  return true;
}

const ANY = Number.POSITIVE_INFINITY;

export const setOperators: Readonly<Record<string, Operator>> = {
  $allElementsTrue: operator(1, 1, ([array]) =>
    arrayArgument(array, 17040, "$allElementsTrue's argument").every(isTruthy),
  ),
  $anyElementTrue: operator(1, 1, ([array]) =>
    arrayArgument(array, 17041, "$anyElementTrue's argument").some(isTruthy),
  ),
  $setDifference: strict(2, 2, (values, name) => {
    const [left, right] = setsOf(values, name, 17048);
    return [...(left ?? [])].filter(([key]) => !right?.has(key)).map(([, value]) => value);
  }),
  $setEquals: operator(2, ANY, (values, name) => {
    const [first, ...others] = setsOf(values, name, 17044);
    return others.every((other) => contains(first, other) && contains(other, first));
  }),
  $setIntersection: strict(0, ANY, (values, name) => {
    const [first = new Map<string, unknown>(), ...others] = setsOf(values, name, 17047);
    return inOrder([...first].filter(([key]) => others.every((other) => other.has(key))).map(([, value]) => value));
  }),
  $setIsSubset: operator(2, 2, (values, name) => {
    const [inner, outer] = setsOf(values, name, 17046);
    return contains(outer, inner);
  }),
  $setUnion: strict(0, ANY, (values, name) =>
    inOrder(distinct(setsOf(values, name, 17043).flatMap((set) => [...set.values()])).values()),
  ),
};
