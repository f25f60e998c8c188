/**
 * A BSON document: a plain object, or a Map if a plain object would not preserve it. Maps keep
 * names such as `"10"`, which plain objects reorder, and `_bsontype`. Always use the functions of
 * this file, so that inherited properties are never mistaken for fields.
 */
export type Fields = Record<string, unknown> | Map<string, unknown>;

const inherited = Object.prototype as unknown as Record<string, unknown>;

export function isFields(value: unknown): value is Fields {
  if (typeof value !== 'object' || value === null) return false;
  const prototype = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null || prototype === Map.prototype;
}

export function getField(document: Fields, name: string): unknown {
  if (document instanceof Map) return document.get(name);
  const value = document[name];
  if (value === undefined || inherited[name] === undefined) return value;
  return Object.hasOwn(document, name) ? value : undefined;
}

export function fieldNames(document: Fields): string[] {
  if (document instanceof Map) return [...document.keys()];
  return Object.keys(document);
}

export function copyFields(document: Fields): Fields {
  if (document instanceof Map) return new Map(document);
  return { ...document };
}

/**
 * Sets a field in place, or appends it. Returns the document, or a Map that replaces it if a plain
 * object would change the order.
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

export function removeField(document: Fields, name: string): void {
  if (document instanceof Map) document.delete(name);
  else delete document[name];
}

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

/** Plain objects list integer names first, in ascending order. */
function needsMap(document: Record<string, unknown>, name: string): boolean {
  for (const other of Object.keys(document)) {
    if (!isArrayIndex(other) || Number(other) > Number(name)) return true;
  }
  return false;
}
