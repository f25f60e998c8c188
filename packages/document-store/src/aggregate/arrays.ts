import { Int32 } from 'bson';
import { locationError } from '../errors.ts';
import { isTruthy } from '../query/match-operators.ts';
import { compileSort } from '../query/sort.ts';
import { type Fields, isFields } from '../values/fields.ts';
import { integerOf, isNumber, nearestDouble } from '../values/numbers.ts';
import { compareValues, equalValues } from '../values/order.ts';
import {
  arrayArgument,
  type Expression,
  int32Of,
  MAKING,
  memoryExceeded,
  named,
  namedArguments,
  type Operator,
  operator,
  type Scope,
  strict,
  typeOf,
  unary,
} from './operator.ts';

const ANY = Number.POSITIVE_INFINITY;
const MAX_RANGE = 6_000_000;

function optional(operand: unknown, scope: Scope): Expression | undefined {
  return operand === undefined ? undefined : scope.compile(operand);
}

function variableName(given: Map<string, unknown>): string {
  const name = given.get('as') ?? 'this';
  if (typeof name !== 'string') throw locationError(16880, "'as' must be the name of a variable");
  return name;
}

function compileMap(argument: unknown, scope: Scope, name: string): Expression {
  const given = namedArguments(argument, name, ['input', 'as?', 'in'], [16878, 16879, 16880]);
  const input = scope.compile(given.get('input'));
  const inner = scope.with(variableName(given));
  const body = inner.scope.compile(given.get('in'));
  return (frame) => {
    const values = input(frame);
    if (values == null) return null;
    const array = arrayArgument(values, 16883, 'input to $map');
    frame.spend(array.length * MAKING);
    return array.map((element) => {
      frame.slots[inner.slot] = element;
      return body(frame) ?? null;
    });
  };
}

function compileFilter(argument: unknown, scope: Scope, name: string): Expression {
  const given = namedArguments(argument, name, ['input', 'as?', 'cond', 'limit?'], [28646, 28647, 28648]);
  const input = scope.compile(given.get('input'));
  const limit = optional(given.get('limit'), scope);
  const inner = scope.with(variableName(given));
  const condition = inner.scope.compile(given.get('cond'));
  return (frame) => {
    const values = input(frame);
    if (values == null) return null;
    const array = arrayArgument(values, 28651, 'input to $filter');
    const most = limit?.(frame) ?? new Int32(0x7fffffff);
    const room = int32Of(most, 327391, '$filter: limit');
    if (room < 1) throw locationError(327392, `$filter: limit must be greater than 0, but is ${room}`);
    const kept: unknown[] = [];
    frame.spend(array.length);
    for (const element of array) {
      frame.slots[inner.slot] = element;
      if (isTruthy(condition(frame)) && kept.push(element) === room) break;
    }
    return kept;
  };
}

function compileReduce(argument: unknown, scope: Scope, name: string): Expression {
  const given = namedArguments(argument, name, ['input', 'initialValue', 'in'], [40075, 40076, 40077]);
  const input = scope.compile(given.get('input'));
  const initial = scope.compile(given.get('initialValue'));
  const element = scope.with('this');
  const result = element.scope.with('value');
  const body = result.scope.compile(given.get('in'));
  return (frame) => {
    const values = input(frame);
    if (values == null) return null;
    const array = arrayArgument(values, 40080, "$reduce's 'input'");
    let value = initial(frame);
    frame.spend(array.length);
    for (const current of array) {
      frame.slots[element.slot] = current;
      frame.bind(result.slot, value);
      value = body(frame);
    }
    return value ?? null;
  };
}

function slice([array, ...numbers]: unknown[]): unknown {
  const values = arrayArgument(array, 28724, 'First argument to $slice');
  const [first, second] = numbers.map((number, at) => int32Of(number, 28725 + 2 * at, 'argument to $slice'));
  if (second === undefined) {
    return (first as number) < 0 ? values.slice(first) : values.slice(0, first);
  }
  if (second <= 0) throw locationError(28729, `Third argument to $slice must be positive, found: ${second}`);
  const start = (first as number) < 0 ? Math.max(0, values.length + (first as number)) : (first as number);
  return values.slice(start, start + second);
}

function elementAt([array, index]: unknown[]): unknown {
  const values = arrayArgument(array, 28689, "$arrayElemAt's first argument");
  if (!isNumber(index))
    throw locationError(28690, `$arrayElemAt's second argument must be a numeric value, but is ${typeOf(index)}`);
  return values.at(int32Of(index, 28691, "$arrayElemAt's second argument"));
}

/** The first place of a value between two bounds, -1 where there is none; null of null. */
function indexOfArray([array, searched, from, to]: unknown[]): unknown {
  if (array == null) return null;
  const values = arrayArgument(array, 40090, "$indexOfArray's first argument");
  const bound = (value: unknown, otherwise: number): number => {
    if (value === undefined) return otherwise;
    const index = int32Of(value, 40096, '$indexOfArray index');
    if (index < 0) throw locationError(40097, `$indexOfArray requires a nonnegative index, found: ${index}`);
    return Math.min(index, values.length);
  };
  const end = bound(to, values.length);
  for (let at = bound(from, 0); at < end; at += 1) if (equalValues(values[at], searched)) return new Int32(at);
  return new Int32(-1);
}

