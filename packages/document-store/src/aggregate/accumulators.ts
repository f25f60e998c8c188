import { Double, Int32 } from 'bson';
import { locationError } from '../errors.ts';
import { compileSort } from '../query/sort.ts';
import { type Fields, fieldNames, getField, isFields } from '../values/fields.ts';
import { encodeKey } from '../values/keys.ts';
import { isNumber, nearestDouble } from '../values/numbers.ts';
import { compareValues } from '../values/order.ts';
import { bytesOf } from '../values/sizes.ts';
import { countArgument } from './arrays.ts';
import { merge } from './objects.ts';
import { type Expression, namedArguments, type Operator, operator, type Scope, typeOf } from './operator.ts';
import { Sum } from './sum.ts';

const ANY = Number.POSITIVE_INFINITY;

/** What one group holds for one accumulator. */
export interface Accumulation {
  /** Takes the value of the next document; returns how many bytes more it now holds. */
  add(value: unknown): number;
  result(): unknown;
}

/** An accumulator with its argument: what it reads of each document, and where it begins. */
export interface Accumulator {
  read: Expression;
  start: () => Accumulation;
}

function summing(result: (sum: Sum) => unknown): () => Accumulation {
  return () => {
    const sum = new Sum();
    return {
      add(value) {
        if (isNumber(value)) sum.add(value);
        return 0;
      },
      result: () => result(sum),
    };
  };
}

/** Welford's method. */
function deviation(sample: 0 | 1): () => Accumulation {
  return () => {
    let [count, mean, squares] = [0, 0, 0];
    return {
      add(value) {
        const number = nearestDouble(value);
        if (number === undefined) return 0;
        count += 1;
        const delta = number - mean;
        mean += delta / count;
        squares += delta * (number - mean);
        return 0;
      },
      result: () => (count > sample ? new Double(Math.sqrt(squares / (count - sample))) : null),
    };
  };
}

/** Keeps one value: each that `replaces` the one before. */
function keepingOne(replaces: (value: unknown, kept: { value: unknown } | undefined) => boolean): () => Accumulation {
  return () => {
    let kept: { value: unknown } | undefined;
    return {
      add(value) {
        if (!replaces(value, kept)) return 0;
        const before = kept ? bytesOf(kept.value, ANY) : 0;
        kept = { value };
        return bytesOf(value, ANY) - before;
      },
      result: () => kept?.value ?? null,
    };
  };
}

/** The lowest, or with -1 the highest value, but for null. */
function extreme(direction: 1 | -1): () => Accumulation {
  return keepingOne((value, kept) => value != null && (!kept || direction * compareValues(value, kept.value) < 0));
}

function collecting(): Accumulation {
  const values: unknown[] = [];
  return {
    add(value) {
      if (value === undefined) return 0;
      values.push(value);
      return 8 + bytesOf(value, ANY);
    },
    result: () => values,
  };
}

function collectingSet(): Accumulation {
  const values = new Map<string, unknown>();
  return {
    add(value) {
      const key = value === undefined ? undefined : encodeKey(value).toString('latin1');
      if (key === undefined || values.has(key)) return 0;
      values.set(key, value);
      return key.length + bytesOf(value, ANY);
    },
    result: () => [...values.values()],
  };
}

function merging(): Accumulation {
  let merged: Fields = {};
  return {
    add(value) {
      if (value == null) return 0;
      if (!isFields(value))
        throw locationError(40400, `$mergeObjects requires object inputs, but input is of type ${typeOf(value)}`);
      merged = merge(merged, value);
      return bytesOf(value, ANY);
    },
    result: () => merged,
  };
}

interface Ranked {
  key: unknown[];
  value: unknown;
}

/** Keeps `count` values; `order` puts those to keep first, and those that came first before their equals. */
function keeping(count: number, order: (left: Ranked, right: Ranked) => number): () => Accumulation {
  return () => {
    const kept: Ranked[] = [];
    const cut = (): number => {
      kept.sort(order);
      return kept.splice(count).reduce((sum, { value }) => sum + bytesOf(value, ANY), 0);
    };
    return {
      add(ranked) {
        if (ranked === undefined) return 0;
        kept.push(ranked as Ranked);
        return bytesOf((ranked as Ranked).value, ANY) - (kept.length > 2 * count + 64 ? cut() : 0);
      },
      result() {
        cut();
        return kept.map(({ value }) => value ?? null);
      },
    };
  };
}

function reversed(start: () => Accumulation): () => Accumulation {
  return () => {
    const { add, result } = start();
    return { add, result: () => (result() as unknown[]).reverse() };
  };
}

type MakeAccumulator = (argument: unknown, scope: Scope, name: string) => Accumulator;

function simple(start: () => Accumulation): MakeAccumulator {
  return (argument, scope, name) => {
    if (Array.isArray(argument)) throw locationError(40237, `The ${name} accumulator is a unary operator`);
    return { read: scope.compile(argument), start };
  };
}

