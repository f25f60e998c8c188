import {
  Binary,
  BSONRegExp,
  BSONSymbol,
  Code,
  Decimal128,
  Double,
  Int32,
  Long,
  MaxKey,
  MinKey,
  ObjectId,
  Timestamp,
} from 'bson';

const types = {
  minKey: { code: -1, order: 1 },
  // The key of an empty array.
  undefined: { code: 6, order: 5 },
  null: { code: 10, order: 10 },
  int: { code: 16, order: 15 },
  long: { code: 18, order: 15 },
  double: { code: 1, order: 15 },
  decimal: { code: 19, order: 15 },
  string: { code: 2, order: 20 },
  symbol: { code: 14, order: 20 },
  object: { code: 3, order: 25 },
  array: { code: 4, order: 30 },
  binData: { code: 5, order: 35 },
  objectId: { code: 7, order: 40 },
  bool: { code: 8, order: 45 },
  date: { code: 9, order: 50 },
  timestamp: { code: 17, order: 55 },
  regex: { code: 11, order: 60 },
  dbPointer: { code: 12, order: 65 },
  javascript: { code: 13, order: 70 },
  javascriptWithScope: { code: 15, order: 75 },
  maxKey: { code: 127, order: 127 },
} as const;

export type TypeName = keyof typeof types;

const columnOf = (column: 'code' | 'order') =>
  Object.fromEntries(Object.entries(types).map(([name, type]) => [name, type[column]])) as Record<TypeName, number>;

export const typeCodes: Readonly<Record<TypeName, number>> = columnOf('code');

/** Sort order of types. Numbers share one position, as do strings and symbols. */
export const typeOrders: Readonly<Record<TypeName, number>> = columnOf('order');

// A `_bsontype` property may come from a user's document, so only prototypes count.
const namesByPrototype = new Map<unknown, TypeName>([
  [Object.prototype, 'object'],
  [null, 'object'],
  [Map.prototype, 'object'],
  [Array.prototype, 'array'],
  [Int32.prototype, 'int'],
  [Long.prototype, 'long'],
  [Double.prototype, 'double'],
  [Decimal128.prototype, 'decimal'],
  [BSONSymbol.prototype, 'symbol'],
  [Binary.prototype, 'binData'],
  [Buffer.prototype, 'binData'],
  [Uint8Array.prototype, 'binData'],
  [ObjectId.prototype, 'objectId'],
  [Date.prototype, 'date'],
  [Timestamp.prototype, 'timestamp'],
  [BSONRegExp.prototype, 'regex'],
  [RegExp.prototype, 'regex'],
  [MinKey.prototype, 'minKey'],
  [MaxKey.prototype, 'maxKey'],
]);

/**
 * Returns the BSON type of a bson class or a JavaScript value. A number is an int if it fits in 32
 * bits. A bigint is a long.
 */
export function typeName(value: unknown): TypeName {
  switch (typeof value) {
    case 'string':
      return 'string';
    case 'boolean':
      return 'bool';
    case 'number':
      return (value | 0) === value && !Object.is(value, -0) ? 'int' : 'double';
    case 'bigint':
      return 'long';
    case 'undefined':
      return 'undefined';
    default:
      return value === null ? 'null' : objectTypeName(value as object);
  }
}

function objectTypeName(value: object): TypeName {
  const prototype = Object.getPrototypeOf(value);
  const name = namesByPrototype.get(prototype);
  if (name) return name;
  if (prototype === Code.prototype) return (value as Code).scope ? 'javascriptWithScope' : 'javascript';
  if (Array.isArray(value)) return 'array';
  // Subclasses, such as mongoose's, have their parent's type.
  for (const [known, knownName] of namesByPrototype) {
    if (known !== null && known !== Object.prototype && Object.prototype.isPrototypeOf.call(known as object, value)) {
      return knownName;
    }
  }
  return 'object';
}
