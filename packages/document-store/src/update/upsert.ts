import { StoreError } from '../errors.ts';
import { isOperatorDocument, isRegex } from '../query/match-operators.ts';
import { type Fields, fieldNames, getField, isFields } from '../values/fields.ts';
import { setOperator } from './update-fields.ts';
import { UpdateWriter } from './update-writer.ts';

/**
 * The document that an upsert starts from: the fields that the query holds to one value, by equality, `$eq`, `$and`, or a
 * list of one. With `idOnly`, for replacements, only `_id`.
 * Throws NotSingleValueField (54) where a path is matched twice, NotExactValueField (111) for a part of `_id`.
 */
export function seedDocument(filter: Fields, idOnly: boolean): Fields {
  const equalities = new Map<string, unknown>();
  collectEqualities(filter, equalities);
  const paths = [...equalities.keys()].sort(
    (left, right) => Number(right === '_id') - Number(left === '_id') || order(left, right),
  );
  const writer = new UpdateWriter({});
  const context = { path: '', document: {}, now: new Date(0) };
  for (const path of paths) {
    if (idOnly && path !== '_id') continue;
    writer.write({ parts: path.split('.'), operator: setOperator(equalities.get(path)) }, { ...context, path });
  }
  return writer.document;
}

function order(left: string, right: string): number {
  return left < right ? -1 : left > right ? 1 : 0;
}

function collectEqualities(filter: Fields, equalities: Map<string, unknown>): void {
  for (const name of fieldNames(filter)) {
    const operand = getField(filter, name);
    if (name === '$and' || (name === '$or' && Array.isArray(operand) && operand.length === 1)) {
      for (const clause of operand as unknown[]) if (isFields(clause)) collectEqualities(clause, equalities);
    } else if (!name.startsWith('$') && !isRegex(operand)) {
      for (const value of equalValuesOf(operand)) addEquality(name, value, equalities);
    }
  }
}

/** The values that a condition demands a field to equal. */
function equalValuesOf(operand: unknown): unknown[] {
  if (!isOperatorDocument(operand)) return [operand];
  const values: unknown[] = [];
  for (const name of fieldNames(operand)) {
    const argument = getField(operand, name);
    if (name === '$eq') values.push(argument);
    if (!Array.isArray(argument) || argument.some((value) => isRegex(value) || isOperatorDocument(value))) continue;
    if (name === '$all' || (name === '$in' && argument.length === 1)) values.push(...argument);
  }
  return values;
}

function addEquality(path: string, value: unknown, equalities: Map<string, unknown>): void {
  if (path.startsWith('_id.')) {
    throw new StoreError(
      111,
      'NotExactValueField',
      `field at '_id' must be exactly specified, field at sub-path '${path}'found`,
    );
  }
  for (const other of equalities.keys()) {
    if (other === path) throw notSingle(`path '${path}' is matched twice`);
    if (other.startsWith(`${path}.`) || path.startsWith(`${other}.`)) {
      throw notSingle(`both paths '${path}' and '${other}' are matched`);
    }
  }
  equalities.set(path, value);
}

function notSingle(reason: string): StoreError {
  return new StoreError(54, 'NotSingleValueField', `cannot infer query fields to set, ${reason}`);
}