/** `$firstN` and `$lastN` rank by arrival, `$minN` and `$maxN` by value; `n` is evaluated once. */
function rankingN(by: 'arrival' | 'value', direction: 1 | -1): MakeAccumulator {
  return (argument, scope, name) => {
    const given = namedArguments(argument, name, ['n', 'input'], [5787801, 5787901, 5787906]);
    const count = countArgument(scope.compile(given.get('n'))(scope.frame), name);
    const input = scope.compile(given.get('input'));
    if (by === 'value') {
      const start = keeping(count, (left, right) => direction * compareValues(left.value, right.value));
      return { start, read: (frame) => rankedUnlessNull(input(frame)) };
    }
    let arrivals = 0;
    const start = keeping(count, (left, right) => direction * ((left.key[0] as number) - (right.key[0] as number)));
    return {
      start: direction < 0 ? reversed(start) : start,
      read: (frame) => {
        arrivals += 1;
        return { key: [arrivals], value: input(frame) };
      },
    };
  };
}

function rankedUnlessNull(value: unknown): Ranked | undefined {
  return value == null ? undefined : { key: [], value };
}

/** `$top`, `$bottom` and those with N: by `sortBy` over the documents. */
function rankingBySort(direction: 1 | -1, withN: boolean): MakeAccumulator {
  return (argument, scope, name) => {
    const names = withN ? ['n', 'sortBy', 'output'] : ['sortBy', 'output'];
    const given = namedArguments(argument, name, names, [5788001, 5788002, 5788003]);
    const sortBy = given.get('sortBy');
    if (!isFields(sortBy)) throw locationError(5788604, `${name} requires 'sortBy' to be an object`);
    const { key, compareKeys } = compileSort(sortBy);
    const output = scope.compile(given.get('output'));
    const count = withN ? countArgument(scope.compile(given.get('n'))(scope.frame), name) : 1;
    const kept = keeping(count, (left, right) => direction * compareKeys(left.key, right.key));
    const start = direction < 0 ? reversed(kept) : kept;
    const startOne = (): Accumulation => {
      const { add, result } = start();
      return { add, result: () => (result() as unknown[])[0] };
    };
    return {
      start: withN ? start : startOne,
      read: (frame) => ({ key: key(frame.slots[0] as Fields), value: output(frame) }),
    };
  };
}

const sum = summing(({ value }) => value);
const average = summing(({ average }) => average);
const minimum = extreme(1);
const maximum = extreme(-1);

const makers = new Map<string, MakeAccumulator>(
  Object.entries({
    $addToSet: simple(collectingSet),
    $avg: simple(average),
    $bottom: rankingBySort(-1, false),
    $bottomN: rankingBySort(-1, true),
    $count(argument, _scope, name) {
      if (!isFields(argument) || fieldNames(argument).length > 0)
        throw locationError(40237, `${name} takes no arguments, i.e. $count:{}`);
      return { read: () => new Int32(1), start: sum };
    },
    $first: simple(keepingOne((_value, kept) => !kept)),
    $firstN: rankingN('arrival', 1),
    $last: simple(keepingOne(() => true)),
    $lastN: rankingN('arrival', -1),
    $max: simple(maximum),
    $maxN: rankingN('value', -1),
    $mergeObjects: simple(merging),
    $min: simple(minimum),
    $minN: rankingN('value', 1),
    $push: simple(collecting),
    $stdDevPop: simple(deviation(0)),
    $stdDevSamp: simple(deviation(1)),
    $sum: simple(sum),
    $top: rankingBySort(1, false),
    $topN: rankingBySort(1, true),
  } satisfies Record<string, MakeAccumulator>),
);

/** Compiles `{$sum: …}` and its kin. Throws for what is no accumulator. */
export function compileAccumulator(field: string, operand: unknown, scope: Scope): Accumulator {
  if (!isFields(operand)) throw locationError(40234, `The field '${field}' must be an accumulator object`);
  const [name, ...others] = fieldNames(operand);
  if (name === undefined || others.length > 0)
    throw locationError(40238, `The field '${field}' must specify one accumulator`);
  const make = makers.get(name);
  if (!make) throw locationError(15952, `unknown group operator '${name}'`);
  return make(getField(operand, name), scope, name);
}

/** The accumulators that are expressions too: over their arguments, or over the one array that is their argument. */
function folding(start: () => Accumulation): Operator {
  return operator(0, ANY, (values) => {
    const [first] = values;
    const { add, result } = start();
    for (const value of values.length === 1 && Array.isArray(first) ? first : values) add(value);
    return result();
  });
}

export const foldOperators: Readonly<Record<string, Operator>> = {
  $avg: folding(average),
  $max: folding(maximum),
  $mergeObjects: folding(merging),
  $min: folding(minimum),
  $stdDevPop: folding(deviation(0)),
  $stdDevSamp: folding(deviation(1)),
  $sum: folding(sum),
};
