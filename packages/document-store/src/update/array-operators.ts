import { badValue, failedToParse, type StoreError, typeMismatch } from '../errors.ts';
import { isOperatorDocument, isRegex } from '../query/match-operators.ts';
import { compileFilter } from '../query/matcher.ts';
import { compileElementOrder } from '../query/sort.ts';
import { type Fields, fieldNames, getField, isFields } from '../values/fields.ts';
import { keyText } from '../values/keys.ts';
import { integerOf, nearestDouble } from '../values/numbers.ts';
import { equalValues } from '../values/order.ts';
import { typeName } from '../values/types.ts';
import {
  type Change,
  describeField,
  describeShort,
  rejectExpressions,
  type UpdateOperator,
  unchanged,
} from './operator.ts';

export const arrayOperators: Readonly<Record<string, UpdateOperator>> = {
  $push: { missing: 'create', compile: push },
  $addToSet: { missing: 'create', compile: addToSet },
  $pop: { missing: 'skip', compile: pop },
  $pull: { missing: 'skip', compile: (operand) => removeWhere('$pull', pullTest(operand)) },
  $pullAll: { missing: 'skip', compile: (operand) => removeWhere('$pullAll', memberTest(operand)) },
};

function onArray(
  name: string,
  error: (message: string) => StoreError,
  change: (array: readonly unknown[] | undefined) => unknown,
): Change {
  return (value, context) => {
    if (value === undefined || Array.isArray(value)) return change(value);
    throw error(`Cannot apply ${name} to non-array: ${describeField(context)} is of type ${typeName(value)}`);
  };
}

function push(operand: unknown): Change {
  const clauses = isFields(operand) && getField(operand, '$each') !== undefined ? operand : {};
  const unknown = fieldNames(clauses).find((name) => !['$each', '$slice', '$sort', '$position'].includes(name));
  if (unknown !== undefined) throw badValue(`Unrecognized clause in $push: ${unknown}`);
  const values = getField(clauses, '$each') ?? [operand];
  if (!Array.isArray(values)) throw badValue(`$each in $push must be an array, not ${describeShort(values)}`);
  const slice = clauseInteger(clauses, '$slice');
  const position = clauseInteger(clauses, '$position');
  const order = getField(clauses, '$sort');
  const compare = order === undefined ? undefined : compileElementOrder(order);
  return onArray('$push', badValue, (before) => {
    // `splice` would need the values as arguments, which must fit on the stack.
    let array = [...(before?.slice(0, position) ?? []), ...values, ...(before?.slice(position ?? before.length) ?? [])];
    if (compare) array.sort(compare);
    if (slice !== undefined) array = slice < 0 ? array.slice(slice) : array.slice(0, slice);
    const touched = !before || values.length > 0 || compare || array.length !== before.length;
    return touched ? array : unchanged;
  });
}

function clauseInteger(clauses: Fields, name: string): number | undefined {
  const operand = getField(clauses, name);
  const integer = integerOf(operand);
  if (operand === undefined || integer !== undefined) return integer;
  throw badValue(`The value for ${name} must be an integer, not of type ${typeName(operand)}`);
}

function addToSet(operand: unknown): Change {
  const clauses = isFields(operand) && fieldNames(operand)[0] === '$each' ? operand : {};
  const values = getField(clauses, '$each') ?? [operand];
  if (!Array.isArray(values)) throw typeMismatch(`$each in $addToSet must be an array, not ${describeShort(values)}`);
  if (fieldNames(clauses).length > 1) throw badValue(`Found unexpected fields after $each in $addToSet`);
  return onArray('$addToSet', badValue, (array) => {
    const added = distinctFrom(array ?? [], values);
    return array && added.length === 0 ? unchanged : [...(array ?? []), ...added];
  });
}

function distinctFrom(array: readonly unknown[], values: readonly unknown[]): unknown[] {
  const [only] = values;
  if (values.length === 1) return array.some((element) => equalValues(element, only)) ? [] : [only];
  const seen = new Set(array.map(keyText));
  return values.filter((value) => {
    const { size } = seen;
    return seen.add(keyText(value)).size > size;
  });
}

function pop(operand: unknown): Change {
  const direction = nearestDouble(operand);
  if (direction !== 1 && direction !== -1)
    throw failedToParse(`$pop expects 1 or -1, found: ${describeShort(operand)}`);
  return onArray('$pop', typeMismatch, (array) => {
    if (!array || array.length === 0) return unchanged;
    return direction === 1 ? array.slice(0, -1) : array.slice(1);
  });
}

function removeWhere(name: string, goes: (element: unknown) => boolean): Change {
  return onArray(name, badValue, (array) => {
    const kept = array?.filter((element) => !goes(element));
    return kept?.length === array?.length ? unchanged : kept;
  });
}

/** Compiles `$pull`: a condition or pattern on elements, a query on documents, or equality. */
function pullTest(operand: unknown): (element: unknown) => boolean {
  const isQuery = isFields(operand) && ['$and', '$or', '$nor', '$expr'].includes(fieldNames(operand)[0] ?? '');
  if (isRegex(operand) || (isOperatorDocument(operand) && !isQuery)) {
    const filter = compileFilter({ element: operand });
    return (element) => filter({ element });
  }
  if (!isFields(operand)) return (element) => equalValues(element, operand);
  rejectExpressions(operand);
  const filter = compileFilter(operand);
  return (element) => isFields(element) && filter(element);
}

function memberTest(operand: unknown): (element: unknown) => boolean {
  if (!Array.isArray(operand)) throw badValue(`$pullAll requires an array, not ${describeShort(operand)}`);
  const keys = new Set(operand.map(keyText));
  return (element) => keys.has(keyText(element));
}
