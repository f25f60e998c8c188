import { locationError } from '../errors.ts';
import { type Fields, getField, isArrayIndex, isFields } from './fields.ts';

type Parts = readonly string[];

export interface Path {
  readonly text: string;
  readonly parts: Parts;
}

/** Splits a dotted path. Like MongoDB, keeps empty parts as empty names. */
export function compilePath(text: string): Path {
  return { text, parts: text.split('.') };
}

/**
 * Receives a value at a path. Returning true stops the visit. `arrayIndex` is the position in the
 * outermost array that was expanded, if any.
 */
type Visit = (value: unknown, arrayIndex: number | undefined) => boolean;

/**
 * Visits the values that a query finds at a path. Returns whether a visit returned true. A missing
 * field in a document counts as undefined. With `leafArrays`, an array at the end is visited
 * element by element and then as a whole, else only as a whole.
 */
export function visitPath(document: Fields, path: Path, leafArrays: boolean, visit: Visit): boolean {
  return visitFields(document, path.parts, 0, leafArrays, visit);
}

function visitFields(document: Fields, parts: Parts, from: number, leafArrays: boolean, visit: Visit): boolean {
  let current: unknown = document;
  for (let index = from; index < parts.length; index += 1) {
    if (!isFields(current)) {
      return Array.isArray(current)
        ? visitArray(current, parts, index, leafArrays, visit)
        : visit(undefined, undefined);
    }
    current = getField(current, parts[index] as string);
  }
  if (!leafArrays || !Array.isArray(current)) return visit(current, undefined);
  for (let index = 0; index < current.length; index += 1) if (visit(current[index], index)) return true;
  return visit(current, undefined);
}

/** Descends into an array's documents, and into the element that the part `from` names by number. */
function visitArray(array: unknown[], parts: Parts, from: number, leafArrays: boolean, visit: Visit): boolean {
  const part = parts[from] as string;
  const wanted = isArrayIndex(part) ? Number(part) : -1;
  for (let index = 0; index < array.length; index += 1) {
    const element = array[index];
    if (isFields(element)) {
      const outermost: Visit = (value) => visit(value, index);
      if (visitFields(element, parts, from, leafArrays, outermost)) return true;
    }
    if (index === wanted && visitElement(element, parts, from + 1, leafArrays, visit)) return true;
  }
  return false;
}

/** Descends from an array element that the path names by number. */
function visitElement(element: unknown, parts: Parts, from: number, leafArrays: boolean, visit: Visit): boolean {
  if (from === parts.length) return visit(element, undefined);
  if (isFields(element)) return visitFields(element, parts, from, leafArrays, visit);
  return Array.isArray(element) && visitArray(element, parts, from, leafArrays, visit);
}

export function readPath(document: Fields, path: Path): unknown {
  let current: unknown = document;
  for (const part of path.parts) {
    if (!isFields(current)) return undefined;
    current = getField(current, part);
  }
  return current;
}

export function fieldPathParts(text: string): string[] {
  if (text === '') throw locationError(40352, 'FieldPath cannot be constructed with empty string');
  if (text.endsWith('.')) throw locationError(40353, "FieldPath must not end with a '.'.");
  const parts = text.split('.');
  for (const part of parts) {
    if (part === '') throw locationError(15998, 'FieldPath field names may not be empty strings.');
    if (part.startsWith('$') && !/^\$(id|ref|db)$/.test(part)) {
      throw locationError(
        16410,
        "FieldPath field names may not start with '$'. Consider using $getField or $setField.",
      );
    }
  }
  return parts;
}
