/**
 * A BSON document in memory: a plain object, or a Map where a plain object could not hold it as it was written (names
 * like `"10"`, which plain objects put first, and own names like `_bsontype`). Everything in this package that reads or
 * changes the fields of a document does it by the functions of this file, so that names from `Object.prototype` are
 * never mistaken for fields.
 */
export type Fields = Record<string, unknown> | Map<string, unknown>;

const inherited = Object.prototype as unknown as Record<string, unknown>;

/** Whether a value is a document and not an array or a scalar. */
export function isFields(value: unknown): value is Fields {
  if (typeof value !== 'object' || value === null) return false;
  const prototype = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null || prototype === Map.prototype;
}

/** The value of a field that the document itself has; undefined where it has none. */
export function getField(document: Fields, name: string): unknown {
  if (document instanceof Map) return document.get(name);
  const value = document[name];
  if (value === undefined || inherited[name] === undefined) return value;
  return Object.hasOwn(document, name) ? value : undefined;
}

/** The names of a document's fields, in the document's order. */
export function fieldNames(document: Fields): string[] {
  if (document instanceof Map) return [...document.keys()];
  return Object.keys(document);
}

/** A shallow copy that may be changed; fields keep their order. */
export function copyFields(document: Fields): Fields {
  if (document instanceof Map) return new Map(document);
  return { ...document };
}

/**
 * Sets a field in place, at its position or else at the end, and returns the document that has it: the same one, or a
 * Map in its stead where a plain object would not put the new field at the end.
 */
export function setField(document: Fields, name: string, value: unknown): Fields {
  if (document instanceof Map) {
    document.set(name, value);
    return document;
  }
  if (isArrayIndex(name) && !Object.hasOwn(document, name) && needsMap(document, name)) {
    return new Map(Object.entries(document)).set(name, value);
  }
  if (inherited[name] === undefined) document[name] = value;
  else Object.defineProperty(document, name, { value, writable: true, enumerable: true, configurable: true });
  return document;
}

/** Removes a field in place. */
export function removeField(document: Fields, name: string): void {
  if (document instanceof Map) document.delete(name);
  else delete document[name];
}

/** Whether a name is a decimal integer without leading zeros: an array's index, if the container is an array. */
export function isArrayIndex(name: string): boolean {
  const length = name.length;
  if (length === 0 || length > 10) return false;
  const first = name.charCodeAt(0);
  if (first === 48) return length === 1;
  for (let position = 0; position < length; position += 1) {
    const digit = name.charCodeAt(position);
    if (digit < 48 || digit > 57) return false;
  }
  return true;
}

/** Plain objects list integer names first, ascending: only a document whose names are all smaller integers may take one more. */
function needsMap(document: Record<string, unknown>, name: string): boolean {
  for (const other of Object.keys(document)) {
    if (!isArrayIndex(other) || Number(other) > Number(name)) return true;
  }
  return false;
}
