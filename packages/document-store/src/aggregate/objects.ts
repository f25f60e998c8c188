import { locationError } from '../errors.ts';
import { copyFields, type Fields, fieldNames, getField, isFields, removeField, setField } from '../values/fields.ts';
import { anything, array, fields, present, text } from './kinds.ts';
import { type Kind, named, type Operator, type Operators, operator, readAs, typeOf } from './operator.ts';

/** The fields of one document over those of another. */
export function merge(into: Fields, from: Fields): Fields {
  let result = into;
  for (const name of fieldNames(from)) result = setField(result, name, getField(from, name));
  return result;
}

const KEY = text(40394);

/** A key and its value: two elements of an array, or the fields `k` and `v`. */
function pairOf(entry: unknown): [string, unknown] {
  const isPair = Array.isArray(entry) && entry.length === 2;
  const isNamed = isFields(entry) && fieldNames(entry).sort().join() === 'k,v';
  if (!isPair && !isNamed)
    throw locationError(40398, `$arrayToObject requires pairs or documents with k and v, found: ${typeOf(entry)}`);
  const [given, value] = isPair ? entry : [getField(entry as Fields, 'k'), getField(entry as Fields, 'v')];
  const key = readAs(KEY, given, 'a key of $arrayToObject');
  if (key.includes('\0')) throw locationError(4940400, 'Key field cannot contain an embedded null byte');
  return [key, value];
}

const name = present(text(3041704));

const getFieldByName = named({ field: name, input: anything }, [3041701, 3041701, 3041702], ({ field, input }) =>
  isFields(input) ? getField(input, field) : input === null ? null : undefined,
);

/** `{$getField: name}` is short for that field of the document at hand. */
const compileGetField: Operator = (argument, scope, operatorName) => {
  const isShort = !isFields(argument) || fieldNames(argument)[0]?.startsWith('$') === true;
  return getFieldByName(isShort ? { field: argument, input: '$$CURRENT' } : argument, scope, operatorName);
};

/** A copy of a document with a field, or with undefined without it. */
export function withField(document: Fields, field: string, value: unknown): Fields {
  const result = copyFields(document);
  if (value !== undefined) return setField(result, field, value);
  removeField(result, field);
  return result;
}

const SET_CODES = [4161100, 4161101, 4161102] as const;
const input: Kind<Fields> = fields(4161105);

export const objectOperators: Operators = {
  $arrayToObject: operator([array(40386)], ([entries]) =>
    entries.map(pairOf).reduce<Fields>((result, [key, value]) => setField(result, key, value), {}),
  ),
  $getField: compileGetField,
  $objectToArray: operator([fields(40390)], ([document]) =>
    fieldNames(document).map((key) => ({ k: key, v: getField(document, key) })),
  ),
  $setField: named({ field: name, input, value: anything }, SET_CODES, ({ field, input, value }) =>
    withField(input, field, value),
  ),
  $unsetField: named({ field: name, input }, SET_CODES, ({ field, input }) => withField(input, field, undefined)),
};
