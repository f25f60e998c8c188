import { type Document, Int32 } from 'bson';
import { cannotCreateIndex, failedToParse, locationError, typeMismatch } from '../errors.ts';
import { isOperatorDocument, isTruthy } from '../query/match-operators.ts';
import { compileFilter } from '../query/matcher.ts';
import { type Fields, fieldNames, getField, isFields } from '../values/fields.ts';
import { nearestDouble } from '../values/numbers.ts';
import { equalValues, identicalValues } from '../values/order.ts';
import type { KeyField } from './index-keys.ts';

export interface IndexDefinition {
  name: string;
  fields: KeyField[];
  unique: boolean;
  sparse: boolean;
  partialFilter?: Document;
  matchesPartial?: (document: Document) => boolean;
  expireAfterSeconds?: number;
  specification: Document;
}

const MAX_FIELDS = 32;
const MAX_EXPIRY_SECONDS = 2_147_483_647;
const IGNORED = new Set(['v', 'background', 'ns', 'key', 'name', 'hidden']);
const UNSUPPORTED: Record<string, string[]> = {
  wildcard: ['wildcardProjection'],
  text: ['weights', 'default_language', 'language_override', 'textIndexVersion'],
  geospatial: ['2dsphereIndexVersion', 'bits', 'min', 'max'],
  clustered: ['clustered'],
  'custom storage engine': ['storageEngine'],
};

export function readIndexDefinition(specification: Document): IndexDefinition {
  for (const required of ['key', 'name']) {
    if (specification[required] !== undefined) continue;
    throw failedToParse(`The '${required}' field is a required property of an index specification`);
  }
  const fields = readFields(specification.key);
  const name = specification.name;
  if (typeof name !== 'string' || name === '') throw typeMismatch("an index needs a 'name' that is a non-empty string");
  const definition: IndexDefinition = {
    name,
    fields,
    unique: false,
    sparse: false,
    specification: { v: new Int32(2), key: specification.key, name },
  };
  for (const [option, value] of Object.entries(specification)) readOption(definition, option, value);
  if (definition.sparse && definition.partialFilter) {
    throw cannotCreateIndex("cannot mix 'partialFilterExpression' and 'sparse' options");
  }
  return definition;
}

export function idIndexDefinition(): IndexDefinition {
  return {
    name: '_id_',
    fields: [{ path: '_id', direction: 1 }],
    unique: true,
    sparse: false,
    specification: { v: new Int32(2), key: { _id: new Int32(1) }, name: '_id_' },
  };
}

function readOption(definition: IndexDefinition, option: string, value: unknown): void {
  if (IGNORED.has(option)) return;
  const kind = Object.keys(UNSUPPORTED).find((kind) => UNSUPPORTED[kind]?.includes(option));
  if (kind) throw cannotCreateIndex(`this server does not support ${kind} indexes (option '${option}')`);
  switch (option) {
    case 'unique':
    case 'sparse':
      if (isTruthy(value)) {
        definition[option] = true;
        definition.specification[option] = true;
      }
      return;
    case 'partialFilterExpression':
      definition.partialFilter = readPartialFilter(value);
      definition.matchesPartial = compileFilter(definition.partialFilter);
      definition.specification.partialFilterExpression = value;
      return;
    case 'expireAfterSeconds':
      definition.expireAfterSeconds = readExpiry(definition.fields, value);
      definition.specification.expireAfterSeconds = value;
      return;
    case 'collation':
      rejectCollation(value);
      return;
    default:
      throw locationError(197, `The field '${option}' is not valid for the index specification ${definition.name}`);
  }
}

function readFields(key: unknown): KeyField[] {
  if (!isFields(key)) throw typeMismatch("The field 'key' must be an object");
  const fields = fieldNames(key).map((path) => readField(path, getField(key, path)));
  if (fields.length === 0) throw cannotCreateIndex('Index keys cannot be empty.');
  if (fields.length > MAX_FIELDS) throw cannotCreateIndex(`an index has at most ${MAX_FIELDS} fields`);
  return fields;
}

function readField(path: string, direction: unknown): KeyField {
  if (typeof direction === 'string') {
    throw cannotCreateIndex(`this server does not support '${direction}' indexes (field '${path}')`);
  }
  const number = nearestDouble(direction);
  if (number === undefined || number === 0 || Number.isNaN(number)) {
    throw cannotCreateIndex('Values in v:2 index key pattern must be a non-zero number or a string');
  }
  const parts = path.split('.');
  if (parts.includes('')) throw cannotCreateIndex('Index keys cannot contain an empty field.');
  if (parts.some((part) => part.startsWith('$') && !/^\$(ref|id|db)$/.test(part))) {
    throw cannotCreateIndex(`Index key contains an illegal field name, or is a wildcard: ${path}`);
  }
  return { path, direction: number > 0 ? 1 : -1 };
}

const PARTIAL_OPERATORS = new Set(['$and', '$or', '$eq', '$gt', '$gte', '$lt', '$lte', '$in', '$type', '$exists']);

function readPartialFilter(value: unknown): Document {
  if (!isFields(value)) throw typeMismatch("The field 'partialFilterExpression' must be an object");
  checkPartialFilter(value);
  return value as Document;
}

/** Throws CannotCreateIndex for conditions that partial indexes do not support. */
function checkPartialFilter(filter: Fields): void {
  for (const name of fieldNames(filter)) {
    const operand = getField(filter, name);
    if (name === '$exists' ? !isTruthy(operand) : name.startsWith('$') && !PARTIAL_OPERATORS.has(name)) {
      throw cannotCreateIndex(`Expression not supported in partial index: ${name}`);
    }
    const parts = name === '$and' || name === '$or' ? (operand as unknown[]) : [operand];
    for (const part of Array.isArray(parts) ? parts : []) {
      if (name === '$and' || name === '$or' || isOperatorDocument(part)) checkPartialFilter(part as Fields);
    }
  }
}

function readExpiry(fields: KeyField[], value: unknown): number {
  const seconds = nearestDouble(value);
  if (fields.length !== 1 || fields[0]?.path === '_id') {
    throw cannotCreateIndex('TTL indexes need a single field other than _id');
  }
  if (seconds !== undefined && seconds >= 0 && seconds <= MAX_EXPIRY_SECONDS) return seconds;
  throw cannotCreateIndex(`'expireAfterSeconds' must be a number between 0 and ${MAX_EXPIRY_SECONDS}`);
}

export function rejectCollation(collation: unknown): void {
  if (collation === undefined || collation === null) return;
  if (typeof collation === 'object' && 'locale' in collation && collation.locale === 'simple') return;
  throw locationError(238, 'this server supports only the collation { locale: "simple" }');
}

export function sameKey(one: IndexDefinition, other: IndexDefinition): boolean {
  return identicalValues(one.fields, other.fields);
}

export function sameOptions(one: IndexDefinition, other: IndexDefinition): boolean {
  return (
    one.unique === other.unique &&
    one.sparse === other.sparse &&
    one.expireAfterSeconds === other.expireAfterSeconds &&
    equalValues(one.partialFilter, other.partialFilter)
  );
}
