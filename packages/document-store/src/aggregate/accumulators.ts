import { Int32 } from 'bson';
import { locationError } from '../errors.ts';
import { Sum } from '../values/arithmetic.ts';
import { bsonSize } from '../values/codec.ts';
import { type Fields, fieldNames, getField, isFields } from '../values/fields.ts';
import { keyText } from '../values/keys.ts';
import { isNumber } from '../values/numbers.ts';
import { compareValues } from '../values/order.ts';
import { merge } from './objects.ts';
import { anything, fields, type Operator, type Operators, readArgument, variadicOperator } from './operator.ts';
import type { Expression, Scope } from './scope.ts';

export interface Accumulation {
  add(value: unknown): number;
  result(): unknown;
}

export interface Accumulator {
  read: Expression;
  start: () => Accumulation;
}

function bsonSizeOf(value: unknown): number {
  return bsonSize(value, Number.POSITIVE_INFINITY);
}

function sumAccumulator(result: (sum: Sum) => unknown): () => Accumulation {
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

function singleValueAccumulator(
  replaces: (value: unknown, kept: { value: unknown } | undefined) => boolean,
): () => Accumulation {
  return () => {
    let kept: { value: unknown } | undefined;
    return {
      add(value) {
        if (!replaces(value, kept)) return 0;
        const before = kept ? bsonSizeOf(kept.value) : 0;
        kept = { value };
        return bsonSizeOf(value) - before;
      },
      result: () => kept?.value ?? null,
    };
  };
}

function extremeAccumulator(direction: 1 | -1): () => Accumulation {
  return singleValueAccumulator(
    (value, kept) => value != null && (!kept || direction * compareValues(value, kept.value) < 0),
  );
}

/** Keeps all values that are not missing and whose key is new. */
function collectingAccumulator(keyOf: (value: unknown, place: number) => unknown): () => Accumulation {
  return () => {
    const values = new Map<unknown, unknown>();
    return {
      add(value) {
        const key = value === undefined ? undefined : keyOf(value, values.size);
        if (key === undefined || values.has(key)) return 0;
        values.set(key, value);
        return 8 + (typeof key === 'string' ? key.length : 0) + bsonSizeOf(value);
      },
      result: () => [...values.values()],
    };
  };
}

function startMerge(): Accumulation {
  let merged: Fields = {};
  return {
    add(value) {
      if (value == null) return 0;
      merged = merge(merged, readArgument(fields(40400), value, '$mergeObjects'));
      return bsonSizeOf(value);
    },
    result: () => merged,
  };
}

const sum = sumAccumulator(({ value }) => value);

const foldAccumulators = {
  $avg: sumAccumulator(({ average }) => average),
  $max: extremeAccumulator(-1),
  $mergeObjects: startMerge,
  $min: extremeAccumulator(1),
  $sum: sum,
};

const accumulators = new Map<string, () => Accumulation>(
  Object.entries({
    ...foldAccumulators,
    $addToSet: collectingAccumulator(keyText),
    $count: sum,
    $first: singleValueAccumulator((_value, kept) => !kept),
    $last: singleValueAccumulator(() => true),
    $push: collectingAccumulator((_value, place) => place),
  }),
);

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

function foldOperator(start: () => Accumulation): Operator {
  return variadicOperator(anything, (values) => {
    const [first] = values;
    const { add, result } = start();
    for (const value of values.length === 1 && Array.isArray(first) ? first : values) add(value);
    return result();
  });
}

export const foldOperators: Operators = Object.fromEntries(
  Object.entries(foldAccumulators).map(([name, start]) => [name, foldOperator(start)]),
);
