import { Int32 } from 'bson';
import { locationError } from '../errors.ts';
import { isTruthy } from '../query/match-operators.ts';
import { compileSort } from '../query/sort.ts';
import { type Fields, isFields } from '../values/fields.ts';
import { nearestDouble } from '../values/numbers.ts';
import { compareValues, equalValues } from '../values/order.ts';
import { anything, array, index, int32, optional, present, whole } from './kinds.ts';
import {
  type Expression,
  type Frame,
  MAKING,
  memoryExceeded,
  named,
  namedArguments,
  type Operator,
  type Operators,
  operator,
  readAs,
  type Scope,
  variadic,
} from './operator.ts';

const MAX_RANGE = 6_000_000;

/** An operator on the array under `input`; null makes null. `compile` reads the other arguments, and gives what is done. */
function onInput(
  names: readonly string[],
  codes: readonly [notDocument: number, unknown: number, missing: number, notArray: number],
  compile: (given: Map<string, unknown>, scope: Scope) => (values: unknown[], frame: Frame) => unknown,
): Operator {
  const [notDocument, unknown, missing, notArray] = codes;
  return (argument, scope, name) => {
    const given = namedArguments(argument, name, ['input', ...names], [notDocument, unknown, missing]);
    const input = scope.compile(given.get('input'));
    const kind = array(notArray);
    const apply = compile(given, scope);
    return (frame) => {
      const values = input(frame);
      return values == null ? null : apply(readAs(kind, values, `'input' of ${name}`), frame);
    };
  };
}

/** The expression that is evaluated with each element as the variable that `as` names. */
function compileBody(
  given: Map<string, unknown>,
  field: string,
  scope: Scope,
): (element: unknown, frame: Frame) => unknown {
  const name = given.get('as') ?? 'this';
  if (typeof name !== 'string') throw locationError(16880, "'as' must be the name of a variable");
  const inner = scope.with(name);
  const body = inner.scope.compile(given.get(field));
  return (element, frame) => {
    frame.slots[inner.slot] = element;
    return body(frame);
  };
}

const compileMap = onInput(['as?', 'in'], [16878, 16879, 16880, 16883], (given, scope) => {
  const body = compileBody(given, 'in', scope);
  return (values, frame) => {
    frame.spend(values.length * MAKING);
    return values.map((element) => body(element, frame) ?? null);
  };
});

const ROOM = int32(327391);
const ROOM_FOR_ALL = new Int32(0x7fffffff);

const compileFilter = onInput(['as?', 'cond', 'limit?'], [28646, 28647, 28648, 28651], (given, scope) => {
  const limit = scope.compile(given.get('limit') ?? null);
  const condition = compileBody(given, 'cond', scope);
  return (values, frame) => {
    const room = readAs(ROOM, limit(frame) ?? ROOM_FOR_ALL, "'limit' of $filter");
    if (room < 1) throw locationError(327392, `$filter: limit must be greater than 0, but is ${room}`);
    const kept: unknown[] = [];
    frame.spend(values.length);
    for (const element of values) if (isTruthy(condition(element, frame)) && kept.push(element) === room) break;
    return kept;
  };
});

