import { Int32 } from 'bson';
import { locationError, memoryExceeded } from '../errors.ts';
import { isTruthy } from '../query/match-operators.ts';
import { compileElementOrder } from '../query/sort.ts';
import { integer } from '../values/arithmetic.ts';
import { keyText } from '../values/keys.ts';
import { compareValues, equalValues } from '../values/order.ts';
import {
  anything,
  array,
  nonNull,
  type Operator,
  type Operators,
  operator,
  optional,
  readArgument,
  readNamedArguments,
  variadicOperator,
  wholeNumber,
} from './operator.ts';
import { type Frame, type Scope, STEPS_PER_ELEMENT } from './scope.ts';

const MAX_ELEMENTS = 6_000_000;

/** An operator on the array in `input`. Null gives null. `compile` reads the other arguments. */
function inputOperator(
  names: readonly string[],
  notArray: number,
  compile: (given: Map<string, unknown>, scope: Scope) => (values: unknown[], frame: Frame) => unknown,
): Operator {
  return (argument, scope, name) => {
    const given = readNamedArguments(argument, name, ['input', ...names]);
    const input = scope.compile(given.get('input'));
    const parameter = array(notArray);
    const apply = compile(given, scope);
    return (frame) => {
      const values = input(frame);
      return values == null ? null : apply(readArgument(parameter, values, name), frame);
    };
  };
}

type Body = (element: unknown, frame: Frame) => unknown;

function compileBody(given: Map<string, unknown>, field: string, scope: Scope): Body {
  const name = given.get('as') ?? 'this';
  if (typeof name !== 'string') throw locationError(16880, "'as' must be the name of a variable");
  const inner = scope.with(name);
  const body = inner.scope.compile(given.get(field));
  return (element, frame) => {
    frame.slots[inner.slot] = element;
    return body(frame);
  };
}

const $map = inputOperator(['as?', 'in'], 16883, (given, scope) => {
  const body = compileBody(given, 'in', scope);
  return (values, frame) => {
    frame.spend(values.length * STEPS_PER_ELEMENT);
    return values.map((element) => body(element, frame) ?? null);
  };
});

const $filter = inputOperator(['as?', 'cond', 'limit?'], 28651, (given, scope) => {
  const limit = scope.compile(given.get('limit') ?? new Int32(MAX_ELEMENTS));
  const condition = compileBody(given, 'cond', scope);
  return (values, frame) => {
    const room = readArgument(wholeNumber(327391), limit(frame) ?? new Int32(MAX_ELEMENTS), '$filter');
    if (room < 1) throw locationError(327392, `$filter: limit must be greater than 0, but is ${room}`);
    const kept: unknown[] = [];
    frame.spend(values.length);
    for (const element of values) if (isTruthy(condition(element, frame)) && kept.push(element) === room) break;
    return kept;
  };
});

const $reduce = inputOperator(['initialValue', 'in'], 40080, (given, scope) => {
  const initial = scope.compile(given.get('initialValue'));
  const result = scope.with('value');
  const body = compileBody(given, 'in', result.scope);
  return (values, frame) => {
    let value = initial(frame);
    frame.spend(values.length);
    for (const element of values) {
      frame.bind(result.slot, value);
      value = body(element, frame);
    }
    return value ?? null;
  };
});

const $sortArray = inputOperator(['sortBy'], 2942504, (given) => {
  const compare = compileElementOrder(given.get('sortBy'));
  return (values, frame) => {
    frame.spend(values.length * STEPS_PER_ELEMENT);
    return values.toSorted(compare);
  };
});

const $slice = operator([array(28724), wholeNumber(28725), optional(wholeNumber(28727))], ([values, first, second]) => {
  if (second === undefined) return first < 0 ? values.slice(first) : values.slice(0, first);
  if (second <= 0) throw locationError(28729, `Third argument to $slice must be positive, found: ${second}`);
  const start = first < 0 ? Math.max(0, values.length + first) : first;
  return values.slice(start, start + second);
});

const $range = operator(
  [wholeNumber(34443), wholeNumber(34445), optional(wholeNumber(34447))],
  ([from, to, by = 1]) => {
    if (by === 0) throw locationError(34449, '$range requires a non-zero step value');
    const length = Math.max(0, Math.ceil((to - from) / by));
    if (length > MAX_ELEMENTS) throw memoryExceeded(`$range would create ${length} elements`);
    return Array.from({ length }, (_, at) => integer(from + at * by));
  },
);

function concatArrays(arrays: unknown[][]): unknown[] {
  const length = arrays.reduce((sum, one) => sum + one.length, 0);
  if (length > MAX_ELEMENTS) throw memoryExceeded(`$concatArrays would create ${length} elements`);
  return arrays.flat();
}

function distinct(values: readonly unknown[]): Map<string, unknown> {
  const found = new Map<string, unknown>();
  for (const value of values) {
    const key = keyText(value);
    if (!found.has(key)) found.set(key, value);
  }
  return found;
}

function sortValues(values: Iterable<unknown>): unknown[] {
  return [...values].sort(compareValues);
}

/** Returns the values of the first array that all others contain, or with `false`, that none does. */
function selectByMembership([first = [], ...others]: unknown[][], wanted = true): unknown[] {
  const sets = others.map(distinct);
  const kept = [...distinct(first)].filter(([key]) => sets.every((set) => set.has(key) === wanted));
  return kept.map(([, value]) => value);
}

function isSuperset(outer: unknown[], inner: unknown[]): boolean {
  return selectByMembership([inner, outer], false).length === 0;
}

export const arrayOperators: Operators = {
  $allElementsTrue: operator([nonNull(array(17040))], ([values]) => values.every(isTruthy)),
  $anyElementTrue: operator([nonNull(array(17041))], ([values]) => values.some(isTruthy)),
  $arrayElemAt: operator([array(28689), wholeNumber(28690)], ([values, at]) => values.at(at)),
  $concatArrays: variadicOperator(array(28664), concatArrays),
  $filter,
  $first: operator([array(28689)], ([values]) => values[0]),
  $in: operator([anything, nonNull(array(40081))], ([value, values]) =>
    values.some((element) => equalValues(element, value)),
  ),
  $indexOfArray: operator(
    [array(40090), anything],
    ([values, searched]) => new Int32(values.findIndex((element) => equalValues(element, searched))),
  ),
  $isArray: operator([anything], ([value]) => Array.isArray(value)),
  $last: operator([array(28689)], ([values]) => values.at(-1)),
  $map,
  $range,
  $reduce,
  $reverseArray: operator([array(34435)], ([values]) => values.toReversed()),
  $setDifference: operator([array(17048), array(17048)], (arrays) => selectByMembership(arrays, false)),
  $setEquals: variadicOperator(
    nonNull(array(17044)),
    ([first = [], ...others]) => others.every((other) => isSuperset(first, other) && isSuperset(other, first)),
    2,
  ),
  $setIntersection: variadicOperator(array(17047), (arrays) => sortValues(selectByMembership(arrays))),
  $setIsSubset: operator([nonNull(array(17046)), nonNull(array(17046))], ([inner, outer]) => isSuperset(outer, inner)),
  $setUnion: variadicOperator(array(17043), (arrays) => sortValues(distinct(arrays.flat()).values())),
  $size: operator([nonNull(array(17124))], ([values]) => new Int32(values.length)),
  $slice,
  $sortArray,
};
