import { locationError } from '../errors.ts';
import { copyFields, type Fields, fieldNames, getField, isFields, removeField, setField } from '../values/fields.ts';
import {
  anything,
  array,
  fields,
  namedOperator,
  nonNull,
  type Operator,
  type Operators,
  operator,
  readArgument,
  text,
} from './operator.ts';

export function merge(into: Fields, from: Fields): Fields {
  let result = into;
  for (const name of fieldNames(from)) result = setField(result, name, getField(from, name));
  return result;
}

function readPair(entry: unknown): [string, unknown] {
  const [key, value, ...others] = isFields(entry)
    ? [getField(entry, 'k'), getField(entry, 'v'), ...fieldNames(entry).filter((name) => name !== 'k' && name !== 'v')]
    : ((Array.isArray(entry) ? entry : []) as unknown[]);
  if (others.length > 0 || value === undefined) {
    throw locationError(40398, '$arrayToObject requires pairs or documents with k and v');
  }
  const name = readArgument(text(40394), key, '$arrayToObject');
  if (name.includes('\0')) throw locationError(4940400, 'Key field cannot contain an embedded null byte');
  return [name, value];
}

const name = nonNull(text(3041704));

const getFieldByName = namedOperator({ field: name, input: anything }, ({ field, input }) =>
  isFields(input) ? getField(input, field) : input === null ? null : undefined,
);

const $getField: Operator = (argument, scope, operatorName) => {
  const isShort = !isFields(argument) || fieldNames(argument)[0]?.startsWith('$') === true;
  return getFieldByName(isShort ? { field: argument, input: '$$CURRENT' } : argument, scope, operatorName);
};

/** Copies a document and sets a field, or removes it if the value is undefined. */
export function withField(document: Fields, field: string, value: unknown): Fields {
  const result = copyFields(document);
  if (value !== undefined) return setField(result, field, value);
  removeField(result, field);
  return result;
}

export const objectOperators: Operators = {
  $arrayToObject: operator([array(40386)], ([entries]) =>
    entries.map(readPair).reduce<Fields>((result, [key, value]) => setField(result, key, value), {}),
  ),
  $getField,
  $objectToArray: operator([fields(40390)], ([document]) =>
    fieldNames(document).map((key) => ({ k: key, v: getField(document, key) })),
  ),
  $setField: namedOperator({ field: name, input: fields(4161105), value: anything }, ({ field, input, value }) =>
    withField(input, field, value),
  ),
  $unsetField: namedOperator({ field: name, input: fields(4161105) }, ({ field, input }) =>
    withField(input, field, undefined),
  ),
};