const compileReduce = onInput(['initialValue', 'in'], [40075, 40076, 40077, 40080], (given, scope) => {
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

const compileSortArray = onInput(['sortBy'], [2942500, 2942501, 2942502, 2942504], (given) => {
  const compare = compileOrder(given.get('sortBy'));
  return (values, frame) => {
    frame.spend(values.length * MAKING);
    return [...values].sort(compare);
  };
});

function compileOrder(sortBy: unknown): (left: unknown, right: unknown) => number {
  if (isFields(sortBy)) {
    const order = compileSort(sortBy as Record<string, unknown>);
    const fieldsOf = (value: unknown): Fields => (isFields(value) ? value : {});
    return (left, right) => order(fieldsOf(left) as never, fieldsOf(right) as never);
  }
  const direction = nearestDouble(sortBy);
  if (direction !== 1 && direction !== -1) throw locationError(2942507, 'sortBy must be a document, 1 or -1');
  return (left, right) => direction * compareValues(left, right);
}

function slice([values, first, second]: [unknown[], number, number | undefined]): unknown {
  if (second === undefined) return first < 0 ? values.slice(first) : values.slice(0, first);
  if (second <= 0) throw locationError(28729, `Third argument to $slice must be positive, found: ${second}`);
  const start = first < 0 ? Math.max(0, values.length + first) : first;
  return values.slice(start, start + second);
}

/** The first place of a value between two bounds, -1 where there is none. */
function indexOfArray([values, searched, from = 0, to = values.length]: [
  unknown[],
  unknown,
  number | undefined,
  number | undefined,
]): Int32 {
  const end = Math.min(to, values.length);
  for (let at = from; at < end; at += 1) if (equalValues(values[at], searched)) return new Int32(at);
  return new Int32(-1);
}

function range([from, to, by = 1]: [number, number, number | undefined]): unknown {
  if (by === 0) throw locationError(34449, '$range requires a non-zero step value');
  const count = Math.max(0, Math.ceil((to - from) / by));
  if (count > MAX_RANGE)
    throw memoryExceeded(`$range would use too much memory (${count * 16} bytes) and cannot spill to disk`);
  return Array.from({ length: count }, (_, at) => new Int32(from + at * by));
}

function concatenated(arrays: unknown[][]): unknown[] {
  const length = arrays.reduce((sum, one) => sum + one.length, 0);
  if (length > MAX_RANGE) throw memoryExceeded(`$concatArrays makes too large an array (${length} elements)`);
  return arrays.flat();
}

function compileZip(argument: unknown, scope: Scope, name: string): Expression {
  const given = namedArguments(argument, name, ['inputs', 'useLongestLength?', 'defaults?'], [34460, 34464, 34465]);
  const { inputs, defaults = [] } = Object.fromEntries(given);
  const longest = given.get('useLongestLength') ?? false;
  if (!Array.isArray(inputs)) throw locationError(34461, 'inputs must be an array of expressions');
  if (inputs.length === 0) throw locationError(34465, '$zip requires at least one input array');
  if (typeof longest !== 'boolean') throw locationError(34463, 'useLongestLength must be a bool');
  if (!Array.isArray(defaults)) throw locationError(34462, 'defaults must be an array of expressions');
  if (given.has('defaults')) {
    if (!longest) throw locationError(34466, 'cannot specify defaults unless useLongestLength is true');
    if (defaults.length !== inputs.length) throw locationError(34467, 'defaults and inputs must have the same length');
  }
  const fillers = defaults.map((filler) => scope.compile(filler));
  const zip = variadic(array(34468), (arrays, { frame }) => {
    const lengths = arrays.map(({ length }) => length);
    const length = longest ? Math.max(...lengths) : Math.min(...lengths);
    frame.spend(length * arrays.length * MAKING);
    const filled = fillers.map((filler) => filler(frame));
    return Array.from({ length }, (_, at) => arrays.map((values, input) => values[at] ?? filled[input] ?? null));
  });
  return zip(inputs, scope, name);
}

/** How many `$firstN` and its kin shall give. */
export function countOf(n: unknown, name: string): number {
  const count = readAs(present(whole(5787902)), n, `'n' of ${name}`);
  if (count <= 0) throw locationError(5787908, `'n' of ${name} must be greater than 0, found ${count}`);
  return count;
}

function takingN(take: (values: unknown[], count: number) => unknown[]): Operator {
  const kinds = { n: anything, input: present(array(5788200)) };
  return named(kinds, [5787801, 5787901, 5787906], ({ n, input }, { name }) => take(input, countOf(n, name)));
}

/** The lowest, or with -1 the highest values, which null and missing ones are not among. */
function extremes(values: readonly unknown[], count: number, direction: 1 | -1): unknown[] {
  const present = values.filter((value) => value != null);
  return present.sort((left, right) => direction * compareValues(left, right)).slice(0, count);
}

export const arrayOperators: Operators = {
  $arrayElemAt: operator([array(28689), int32(28690)], ([values, at]) => values.at(at)),
  $concatArrays: variadic(array(28664), concatenated),
  $filter: compileFilter,
  $first: operator([array(28689)], ([values]) => values[0]),
  $firstN: takingN((values, count) => values.slice(0, count)),
  $in: operator([anything, present(array(40081))], ([value, values]) =>
    values.some((element) => equalValues(element, value)),
  ),
  $indexOfArray: operator([array(40090), anything, optional(index), optional(index)], indexOfArray),
  $isArray: operator([anything], ([value]) => Array.isArray(value)),
  $last: operator([array(28689)], ([values]) => values.at(-1)),
  $lastN: takingN((values, count) => values.slice(-count)),
  $map: compileMap,
  $maxN: takingN((values, count) => extremes(values, count, -1)),
  $minN: takingN((values, count) => extremes(values, count, 1)),
  $range: operator([int32(34443), int32(34445), optional(int32(34447))], range),
  $reduce: compileReduce,
  $reverseArray: operator([array(34435)], ([values]) => values.toReversed()),
  $size: operator([present(array(17124))], ([values]) => new Int32(values.length)),
  $slice: operator([array(28724), int32(28725), optional(int32(28727))], slice),
  $sortArray: compileSortArray,
  $zip: compileZip,
};
