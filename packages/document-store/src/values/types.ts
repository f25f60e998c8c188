import {
  Binary,
  BSONRegExp,
  BSONSymbol,
  Code,
  DBRef,
  Decimal128,
  Double,
  Int32,
  Long,
  MaxKey,
  MinKey,
  ObjectId,
  Timestamp,
} from 'bson';

/** A BSON type by the name that `$type` gives it. */
export type TypeName =
  | 'minKey'
  | 'undefined'
  | 'null'
  | 'int'
  | 'long'
  | 'double'
  | 'decimal'
  | 'string'
  | 'symbol'
  | 'object'
  | 'array'
  | 'binData'
  | 'objectId'
  | 'bool'
  | 'date'
  | 'timestamp'
  | 'regex'
  | 'javascript'
  | 'javascriptWithScope'
  | 'dbPointer'
  | 'maxKey';

/** The number of each type in BSON itself, as `$type` takes it. */
export const typeCodes: Readonly<Record<TypeName, number>> = {
  double: 1,
  string: 2,
  object: 3,
  array: 4,
  binData: 5,
  undefined: 6,
  objectId: 7,
  bool: 8,
  date: 9,
  null: 10,
  regex: 11,
  dbPointer: 12,
  javascript: 13,
  symbol: 14,
  javascriptWithScope: 15,
  int: 16,
  timestamp: 17,
  long: 18,
  decimal: 19,
  minKey: -1,
  maxKey: 127,
};

// By prototype, never by the value's own `_bsontype`: that one may come from a user's document.
const namesByPrototype = new Map<unknown, TypeName>([
  [Object.prototype, 'object'],
  [null, 'object'],
  [Map.prototype, 'object'],
  [DBRef.prototype, 'object'],
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
 * The BSON type of a value: of the bson package's classes, and of JavaScript's own values as bson would write them
 * (a number is an int where it fits in 32 bits, a bigint is a long).
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
  // A subclass (mongoose has some of its own) is what its parent is.
  for (const [known, knownName] of namesByPrototype) {
    if (known !== null && known !== Object.prototype && Object.prototype.isPrototypeOf.call(known as object, value)) {
      return knownName;
    }
  }
  return 'object';
}
