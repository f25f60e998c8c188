import { Int32, type Long, Timestamp } from 'bson';
import { badValue, typeMismatch } from '../errors.ts';
import { add, bitwise, multiply, zeroLike } from '../values/arithmetic.ts';
import { describeValue } from '../values/describe-value.ts';
import { type Fields, fieldNames, getField, isFields } from '../values/fields.ts';
import { identicalValues } from '../values/identical.ts';
import { isNumber } from '../values/numbers.ts';
import { compareValues } from '../values/order.ts';
import { typeName } from '../values/types.ts';
import { removed, type UpdateContext, type UpdateOperator, unchanged } from './update-operator.ts';
import { nestingDepth } from './update-path.ts';

/** The operators that change a field as a whole, each with a maker from its operand and path. */
export const fieldOperators: Readonly<Record<string, (operand: unknown, path: string) => UpdateOperator>> = {
  $set: setOperator,
  $setOnInsert: setOperator,
  $unset: () => ({
    creates: false,
    toleratesBlockedPath: true,
    depth: 0,
    apply: (value) => (value === undefined ? unchanged : removed),
  }),
  $inc: (operand, path) => arithmeticOperator('$inc', operand, path),
  $mul: (operand, path) => arithmeticOperator('$mul', operand, path),
  $min: (operand) => extremeOperator(operand, (order) => order < 0),
  $max: (operand) => extremeOperator(operand, (order) => order > 0),
  $currentDate: currentDateOperator,
  $bit: bitOperator,
};

/** Places a value; an identical one is no change. */
export function setOperator(operand: unknown): UpdateOperator {
  return creating(nestingDepth(operand), (value) => {
    return value !== undefined && identicalValues(value, operand) ? unchanged : operand;
  });
}

function creating(depth: number, apply: UpdateOperator['apply']): UpdateOperator {
  return { creates: true, toleratesBlockedPath: false, depth, apply };
}

function arithmeticOperator(name: '$inc' | '$mul', operand: unknown, path: string): UpdateOperator {
  if (!isNumber(operand)) {
    const verb = name === '$inc' ? 'increment' : 'multiply';
    throw typeMismatch(`Cannot ${verb} with non-numeric argument: {${path}: ${describeValue(operand).slice(0, 200)}}`);
  }
  const combine = name === '$inc' ? add : multiply;
  return creating(0, (value, context) => {
    if (value === undefined) return name === '$inc' ? operand : zeroLike(operand);
    if (!isNumber(value)) {
      throw typeMismatch(
        `Cannot apply ${name} to a value of non-numeric type. ${describeField(value, 'numeric', context)}`,
      );
    }
    const result = combine(value, operand);
    if (result === undefined) {
      throw badValue(
        `Failed to apply ${name} operations to current value (${describeValue(value)}) for document ${describeId(context)}`,
      );
    }
    return identicalValues(value, result) ? unchanged : result;
  });
}

function extremeOperator(operand: unknown, replaces: (order: number) => boolean): UpdateOperator {
  return creating(nestingDepth(operand), (value) => {
    return value === undefined || replaces(compareValues(operand, value)) ? operand : unchanged;
  });
}

function currentDateOperator(operand: unknown): UpdateOperator {
  let type: unknown = 'date';
  if (isFields(operand)) {
    const unknown = fieldNames(operand).find((name) => name !== '$type');
    if (unknown !== undefined) throw badValue(`Unrecognized $currentDate option: ${unknown}`);
    type = getField(operand, '$type');
    if (type !== 'date' && type !== 'timestamp') {
      throw badValue(
        "The '$type' string field is required to be 'date' or 'timestamp': {$currentDate: {field : {$type: 'date'}}}",
      );
    }
  } else if (typeof operand !== 'boolean') {
    throw badValue(
      `${typeName(operand)} is not valid type for $currentDate. Please use a boolean ('true') or a $type expression ({$type: 'timestamp/date'}).`,
    );
  }
  return creating(0, (_value, { now }) => (type === 'date' ? now : nextTimestamp(now)));
}

let lastTimestamp = { t: 0, i: 0 };

/** Two timestamps of one process are never the same. */
function nextTimestamp(now: Date): Timestamp {
  const seconds = Math.max(Math.floor(now.getTime() / 1000), lastTimestamp.t);
  lastTimestamp = { t: seconds, i: seconds === lastTimestamp.t ? lastTimestamp.i + 1 : 1 };
  return new Timestamp(lastTimestamp);
}

function bitOperator(operand: unknown, path: string): UpdateOperator {
  const names = isFields(operand) ? fieldNames(operand) : [];
  if (!isFields(operand)) {
    throw badValue(
      `The $bit modifier is not compatible with a ${typeName(operand)}. You must pass in an embedded document: {$bit: {field: {and/or/xor: #}}`,
    );
  }
  if (names.length === 0) {
    throw badValue(`You must pass in at least one bitwise operation. The format is: {$bit: {field: {and/or/xor: #}}`);
  }
  const steps = names.map((name) => bitStep(name, getField(operand, name), path));
  return creating(0, (value, context) => {
    if (value !== undefined && !isInteger(value)) {
      throw badValue(`Cannot apply $bit to a value of non-integral type. ${describeField(value, 'integral', context)}`);
    }
    const result = steps.reduce((current: unknown, step) => step(current), value ?? new Int32(0));
    return value !== undefined && identicalValues(value, result) ? unchanged : result;
  });
}

function bitStep(name: string, operand: unknown, path: string): (value: unknown) => unknown {
  if (name !== 'and' && name !== 'or' && name !== 'xor') {
    throw badValue(
      `The $bit modifier only supports 'and', 'or', and 'xor', not '${name}' which is an unknown operator: {${path}: ...}`,
    );
  }
  if (!isInteger(operand)) {
    throw badValue(
      `The $bit modifier field must be an Integer(32/64 bit); a '${typeName(operand)}' is not supported here: {${path}: ...}`,
    );
  }
  return (value) => bitwise(name, value, operand);
}

function isInteger(value: unknown): value is Int32 | Long {
  const name = typeName(value);
  return name === 'int' || name === 'long';
}

function describeField(value: unknown, kind: string, context: UpdateContext): string {
  const field = context.path.slice(context.path.lastIndexOf('.') + 1);
  return `${describeId(context)} has the field '${field}' of non-${kind} type ${typeName(value)}`;
}

/** The `_id` of the document being updated, as messages show it. */
export function describeId({ document }: Pick<UpdateContext, 'document'>): string {
  return `{_id: ${describeValue(getField(document as Fields, '_id'))}}`;
}
