import { Int32 } from 'bson';
import { locationError } from '../errors.ts';
import { compileSort } from '../query/sort.ts';
import { type Fields, fieldNames, getField, isFields } from '../values/fields.ts';
import { keyText } from '../values/keys.ts';
import { isNumber } from '../values/numbers.ts';
import { compareValues } from '../values/order.ts';
import { bytesOf } from '../values/sizes.ts';
import { countOf } from './arrays.ts';
import { anything, fields } from './kinds.ts';
import { merge } from './objects.ts';
import {
  type Expression,
  namedArguments,
  type Operator,
  type Operators,
  readAs,
  type Scope,
  variadic,
} from './operator.ts';
import { Sum } from './sum.ts';

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

function sizeOf(value: unknown): number {
  return bytesOf(value, Number.POSITIVE_INFINITY);
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

/** Keeps one value: each that `replaces` the one before. */
function keepingOne(replaces: (value: unknown, kept: { value: unknown } | undefined) => boolean): () => Accumulation {
  return () => {
    let kept: { value: unknown } | undefined;
    return {
      add(value) {
        if (!replaces(value, kept)) return 0;
        const before = kept ? sizeOf(kept.value) : 0;
        kept = { value };
        return sizeOf(value) - before;
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
      return 8 + sizeOf(value);
    },
    result: () => values,
  };
}

function collectingSet(): Accumulation {
  const values = new Map<string, unknown>();
  return {
    add(value) {
      const key = value === undefined ? undefined : keyText(value);
      if (key === undefined || values.has(key)) return 0;
      values.set(key, value);
      return key.length + sizeOf(value);
    },
    result: () => [...values.values()],
  };
}

const MERGED = fields(40400);

function merging(): Accumulation {
  let merged: Fields = {};
  return {
    add(value) {
      if (value == null) return 0;
      merged = merge(merged, readAs(MERGED, value, 'an input of $mergeObjects'));
      return sizeOf(value);
    },
    result: () => merged,
  };
}

/** A value, and the key by which it is sorted where it is. */
interface Ranked {
  key: unknown[];
  value: unknown;
}

/** Takes those that are not kept out of a list, and returns them. */
type Cut = (held: Ranked[]) => Ranked[];

/** Keeps `count` values, or the one. */
function keeping(count: number, cut: Cut, one = false): () => Accumulation {
  return () => {
    const held: Ranked[] = [];
    return {
      add(ranked) {
        if (ranked === undefined) return 0;
        held.push(ranked as Ranked);
        const dropped = held.length > 2 * count + 64 ? cut(held) : [];
        return dropped.reduce((bytes, { value }) => bytes - sizeOf(value), sizeOf((ranked as Ranked).value));
      },
      result() {
        cut(held);
        const values = held.map(({ value }) => value ?? null);
        return one ? values[0] : values;
      },
    };
  };
}

const afterFirst = (held: Ranked[], count: number): Ranked[] => held.splice(count);
const beforeLast = (held: Ranked[], count: number): Ranked[] => held.splice(0, held.length - count);

type MakeAccumulator = (argument: unknown, scope: Scope, name: string) => Accumulator;

function simple(start: () => Accumulation): MakeAccumulator {
  return (argument, scope, name) => {
    if (Array.isArray(argument)) throw locationError(40237, `The ${name} accumulator is a unary operator`);
    return { read: scope.compile(argument), start };
  };
}

/** `$firstN` and `$lastN` keep by arrival, `$minN` and `$maxN` by value; `n` is evaluated once. */
function keepingN(cut: (held: Ranked[], count: number) => Ranked[], withNull: boolean): MakeAccumulator {
  return (argument, scope, name) => {
    const given = namedArguments(argument, name, ['n', 'input'], [5787801, 5787901, 5787906]);
    const count = countOf(scope.compile(given.get('n'))(scope.frame), name);
    const input = scope.compile(given.get('input'));
    return {
      start: keeping(count, (held) => cut(held, count)),
      read(frame) {
        const value = input(frame);
        return value == null && !withNull ? undefined : { key: [], value };
      },
    };
  };
}

function byValue(direction: 1 | -1): MakeAccumulator {
  const order = (left: Ranked, right: Ranked): number => direction * compareValues(left.value, right.value);
  return keepingN((held, count) => afterFirst(held.sort(order), count), false);
}

/** `$top`, `$bottom` and those with N: the first or the last by `sortBy` over the documents. */
function bySort(cut: (held: Ranked[], count: number) => Ranked[], one: boolean): MakeAccumulator {
  return (argument, scope, name) => {
    const names = one ? ['sortBy', 'output'] : ['n', 'sortBy', 'output'];
    const given = namedArguments(argument, name, names, [5788001, 5788002, 5788003]);
    const sortBy = given.get('sortBy');
    if (!isFields(sortBy)) throw locationError(5788604, `${name} requires 'sortBy' to be an object`);
    const { key, compareKeys } = compileSort(sortBy);
    const output = scope.compile(given.get('output'));
    const count = one ? 1 : countOf(scope.compile(given.get('n'))(scope.frame), name);
    const order = (left: Ranked, right: Ranked): number => compareKeys(left.key, right.key);
    return {
      start: keeping(count, (held) => cut(held.sort(order), count), one),
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
    $bottom: bySort(beforeLast, true),
    $bottomN: bySort(beforeLast, false),
    $count(argument, _scope, name) {
      if (!isFields(argument) || fieldNames(argument).length > 0)
        throw locationError(40237, `${name} takes no arguments, i.e. $count:{}`);
      return { read: () => new Int32(1), start: sum };
    },
    $first: simple(keepingOne((_value, kept) => !kept)),
    $firstN: keepingN(afterFirst, true),
    $last: simple(keepingOne(() => true)),
    $lastN: keepingN(beforeLast, true),
    $max: simple(maximum),
    $maxN: byValue(-1),
    $mergeObjects: simple(merging),
    $min: simple(minimum),
    $minN: byValue(1),
    $push: simple(collecting),
    $sum: simple(sum),
    $top: bySort(afterFirst, true),
    $topN: bySort(afterFirst, false),
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
  return variadic(anything, (values) => {
    const [first] = values;
    const { add, result } = start();
    for (const value of values.length === 1 && Array.isArray(first) ? first : values) add(value);
    return result();
  });
}

export const foldOperators: Operators = {
  $avg: folding(average),
  $max: folding(maximum),
  $mergeObjects: folding(merging),
  $min: folding(minimum),
  $sum: folding(sum),
};
