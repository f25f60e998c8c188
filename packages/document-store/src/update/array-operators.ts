import { badValue, failedToParse, typeMismatch } from '../errors.ts';
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
  lastPart,
  refuseExpressions,
  shown,
  shownId,
  type UpdateOperator,
  unchanged,
  unknownField,
} from './operator.ts';

/** The operators that change arrays. */
export const arrayOperators: Readonly<Record<string, UpdateOperator>> = {
  $push: { missing: 'create', compile: push },
  $addToSet: { missing: 'create', compile: addToSet },
  $pop: { missing: 'skip', compile: pop },
  $pull: { missing: 'skip', compile: (operand) => cull('$pull', pullTest(operand)) },
  $pullAll: { missing: 'skip', compile: (operand) => cull('$pullAll', memberTest(operand)) },
};

function push(operand: unknown): Change {
  const clauses = isFields(operand) && getField(operand, '$each') !== undefined ? operand : {};
  const unknown = unknownField(clauses, ['$each', '$slice', '$sort', '$position']);
  if (unknown !== undefined) throw badValue(`Unrecognized clause in $push: ${unknown}`);
  const values = getField(clauses, '$each') ?? [operand];
  if (!Array.isArray(values)) {
    throw badValue(`The argument to $each in $push must be an array but it was of type: ${typeName(values)}`);
  }
  const slice = clauseInteger(clauses, '$slice', 'but was given type');
  const position = clauseInteger(clauses, '$position', 'not of type');
  const order = getField(clauses, '$sort');
  const compare = order === undefined ? undefined : compileElementOrder(order);
  return (value, { path, document }) => {
    if (value !== undefined && !Array.isArray(value)) {
      throw badValue(
        `The field '${path}' must be an array but is of type ${typeName(value)} in document {${shownId(document)}}`,
      );
    }
    const before: unknown[] = value ?? [];
    // Arguments of a splice would have to fit on the stack.
    let array = [...before.slice(0, position), ...values, ...before.slice(position ?? before.length)];
    if (compare) array.sort(compare);
    if (slice !== undefined) array = slice < 0 ? array.slice(slice) : array.slice(0, slice);
    const touched = value === undefined || values.length > 0 || compare || array.length !== value.length;
    return touched ? array : unchanged;
  };
}

function clauseInteger(clauses: Fields, name: string, otherwise: string): number | undefined {
  const operand = getField(clauses, name);
  const integer = integerOf(operand);
  if (operand === undefined || integer !== undefined) return integer;
  throw badValue(`The value for ${name} must be an integer value ${otherwise}: ${typeName(operand)}`);
}

function addToSet(operand: unknown): Change {
  const clauses = isFields(operand) && fieldNames(operand)[0] === '$each' ? operand : {};
  const values = getField(clauses, '$each') ?? [operand];
  if (!Array.isArray(values)) {
    throw typeMismatch(`The argument to $each in $addToSet must be an array but it was of type ${typeName(values)}`);
  }
  if (fieldNames(clauses).length > 1) {
    throw badValue(`Found unexpected fields after $each in $addToSet: ${shown(operand)}`);
  }
  return (value, { path }) => {
    if (value !== undefined && !Array.isArray(value)) {
      throw badValue(
        `Cannot apply $addToSet to non-array field. Field named '${lastPart(path)}' has non-array type ${typeName(value)}`,
      );
    }
    const array: unknown[] = value ?? [];
    const added = distinctFrom(array, values);
    return value !== undefined && added.length === 0 ? unchanged : [...array, ...added];
  };
}

/** Those of the values that neither the array nor the values before have. */
function distinctFrom(array: readonly unknown[], values: readonly unknown[]): unknown[] {
  const [only] = values;
  if (values.length === 1) return array.some((element) => equalValues(element, only)) ? [] : [only];
  const seen = new Set(array.map(keyText));
  return values.filter((value) => {
    const key = keyText(value);
    if (seen.has(key)) return false;
    seen.add(key);
    return true;
  });
}

function pop(operand: unknown, path: string): Change {
  const direction = nearestDouble(operand);
  if (direction === undefined) throw failedToParse(`Expected a number in: ${path}: ${shown(operand)}`);
  if (direction !== 1 && direction !== -1) throw failedToParse(`$pop expects 1 or -1, found: ${direction}`);
  return (value, context) => {
    if (value === undefined) return unchanged;
    if (!Array.isArray(value)) {
      throw typeMismatch(`Path '${context.path}' contains an element of non-array type '${typeName(value)}'`);
    }
    if (value.length === 0) return unchanged;
    return direction === 1 ? value.slice(0, -1) : value.slice(1);
  };
}

function cull(name: string, goes: (element: unknown) => boolean): Change {
  return (value) => {
    if (value === undefined) return unchanged;
    if (!Array.isArray(value)) throw badValue(`Cannot apply ${name} to a non-array value`);
    const kept = value.filter((element) => !goes(element));
    return kept.length === value.length ? unchanged : kept;
  };
}

/** Conditions and patterns test the elements; a document is a query of elements that are documents; the rest is equality. */
function pullTest(operand: unknown): (element: unknown) => boolean {
  const isQuery = isFields(operand) && ['$and', '$or', '$nor', '$expr'].includes(fieldNames(operand)[0] ?? '');
  if (isRegex(operand) || (isOperatorDocument(operand) && !isQuery)) {
    const filter = compileFilter({ element: operand });
    return (element) => filter({ element });
  }
  if (!isFields(operand)) return (element) => equalValues(element, operand);
  refuseExpressions(operand);
  const filter = compileFilter(operand);
  return (element) => isFields(element) && filter(element);
}

function memberTest(operand: unknown): (element: unknown) => boolean {
  if (!Array.isArray(operand)) {
    throw badValue(`$pullAll requires an array argument but was given a ${typeName(operand)}`);
  }
  const keys = new Set(operand.map(keyText));
  return (element) => keys.has(keyText(element));
}
