import { type Document, Int32 } from 'bson';
import { cannotCreateIndex, failedToParse, locationError, typeMismatch } from '../errors.ts';
import { isOperatorDocument, isTruthy } from '../query/match-operators.ts';
import { compileFilter } from '../query/matcher.ts';
import { type Fields, fieldNames, getField, isFields } from '../values/fields.ts';
import { identicalValues } from '../values/identical.ts';
import { nearestDouble } from '../values/numbers.ts';
import { equalValues } from '../values/order.ts';

/** One field of an index, in the order of its key. */
export interface IndexField {
  path: string;
  direction: 1 | -1;
}

/** What an index is, as its creator asked for it. */
export interface IndexDefinition {
  name: string;
  fields: IndexField[];
  unique: boolean;
  sparse: boolean;
  /** Only documents that match are in the index. */
  partialFilter?: Document;
  matchesPartial?: (document: Document) => boolean;
  /** Seconds after the date in the field at which the document is removed. */
  expireAfterSeconds?: number;
  /** The definition as `listIndexes` answers it. */
  specification: Document;
}

const MAX_FIELDS = 32;
const MAX_EXPIRY_SECONDS = 2_147_483_647;
/** Options that change nothing here: old ones that MongoDB accepts and ignores, and those that `key` implies. */
const IGNORED = new Set(['v', 'background', 'ns', 'key', 'name', 'hidden']);
/** The options of indexes that this server does not have, by their kinds. */
const REFUSED: Record<string, string[]> = {
  wildcard: ['wildcardProjection'],
  text: ['weights', 'default_language', 'language_override', 'textIndexVersion'],
  geospatial: ['2dsphereIndexVersion', 'bits', 'min', 'max'],
  clustered: ['clustered'],
  'own storage engine': ['storageEngine'],
};

/** Reads and checks one specification of createIndexes. Throws CannotCreateIndex and its kin. */
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

/** The definition of the index on `_id` that each collection has. */
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
  const kind = Object.keys(REFUSED).find((kind) => REFUSED[kind]?.includes(option));
  if (kind) throw cannotCreateIndex(`this server has no ${kind} indexes (option '${option}')`);
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
      refuseCollation(value);
      return;
    default:
      throw locationError(197, `The field '${option}' is not valid for the index specification ${definition.name}`);
  }
}

function readFields(key: unknown): IndexField[] {
  if (!isFields(key)) throw typeMismatch("The field 'key' must be an object");
  const fields = fieldNames(key).map((path) => readField(path, getField(key, path)));
  if (fields.length === 0) throw cannotCreateIndex('Index keys cannot be empty.');
  if (fields.length > MAX_FIELDS) throw cannotCreateIndex(`an index has at most ${MAX_FIELDS} fields`);
  return fields;
}

function readField(path: string, direction: unknown): IndexField {
  if (typeof direction === 'string') {
    throw cannotCreateIndex(`this server has no '${direction}' indexes (field '${path}')`);
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

/** Throws CannotCreateIndex for what can't be told from the presence of a field and from its value alone. */
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

function readExpiry(fields: IndexField[], value: unknown): number {
  const seconds = nearestDouble(value);
  if (fields.length !== 1 || fields[0]?.path === '_id') {
    throw cannotCreateIndex('TTL indexes are of a single field other than _id');
  }
  if (seconds !== undefined && seconds >= 0 && seconds <= MAX_EXPIRY_SECONDS) return seconds;
  throw cannotCreateIndex(`'expireAfterSeconds' must be a number between 0 and ${MAX_EXPIRY_SECONDS}`);
}

/** Refuses any collation but the simple one. */
export function refuseCollation(collation: unknown): void {
  if (collation === undefined || collation === null) return;
  if (typeof collation === 'object' && 'locale' in collation && collation.locale === 'simple') return;
  throw locationError(238, 'this server has no collations but { locale: "simple" }');
}

/** True when two definitions have the same fields in the same order and directions. */
export function sameKey(one: IndexDefinition, other: IndexDefinition): boolean {
  return identicalValues(one.fields, other.fields);
}

/** True when two definitions with the same key ask for the same behaviour. */
export function sameOptions(one: IndexDefinition, other: IndexDefinition): boolean {
  return (
    one.unique === other.unique &&
    one.sparse === other.sparse &&
    one.expireAfterSeconds === other.expireAfterSeconds &&
    equalValues(one.partialFilter, other.partialFilter)
  );
}