function range([start, end, step = new Int32(1)]: unknown[]): unknown {
  const from = int32Of(start, 34443, "$range's starting value");
  const to = int32Of(end, 34445, "$range's ending value");
  const by = int32Of(step, 34447, "$range's step value");
  if (by === 0) throw locationError(34449, '$range requires a non-zero step value');
  const count = Math.max(0, Math.ceil((to - from) / by));
  if (count > MAX_RANGE)
    throw memoryExceeded(`$range would use too much memory (${count * 16} bytes) and cannot spill to disk`);
  return Array.from({ length: count }, (_, at) => new Int32(from + at * by));
}

function compileZip(argument: unknown, scope: Scope, name: string): Expression {
  const given = namedArguments(argument, name, ['inputs', 'useLongestLength?', 'defaults?'], [34460, 34464, 34465]);
  const listed = given.get('inputs');
  if (!Array.isArray(listed)) throw locationError(34461, 'inputs must be an array of expressions');
  if (listed.length === 0) throw locationError(34465, '$zip requires at least one input array');
  const longest = given.get('useLongestLength') ?? false;
  if (typeof longest !== 'boolean') throw locationError(34463, 'useLongestLength must be a bool');
  const fillers = given.get('defaults');
  if (fillers !== undefined) {
    if (!Array.isArray(fillers)) throw locationError(34462, 'defaults must be an array of expressions');
    if (!longest) throw locationError(34466, 'cannot specify defaults unless useLongestLength is true');
    if (fillers.length !== listed.length) throw locationError(34467, 'defaults and inputs must have the same length');
  }
  const inputs = listed.map((input) => scope.compile(input));
  const defaults = (Array.isArray(fillers) ? fillers : []).map((filler) => scope.compile(filler));
  return (frame) => {
    const arrays: unknown[][] = [];
    for (const input of inputs) {
      const value = input(frame);
      if (value == null) return null;
      arrays.push(arrayArgument(value, 34468, '$zip input'));
    }
    const lengths = arrays.map((array) => array.length);
    const length = longest ? Math.max(...lengths) : Math.min(...lengths);
    frame.spend(length * arrays.length * MAKING);
    const filled = defaults.map((filler) => filler(frame));
    return Array.from({ length }, (_, at) => arrays.map((array, input) => array[at] ?? filled[input] ?? null));
  };
}

function compileSortArray(argument: unknown, scope: Scope, name: string): Expression {
  const given = namedArguments(argument, name, ['input', 'sortBy'], [2942500, 2942501, 2942502]);
  const input = scope.compile(given.get('input'));
  const compare = compileOrder(given.get('sortBy'));
  return (frame) => {
    const values = input(frame);
    if (values == null) return null;
    const array = arrayArgument(values, 2942504, 'The input argument to $sortArray');
    frame.spend(array.length * MAKING);
    return [...array].sort(compare);
  };
}

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

/** How many `$firstN` and its kin shall give. */
export function countArgument(n: unknown, name: string): number {
  const count = integerOf(n);
  if (count === undefined)
    throw locationError(5787902, `Value for 'n' of ${name} must be of integral type, but found ${typeOf(n)}`);
  if (count <= 0) throw locationError(5787908, `'n' of ${name} must be greater than 0, found ${count}`);
  return count;
}

function takingN(take: (values: unknown[], count: number) => unknown[]): Operator {
  return named(['n', 'input'], [5787801, 5787901, 5787906], ({ n, input }, name) =>
    take(arrayArgument(input, 5788200, `'input' of ${name}`), countArgument(n, name)),
  );
}

/** The lowest, or with -1 the highest values, which null and missing ones are not among. */
export function extremes(values: readonly unknown[], count: number, direction: 1 | -1): unknown[] {
  const present = values.filter((value) => value != null);
  return present.sort((left, right) => direction * compareValues(left, right)).slice(0, count);
}

export const arrayOperators: Readonly<Record<string, Operator>> = {
  $arrayElemAt: strict(2, 2, elementAt),
  $concatArrays: strict(0, ANY, (values) => {
    for (const value of values) {
      if (!Array.isArray(value)) throw locationError(28664, `$concatArrays only supports arrays, not ${typeOf(value)}`);
    }
    const length = values.reduce<number>((sum, value) => sum + (value as unknown[]).length, 0);
    if (length > MAX_RANGE) throw memoryExceeded(`$concatArrays makes too large an array (${length} elements)`);
    return values.flat();
  }),
  $filter: compileFilter,
  $first: unary((array) => arrayArgument(array, 28689, "$first's argument")[0]),
  $firstN: takingN((values, count) => values.slice(0, count)),
  $in: operator(2, 2, ([value, array]) =>
    arrayArgument(array, 40081, '$in requires an array as a second argument: it').some((element) =>
      equalValues(element, value),
    ),
  ),
  $indexOfArray: operator(2, 4, indexOfArray),
  $isArray: operator(1, 1, ([value]) => Array.isArray(value)),
  $last: unary((array) => arrayArgument(array, 28689, "$last's argument").at(-1)),
  $lastN: takingN((values, count) => values.slice(-count)),
  $map: compileMap,
  $maxN: takingN((values, count) => extremes(values, count, -1)),
  $minN: takingN((values, count) => extremes(values, count, 1)),
  $range: strict(2, 3, range),
  $reduce: compileReduce,
  $reverseArray: unary((array) => [...arrayArgument(array, 34435, 'The argument to $reverseArray')].reverse()),
  $size: operator(1, 1, ([array]) => new Int32(arrayArgument(array, 17124, 'The argument to $size').length)),
  $slice: strict(2, 3, slice),
  $sortArray: compileSortArray,
  $zip: compileZip,
};
