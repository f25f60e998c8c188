import { StoreError } from '../errors.ts';
import { isOperatorDocument, isRegex } from '../query/match-operators.ts';
import { type Fields, fieldNames, getField, isFields } from '../values/fields.ts';
import { UpdateWriter } from './writer.ts';

/**
 * Builds the document that an upsert starts from, with the fields that the query sets to one value.
 * `idOnly`, for replacements, takes only `_id`. Throws NotSingleValueField (54) for a path that is
 * matched twice, and NotExactValueField (111) for a part of `_id`.
 */
export function seedDocument(filter: Fields, idOnly: boolean): Fields {
  const writer = new UpdateWriter({});
  const seen = new Set<string>();
  const found = equalities(filter).filter(([path]) => !idOnly || path === '_id' || path.startsWith('_id.'));
  for (const [path, value] of found.sort(byPath)) {
    const parts = path.split('.');
    if (idOnly && path !== '_id') {
      throw new StoreError(
        111,
        'NotExactValueField',
        `field at '_id' must be exactly specified, field at sub-path '${path}'found`,
      );
    }
    for (let length = 1; length <= parts.length; length += 1) {
      const other = parts.slice(0, length).join('.');
      if (!seen.has(other)) continue;
      const reason =
        other === path ? `path '${path}' is matched twice` : `both paths '${path}' and '${other}' are matched`;
      throw new StoreError(54, 'NotSingleValueField', `cannot infer query fields to set, ${reason}`);
    }
    seen.add(path);
    writer.write({ parts, change: () => value, missing: 'create' }, { path, document: {}, now: new Date(0) });
  }
  return writer.document;
}

type Equality = [path: string, value: unknown];

function byPath([left]: Equality, [right]: Equality): number {
  return left < right ? -1 : left > right ? 1 : 0;
}

function equalities(filter: Fields): Equality[] {
  return fieldNames(filter).flatMap((name): Equality[] => {
    const operand = getField(filter, name);
    if (name === '$and' || (name === '$or' && Array.isArray(operand) && operand.length === 1)) {
      return (operand as unknown[]).filter(isFields).flatMap(equalities);
    }
    return name.startsWith('$') ? [] : valuesOf(operand).map((value) => [name, value]);
  });
}

function valuesOf(operand: unknown): unknown[] {
  if (isRegex(operand)) return [];
  if (!isOperatorDocument(operand)) return [operand];
  return fieldNames(operand).flatMap((name) => {
    const argument = getField(operand, name);
    if (name === '$eq') return [argument];
    const isList = name === '$all' || (name === '$in' && Array.isArray(argument) && argument.length === 1);
    if (!isList || !Array.isArray(argument)) return [];
    return argument.some((value) => isRegex(value) || isOperatorDocument(value)) ? [] : argument;
  });
}
