import { Int32, Timestamp } from 'bson';
import { badValue, pathNotViable, typeMismatch } from '../errors.ts';
import { add, bitwise, multiply, subtract } from '../values/arithmetic.ts';
import { describeValue } from '../values/describe-value.ts';
import { type Fields, fieldNames, getField, isArrayIndex, isFields } from '../values/fields.ts';
import { isNumber } from '../values/numbers.ts';
import { compareValues, identicalValues } from '../values/order.ts';
import { typeName } from '../values/types.ts';
import {
  type Change,
  describeField,
  describeShort,
  removed,
  type UpdateOperator,
  unchanged,
  valueAt,
} from './operator.ts';

export const fieldOperators: Readonly<Record<string, UpdateOperator>> = {
  $set: { missing: 'create', compile: setTo },
  $setOnInsert: { missing: 'create', compile: setTo },
  $unset: { missing: 'ignore', compile: () => (value) => (value === undefined ? unchanged : removed) },
  $inc: { missing: 'create', compile: (operand, path) => calculate('$inc', operand, path) },
  $mul: { missing: 'create', compile: (operand, path) => calculate('$mul', operand, path) },
  $min: { missing: 'create', compile: (operand) => replaceIf(operand, (order) => order < 0) },
  $max: { missing: 'create', compile: (operand) => replaceIf(operand, (order) => order > 0) },
  $currentDate: { missing: 'create', compile: setToNow },
  $bit: { missing: 'create', compile: combineBits },
};

/** Sets a value. An identical value counts as unchanged. */
function setTo(operand: unknown): Change {
  return (value) => (value !== undefined && identicalValues(value, operand) ? unchanged : operand);
}

function replaceIf(operand: unknown, replaces: (order: number) => boolean): Change {
  return (value) => (value === undefined || replaces(compareValues(operand, value)) ? operand : unchanged);
}

function calculate(name: '$inc' | '$mul', operand: unknown, path: string): Change {
  if (!isNumber(operand)) {
    const verb = name === '$inc' ? 'increment' : 'multiply';
    throw typeMismatch(`Cannot ${verb} with non-numeric argument: {${path}: ${describeShort(operand)}}`);
  }
  const combine = name === '$inc' ? add : multiply;
  return (value, context) => {
    // Gives a zero of the operand's type.
    if (value === undefined) return name === '$inc' ? operand : subtract(operand, operand);
    if (!isNumber(value)) {
      const type = `${describeField(context)} is of non-numeric type ${typeName(value)}`;
      throw typeMismatch(`Cannot apply ${name} to a value of non-numeric type: ${type}`);
    }
    const result = combine(value, operand);
    if (result !== undefined) return setTo(result)(value, context);
    throw badValue(
      `Failed to apply ${name} operations to current value (${describeValue(value)}) of ${describeField(context)}`,
    );
  };
}

function setToNow(operand: unknown): Change {
  const type = isFields(operand) && fieldNames(operand).join() === '$type' ? getField(operand, '$type') : undefined;
  if (typeof operand === 'boolean' || type === 'date') return (_value, { now }) => now;
  if (type === 'timestamp') return (_value, { now }) => nextTimestamp(now);
  throw badValue(
    `$currentDate takes a boolean, {$type: 'date'}, or {$type: 'timestamp'}, not ${describeShort(operand)}`,
  );
}

let lastTimestamp = { t: 0, i: 0 };

function nextTimestamp(now: Date): Timestamp {
  const seconds = Math.max(Math.floor(now.getTime() / 1000), lastTimestamp.t);
  lastTimestamp = { t: seconds, i: seconds === lastTimestamp.t ? lastTimestamp.i + 1 : 1 };
  return new Timestamp(lastTimestamp);
}

function combineBits(operand: unknown): Change {
  const names = isFields(operand) ? fieldNames(operand) : [];
  if (names.length === 0) throw badValue('$bit takes at least one operation: {$bit: {field: {and/or/xor: #}}}');
  const steps = names.map((name) => bitStep(name, getField(operand as Fields, name)));
  return (value, context) => {
    if (value !== undefined && !isInteger(value)) {
      const type = `${describeField(context)} is of non-integral type ${typeName(value)}`;
      throw badValue(`Cannot apply $bit to a value of non-integral type: ${type}`);
    }
    const result = steps.reduce((current: unknown, step) => step(current), value ?? new Int32(0));
    return setTo(result)(value, context);
  };
}

function bitStep(name: string, operand: unknown): (value: unknown) => unknown {
  const isKnown = name === 'and' || name === 'or' || name === 'xor';
  if (isKnown && isInteger(operand)) return (value) => bitwise(name, value, operand);
  throw badValue(`$bit takes 'and', 'or', and 'xor' of integers, not {${name}: ${describeShort(operand)}}`);
}

function isInteger(value: unknown): boolean {
  const name = typeName(value);
  return name === 'int' || name === 'long';
}

/** Sets the target of `$rename` to the source's original value, if there is one. */
export function moveFrom(source: readonly string[], target: readonly string[]): Change {
  return (value, context) => {
    const moved = follow(context.document, source, 'source');
    if (moved === undefined) return unchanged;
    follow(context.document, target, 'destination');
    return setTo(moved)(value, context);
  };
}

function follow(document: Fields, parts: readonly string[], role: 'source' | 'destination'): unknown {
  let value: unknown = document;
  let isInArray = false;
  for (const part of parts) {
    if (value === undefined) break;
    const isArray = Array.isArray(value);
    if (role === 'source' && !isFields(value) && !(isArray && isArrayIndex(part))) {
      throw pathNotViable(
        `cannot traverse the element ${describeShort(value)} by the part '${part}' of '${parts.join('.')}'`,
      );
    }
    isInArray ||= isArray;
    value = valueAt(value, part);
  }
  if (isInArray && (role === 'destination' || value !== undefined)) {
    throw badValue(`The ${role} field cannot be an array element: '${parts.join('.')}'`);
  }
  return value;
}
