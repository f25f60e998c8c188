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
  namedArguments,
  type Operator,
  type Operators,
  operator,
  optional,
  present,
  readAs,
  variadic,
  whole,
} from './operator.ts';
import { type Frame, MAKING, type Scope } from './scope.ts';

const MAX_ELEMENTS = 6_000_000;

/** An operator on the array under `input`; null makes null. `compile` reads the other arguments, and gives what is done. */
function onInput(
  names: readonly string[],
  notArray: number,
  compile: (given: Map<string, unknown>, scope: Scope) => (values: unknown[], frame: Frame) => unknown,
): Operator {
  return (argument, scope, name) => {
    const given = namedArguments(argument, name, ['input', ...names]);
    const input = scope.compile(given.get('input'));
    const kind = array(notArray);
    const apply = compile(given, scope);
    return (frame) => {
      const values = input(frame);
      return values == null ? null : apply(readAs(kind, values, name), frame);
    };
  };
}

type Body = (element: unknown, frame: Frame) => unknown;

/** The expression that is evaluated with each element as the variable that `as` names. */
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

const $map = onInput(['as?', 'in'], 16883, (given, scope) => {
  const body = compileBody(given, 'in', scope);
  return (values, frame) => {
    frame.spend(values.length * MAKING);
    return values.map((element) => body(element, frame) ?? null);
  };
});

const $filter = onInput(['as?', 'cond', 'limit?'], 28651, (given, scope) => {
  const limit = scope.compile(given.get('limit') ?? new Int32(MAX_ELEMENTS));
  const condition = compileBody(given, 'cond', scope);
  return (values, frame) => {
    const room = readAs(whole(327391), limit(frame) ?? new Int32(MAX_ELEMENTS), '$filter');
    if (room < 1) throw locationError(327392, `$filter: limit must be greater than 0, but is ${room}`);
    const kept: unknown[] = [];
    frame.spend(values.length);
    for (const element of values) if (isTruthy(condition(element, frame)) && kept.push(element) === room) break;
    return kept;
  };
});

const $reduce = onInput(['initialValue', 'in'], 40080, (given, scope) => {
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

const $sortArray = onInput(['sortBy'], 2942504, (given) => {
  const compare = compileElementOrder(given.get('sortBy'));
  return (values, frame) => {
    frame.spend(values.length * MAKING);
    return values.toSorted(compare);
  };
});

const $slice = operator([array(28724), whole(28725), optional(whole(28727))], ([values, first, second]) => {
  if (second === undefined) return first < 0 ? values.slice(first) : values.slice(0, first);
  if (second <= 0) throw locationError(28729, `Third argument to $slice must be positive, found: ${second}`);
  const start = first < 0 ? Math.max(0, values.length + first) : first;
  return values.slice(start, start + second);
});

const $range = operator([whole(34443), whole(34445), optional(whole(34447))], ([from, to, by = 1]) => {
  if (by === 0) throw locationError(34449, '$range requires a non-zero step value');
  const length = Math.max(0, Math.ceil((to - from) / by));
  if (length > MAX_ELEMENTS) throw memoryExceeded(`$range would make ${length} elements`);
  return Array.from({ length }, (_, at) => integer(from + at * by));
});

function concatenated(arrays: unknown[][]): unknown[] {
  const length = arrays.reduce((sum, one) => sum + one.length, 0);
  if (length > MAX_ELEMENTS) throw memoryExceeded(`$concatArrays would make ${length} elements`);
  return arrays.flat();
}

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

export const arrayOperators: Operators = {
  $allElementsTrue: operator([present(array(17040))], ([values]) => values.every(isTruthy)),
  $anyElementTrue: operator([present(array(17041))], ([values]) => values.some(isTruthy)),
  $arrayElemAt: operator([array(28689), whole(28690)], ([values, at]) => values.at(at)),
  $concatArrays: variadic(array(28664), concatenated),
  $filter,
  $first: operator([array(28689)], ([values]) => values[0]),
  $in: operator([anything, present(array(40081))], ([value, values]) =>
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
  $setDifference: operator([array(17048), array(17048)], (arrays) => common(arrays, false)),
  $setEquals: variadic(
    present(array(17044)),
    ([first = [], ...others]) => others.every((other) => contains(first, other) && contains(other, first)),
    2,
  ),
  $setIntersection: variadic(array(17047), (arrays) => inOrder(common(arrays))),
  $setIsSubset: operator([present(array(17046)), present(array(17046))], ([inner, outer]) => contains(outer, inner)),
  $setUnion: variadic(array(17043), (arrays) => inOrder(distinct(arrays.flat()).values())),
  $size: operator([present(array(17124))], ([values]) => new Int32(values.length)),
  $slice,
  $sortArray,
};
