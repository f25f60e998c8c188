import { Int32, type Long, Timestamp } from 'bson';
import { badValue, pathNotViable, typeMismatch } from '../errors.ts';
import { add, bitwise, multiply, subtract } from '../values/arithmetic.ts';
import { describeValue } from '../values/describe-value.ts';
import { type Fields, fieldNames, getField, isArrayIndex, isFields } from '../values/fields.ts';
import { identicalValues } from '../values/identical.ts';
import { isNumber } from '../values/numbers.ts';
import { compareValues } from '../values/order.ts';
import { typeName } from '../values/types.ts';
import {
  type Change,
  checkDepth,
  lastPart,
  removed,
  shown,
  shownId,
  type UpdateContext,
  type UpdateOperator,
  unchanged,
  unknownField,
  valueAt,
} from './operator.ts';

/** The operators that change a field as a whole. */
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

/** Places a value; an identical one is no change. */
export function setTo(operand: unknown): Change {
  return (value) => (value !== undefined && identicalValues(value, operand) ? unchanged : operand);
}

function replaceIf(operand: unknown, replaces: (order: number) => boolean): Change {
  return (value) => (value === undefined || replaces(compareValues(operand, value)) ? operand : unchanged);
}

function calculate(name: '$inc' | '$mul', operand: unknown, path: string): Change {
  if (!isNumber(operand)) {
    const verb = name === '$inc' ? 'increment' : 'multiply';
    throw typeMismatch(`Cannot ${verb} with non-numeric argument: {${path}: ${shown(operand)}}`);
  }
  const combine = name === '$inc' ? add : multiply;
  return (value, context) => {
    if (value === undefined) return name === '$inc' ? operand : subtract(operand, operand);
    if (!isNumber(value)) {
      throw typeMismatch(`Cannot apply ${name} to a value of non-numeric type. ${ofType(value, 'numeric', context)}`);
    }
    const result = combine(value, operand);
    if (result === undefined) {
      throw badValue(
        `Failed to apply ${name} operations to current value (${describeValue(value)}) for document {${shownId(context.document)}}`,
      );
    }
    return setTo(result)(value, context);
  };
}

function setToNow(operand: unknown): Change {
  if (operand === true || operand === false) return (_value, { now }) => now;
  if (!isFields(operand)) {
    throw badValue(
      `${typeName(operand)} is not valid type for $currentDate. Please use a boolean ('true') or a $type expression ({$type: 'timestamp/date'}).`,
    );
  }
  const unknown = unknownField(operand, ['$type']);
  if (unknown !== undefined) throw badValue(`Unrecognized $currentDate option: ${unknown}`);
  const type = getField(operand, '$type');
  if (type === 'date') return (_value, { now }) => now;
  if (type === 'timestamp') return (_value, { now }) => nextTimestamp(now);
  throw badValue(
    "The '$type' string field is required to be 'date' or 'timestamp': {$currentDate: {field : {$type: 'date'}}}",
  );
}

let lastTimestamp = { t: 0, i: 0 };

/** Two timestamps of one process are never the same. */
function nextTimestamp(now: Date): Timestamp {
  const seconds = Math.max(Math.floor(now.getTime() / 1000), lastTimestamp.t);
  lastTimestamp = { t: seconds, i: seconds === lastTimestamp.t ? lastTimestamp.i + 1 : 1 };
  return new Timestamp(lastTimestamp);
}

function combineBits(operand: unknown): Change {
  if (!isFields(operand)) {
    throw badValue(
      `The $bit modifier is not compatible with a ${typeName(operand)}. You must pass in an embedded document: {$bit: {field: {and/or/xor: #}}`,
    );
  }
  const names = fieldNames(operand);
  if (names.length === 0) {
    throw badValue('You must pass in at least one bitwise operation. The format is: {$bit: {field: {and/or/xor: #}}');
  }
  const steps = names.map((name) => bitStep(name, getField(operand, name)));
  return (value, context) => {
    if (value !== undefined && !isInteger(value)) {
      throw badValue(`Cannot apply $bit to a value of non-integral type. ${ofType(value, 'integral', context)}`);
    }
    const result = steps.reduce((current: unknown, step) => step(current), value ?? new Int32(0));
    return setTo(result)(value, context);
  };
}

function bitStep(name: string, operand: unknown): (value: unknown) => unknown {
  if (name !== 'and' && name !== 'or' && name !== 'xor') {
    throw badValue(
      `The $bit modifier only supports 'and', 'or', and 'xor', not '${name}' which is an unknown operator: {${name}: ${shown(operand)}}`,
    );
  }
  if (!isInteger(operand)) {
    throw badValue(
      `The $bit modifier field must be an Integer(32/64 bit); a '${typeName(operand)}' is not supported here: {${name}: ${shown(operand)}}`,
    );
  }
  return (value) => bitwise(name, value, operand);
}

function isInteger(value: unknown): value is Int32 | Long {
  const name = typeName(value);
  return name === 'int' || name === 'long';
}

function ofType(value: unknown, wanted: string, { document, path }: UpdateContext): string {
  return `{${shownId(document)}} has the field '${lastPart(path)}' of non-${wanted} type ${typeName(value)}`;
}

/** The target's half of `$rename`: takes the value that the source had before the update. Nothing where that is missing. */
export function moveFrom(source: readonly string[], target: readonly string[]): Change {
  return (value, context) => {
    const moved = sourceValue(context.document, source);
    if (moved === undefined) return unchanged;
    refuseArrays(context.document, source, 'source');
    refuseArrays(context.document, target, 'destination');
    checkDepth(target, moved);
    return setTo(moved)(value, context);
  };
}

function sourceValue(document: Fields, parts: readonly string[]): unknown {
  let value: unknown = document;
  for (const [index, part] of parts.entries()) {
    if (value === undefined) return undefined;
    if (!isFields(value) && !(Array.isArray(value) && isArrayIndex(part))) {
      const holder = parts[index - 1];
      throw pathNotViable(
        `cannot use the part (${holder} of ${parts.join('.')}) to traverse the element ({${holder}: ${shown(value)}})`,
      );
    }
    value = valueAt(value, part);
  }
  return value;
}

function refuseArrays(document: Fields, parts: readonly string[], role: string): void {
  let value: unknown = document;
  for (const [index, part] of parts.entries()) {
    if (Array.isArray(value)) {
      throw badValue(
        `The ${role} field cannot be an array element, '${parts.join('.')}' in doc with ${shownId(document)} has an array field called '${parts[index - 1]}'`,
      );
    }
    value = valueAt(value, part);
  }
}
