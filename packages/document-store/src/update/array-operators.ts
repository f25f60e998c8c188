import { badValue, failedToParse, typeMismatch } from '../errors.ts';
import { isOperatorDocument, isRegex } from '../query/match-operators.ts';
import { compileFilter } from '../query/matcher.ts';
import { compileSort } from '../query/sort.ts';
import { describeValue } from '../values/describe-value.ts';
import { type Fields, fieldNames, getField, isFields } from '../values/fields.ts';
import { encodeKey } from '../values/keys.ts';
import { integerOf, nearestDouble } from '../values/numbers.ts';
import { compareValues, equalValues } from '../values/order.ts';
import { typeName } from '../values/types.ts';
import { describeId } from './update-fields.ts';
import { type UpdateContext, type UpdateOperator, unchanged } from './update-operator.ts';
import { nestingDepth } from './update-path.ts';

/** The operators that change arrays, each with a maker from its operand and path. */
export const arrayOperators: Readonly<Record<string, (operand: unknown, path: string) => UpdateOperator>> = {
  $push: pushOperator,
  $addToSet: addToSetOperator,
  $pop: popOperator,
  $pull: pullOperator,
  $pullAll: pullAllOperator,
};

const pushClauses = ['$each', '$slice', '$sort', '$position'];

function pushOperator(operand: unknown): UpdateOperator {
  const clauses = isFields(operand) && getField(operand, '$each') !== undefined ? operand : undefined;
  if (clauses) {
    const unknown = fieldNames(clauses).find((name) => !pushClauses.includes(name));
    if (unknown !== undefined) throw badValue(`Unrecognized clause in $push: ${unknown}`);
  }
  const values = clauses ? eachOf('$push', getField(clauses, '$each')) : [operand];
  const slice = clauses && clauseInteger(clauses, '$slice');
  const position = clauses && clauseInteger(clauses, '$position');
  const compare = clauses && pushSort(getField(clauses, '$sort'));
  return {
    creates: true,
    toleratesBlockedPath: false,
    depth: nestingDepth(values),
    apply(value, context) {
      const array = arrayOf(value, context);
      const at = position === undefined ? array.length : position < 0 ? Math.max(0, array.length + position) : position;
      let result = [...array.slice(0, at), ...values, ...array.slice(at)];
      if (compare) result.sort(compare);
      if (slice !== undefined) result = slice < 0 ? result.slice(slice) : result.slice(0, slice);
      const touched = value === undefined || values.length > 0 || compare || result.length !== array.length;
      return touched ? result : unchanged;
    },
  };
}

function arrayOf(value: unknown, context: UpdateContext): readonly unknown[] {
  if (value === undefined) return [];
  if (Array.isArray(value)) return value;
  throw badValue(
    `The field '${context.path}' must be an array but is of type ${typeName(value)} in document ${describeId(context)}`,
  );
}

function eachOf(operator: string, operand: unknown): readonly unknown[] {
  if (Array.isArray(operand)) return operand;
  throw badValue(`The argument to $each in ${operator} must be an array but it was of type: ${typeName(operand)}`);
}

function clauseInteger(clauses: Fields, name: string): number | undefined {
  const operand = getField(clauses, name);
  if (operand === undefined) return undefined;
  const integer = integerOf(operand);
  if (integer === undefined) {
    throw badValue(`The value for ${name} must be an integer value but was given type: ${typeName(operand)}`);
  }
  return integer;
}

/** `$sort` by whole elements (1 or -1) or by fields of elements that are documents. */
function pushSort(operand: unknown): ((left: unknown, right: unknown) => number) | undefined {
  if (operand === undefined) return undefined;
  if (!isFields(operand)) {
    const direction = nearestDouble(operand);
    if (direction === undefined) {
      throw badValue(
        'The $sort is invalid: use 1/-1 to sort the whole element, or {field:1/-1} to sort embedded fields',
      );
    }
    if (direction !== 1 && direction !== -1) throw badValue('The $sort element value must be either 1 or -1');
    return (left, right) => direction * compareValues(left, right);
  }
  const names = fieldNames(operand);
  if (names.length === 0) throw badValue('The $sort pattern is empty when it should be a set of fields.');
  for (const name of names) {
    const direction = nearestDouble(getField(operand, name));
    if (direction !== 1 && direction !== -1) throw badValue('The $sort element value must be either 1 or -1');
    if (name === '') throw badValue('The $sort field cannot be empty');
    if (name.split('.').includes('')) {
      throw badValue(`The $sort field is a dotted field but has an empty part: ${name}`);
    }
  }
  const compare = compileSort(operand);
  return (left, right) => compare(isFields(left) ? left : {}, isFields(right) ? right : {});
}

