import { locationError } from '../errors.ts';
import { copyFields, type Fields, fieldNames, getField, isFields, removeField, setField } from '../values/fields.ts';
import {
  arrayArgument,
  type Expression,
  namedArguments,
  type Operator,
  type Scope,
  typeOf,
  unary,
} from './operator.ts';

/** The fields of one document over those of another. */
export function merge(into: Fields, from: Fields): Fields {
  let result = into;
  for (const name of fieldNames(from)) result = setField(result, name, getField(from, name));
  return result;
}

function pairOf(entry: unknown): [string, unknown] {
  const pair = Array.isArray(entry)
    ? entry
    : isFields(entry)
      ? [getField(entry, 'k'), getField(entry, 'v')]
      : undefined;
  if (!pair)
    throw locationError(40398, `$arrayToObject requires pairs or documents with k and v, found: ${typeOf(entry)}`);
  if (Array.isArray(entry) ? pair.length !== 2 : fieldNames(entry as Fields).length !== 2 || pair[1] === undefined) {
    throw locationError(
      Array.isArray(entry) ? 40397 : 40392,
      '$arrayToObject requires a key and a value in each entry',
    );
  }
  const [key, value] = pair;
  if (typeof key !== 'string') {
    throw locationError(
      Array.isArray(entry) ? 40395 : 40394,
      `$arrayToObject requires keys of type string, found: ${typeOf(key)}`,
    );
  }
  if (key.includes('\0')) throw locationError(4940400, 'Key field cannot contain an embedded null byte');
  return [key, value];
}

/** The name of the field: a constant, or an expression that gives a string. */
function compileName(operand: unknown, scope: Scope, name: string): Expression {
  if (typeof operand === 'string' && operand.startsWith('$')) {
    throw locationError(5654602, `${name} requires 'field' to be a constant string: write it as {$literal: …}`);
  }
  const expression = scope.compile(operand);
  return (frame) => {
    const field = expression(frame);
    if (typeof field !== 'string')
      throw locationError(3041704, `${name} requires 'field' to evaluate to type String, but got ${typeOf(field)}`);
    return field;
  };
}

function compileGetField(argument: unknown, scope: Scope, name: string): Expression {
  const isName = !isFields(argument) || fieldNames(argument)[0]?.startsWith('$') === true;
  const given = isName
    ? new Map([['field', argument]])
    : namedArguments(argument, name, ['field', 'input'], [3041701, 3041701, 3041702]);
  const fieldName =
    typeof given.get('field') === 'string' ? () => given.get('field') : compileName(given.get('field'), scope, name);
  const input = scope.compile(given.has('input') ? given.get('input') : '$$CURRENT');
  return (frame) => {
    const value = input(frame);
    return isFields(value) ? getField(value, fieldName(frame) as string) : value == null ? value : undefined;
  };
}

function compileSetField(argument: unknown, scope: Scope, name: string): Expression {
  const names = name === '$setField' ? ['field', 'input', 'value'] : ['field', 'input'];
  const given = namedArguments(argument, name, names, [4161100, 4161101, 4161102]);
  const fieldName = compileName(given.get('field'), scope, name);
  const input = scope.compile(given.get('input'));
  const read = scope.compile(given.get('value') ?? '$$REMOVE');
  return (frame) => {
    const document = input(frame);
    if (document == null) return null;
    if (!isFields(document)) throw locationError(4161105, `${name} requires 'input' to evaluate to type Object`);
    const field = fieldName(frame) as string;
    const value = read(frame);
    const result = copyFields(document);
    if (value !== undefined) return setField(result, field, value);
    removeField(result, field);
    return result;
  };
}

export const objectOperators: Readonly<Record<string, Operator>> = {
  $arrayToObject: unary((array) => {
    const entries = arrayArgument(array, 40386, "$arrayToObject's input");
    return entries.map(pairOf).reduce<Fields>((result, [key, value]) => setField(result, key, value), {});
  }),
  $getField: compileGetField,
  $objectToArray: unary((value) => {
    if (!isFields(value))
      throw locationError(40390, `$objectToArray requires a document input, found: ${typeOf(value)}`);
    return fieldNames(value).map((name) => ({ k: name, v: getField(value, name) }));
  }),
  $setField: compileSetField,
  $unsetField: compileSetField,
};
