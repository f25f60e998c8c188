import { Int32 } from 'bson';
import { locationError } from '../errors.ts';
import { type Fields, fieldNames, getField, isFields } from '../values/fields.ts';
import { keyText } from '../values/keys.ts';
import { isNumber } from '../values/numbers.ts';
import { compareValues } from '../values/order.ts';
import { bytesOf } from '../values/sizes.ts';
import { Sum } from '../values/sum.ts';
import { merge } from './objects.ts';
import { anything, fields, type Operator, type Operators, readAs, variadic } from './operator.ts';
import type { Expression, Scope } from './scope.ts';

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

/** Keeps all values that are there, or only those whose key is new. */
function collecting(keyOf: (value: unknown, place: number) => unknown): () => Accumulation {
  return () => {
    const values = new Map<unknown, unknown>();
    return {
      add(value) {
        const key = value === undefined ? undefined : keyOf(value, values.size);
        if (key === undefined || values.has(key)) return 0;
        values.set(key, value);
        return 8 + (typeof key === 'string' ? key.length : 0) + sizeOf(value);
      },
      result: () => [...values.values()],
    };
  };
}

function merging(): Accumulation {
  let merged: Fields = {};
  return {
    add(value) {
      if (value == null) return 0;
      merged = merge(merged, readAs(fields(40400), value, '$mergeObjects'));
      return sizeOf(value);
    },
    result: () => merged,
  };
}

const sum = summing(({ value }) => value);

/** The accumulators that are expressions too. */
const folds = {
  $avg: summing(({ average }) => average),
  $max: extreme(-1),
  $mergeObjects: merging,
  $min: extreme(1),
  $sum: sum,
};

const accumulators = new Map<string, () => Accumulation>(
  Object.entries({
    ...folds,
    $addToSet: collecting(keyText),
    $count: sum,
    $first: keepingOne((_value, kept) => !kept),
    $last: keepingOne(() => true),
    $push: collecting((_value, place) => place),
  }),
);

/** Compiles `{$sum: …}` and its kin. Throws for what is no accumulator. */
export function compileAccumulator(field: string, operand: unknown, scope: Scope): Accumulator {
  if (!isFields(operand)) throw locationError(40234, `The field '${field}' must be an accumulator object`);
  const [name = '', ...others] = fieldNames(operand);
  if (others.length > 0) throw locationError(40238, `The field '${field}' must specify one accumulator`);
  const start = accumulators.get(name);
  if (!start) throw locationError(15952, `unknown group operator '${name}'`);
  const argument = getField(operand, name);
  if (name !== '$count') {
    if (Array.isArray(argument)) throw locationError(40237, `The ${name} accumulator is a unary operator`);
    return { read: scope.compile(argument), start };
  }
  if (isFields(argument) && fieldNames(argument).length === 0) return { read: () => new Int32(1), start };
  throw locationError(40237, '$count takes no arguments, i.e. $count:{}');
}

/** Over the arguments, or over the one array that is the argument. */
function folding(start: () => Accumulation): Operator {
  return variadic(anything, (values) => {
    const [first] = values;
    const { add, result } = start();
    for (const value of values.length === 1 && Array.isArray(first) ? first : values) add(value);
    return result();
  });
}

export const foldOperators: Operators = Object.fromEntries(
  Object.entries(folds).map(([name, start]) => [name, folding(start)]),
);