function addToSetOperator(operand: unknown): UpdateOperator {
  const clauses = isFields(operand) && fieldNames(operand)[0] === '$each' ? operand : undefined;
  if (clauses && fieldNames(clauses).length > 1) {
    throw badValue(`Found unexpected fields after $each in $addToSet: ${describeValue(operand).slice(0, 200)}`);
  }
  const values = clauses ? eachOf('$addToSet', getField(clauses, '$each')) : [operand];
  return {
    creates: true,
    toleratesBlockedPath: false,
    depth: nestingDepth(values),
    apply(value, { path }) {
      if (value !== undefined && !Array.isArray(value)) {
        throw badValue(
          `Cannot apply $addToSet to non-array field. Field named '${path}' has non-array type ${typeName(value)}`,
        );
      }
      const array: unknown[] = value ?? [];
      const added = distinctFrom(array, values);
      return value !== undefined && added.length === 0 ? unchanged : [...array, ...added];
    },
  };
}

/** Those of the values that neither the array nor the values before have. */
function distinctFrom(array: readonly unknown[], values: readonly unknown[]): unknown[] {
  const [only] = values;
  if (values.length === 1) return array.some((element) => equalValues(element, only)) ? [] : [only];
  const seen = new Set(array.map(setKey));
  return values.filter((value) => {
    const key = setKey(value);
    if (seen.has(key)) return false;
    seen.add(key);
    return true;
  });
}

function setKey(value: unknown): string {
  return encodeKey(value).toString('latin1');
}

function popOperator(operand: unknown, path: string): UpdateOperator {
  const direction = nearestDouble(operand);
  if (direction === undefined)
    throw failedToParse(`Expected a number in: ${path}: ${describeValue(operand).slice(0, 200)}`);
  if (direction !== 1 && direction !== -1) throw failedToParse(`$pop expects 1 or -1, found: ${direction}`);
  return {
    creates: false,
    toleratesBlockedPath: false,
    depth: 0,
    apply(value, context) {
      if (value === undefined) return unchanged;
      if (!Array.isArray(value)) {
        throw typeMismatch(`Path '${context.path}' contains an element of non-array type '${typeName(value)}'`);
      }
      if (value.length === 0) return unchanged;
      return direction === 1 ? value.slice(0, -1) : value.slice(1);
    },
  };
}

/** Conditions and patterns test the elements; a document is a query of elements that are documents; the rest is equality. */
function pullOperator(operand: unknown): UpdateOperator {
  if (isRegex(operand) || isValueCondition(operand)) {
    const filter = compileFilter({ element: operand });
    return cullingOperator('$pull', (element) => filter({ element }));
  }
  if (isFields(operand)) {
    const filter = compileFilter(operand);
    return cullingOperator('$pull', (element) => isFields(element) && filter(element));
  }
  return cullingOperator('$pull', (element) => equalValues(element, operand));
}

function isValueCondition(operand: unknown): boolean {
  return isOperatorDocument(operand) && !['$and', '$or', '$nor'].includes(fieldNames(operand)[0] as string);
}

function pullAllOperator(operand: unknown): UpdateOperator {
  if (!Array.isArray(operand)) {
    throw badValue(`$pullAll requires an array argument but was given a ${typeName(operand)}`);
  }
  const keys = new Set(operand.map(setKey));
  return cullingOperator('$pullAll', (element) => keys.has(setKey(element)));
}

function cullingOperator(name: string, goes: (element: unknown) => boolean): UpdateOperator {
  return {
    creates: false,
    toleratesBlockedPath: true,
    depth: 0,
    apply(value) {
      if (value === undefined) return unchanged;
      if (!Array.isArray(value)) throw badValue(`Cannot apply ${name} to a non-array value`);
      const kept = value.filter((element) => !goes(element));
      return kept.length === value.length ? unchanged : kept;
    },
  };
}
