import { locationError } from '../errors.ts';
import { type Fields, getField, isArrayIndex, isFields } from './fields.ts';

/** A dotted path in its parts. */
export interface Path {
  readonly text: string;
  readonly parts: readonly string[];
}

/** Splits a dotted path. Empty parts are kept: MongoDB reads them as fields with an empty name. */
export function compilePath(text: string): Path {
  return { text, parts: text.split('.') };
}

/**
 * Takes one value found at a path; returning true ends the visit. `arrayIndex` is the place, in the outermost array that
 * was gone through, of the element that led to the value; undefined where none was, or only by a number in the path.
 */
export type VisitValue = (value: unknown, arrayIndex: number | undefined) => boolean;

/**
 * Visits the values that a query finds at a path: through arrays implicitly and by index. Where a document lacks the field the
 * value is undefined; where an array holds nothing that the path could go on into, nothing is visited. With `leafArrays`,
 * an array at the end of the path is visited by its elements and then as a whole; without, as a whole only.
 * Returns whether a visit returned true.
 */
export function visitPath(document: Fields, path: Path, leafArrays: boolean, visit: VisitValue): boolean {
  return visitFields(document, path.parts, 0, leafArrays, visit);
}

function visitFields(
  document: Fields,
  parts: readonly string[],
  from: number,
  leafArrays: boolean,
  visit: VisitValue,
): boolean {
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

/** Goes on into an array that stands before the part `from`: into each document in it, and into the element of that number. */
function visitArray(
  array: unknown[],
  parts: readonly string[],
  from: number,
  leafArrays: boolean,
  visit: VisitValue,
): boolean {
  const part = parts[from] as string;
  const wanted = isArrayIndex(part) ? Number(part) : -1;
  for (let index = 0; index < array.length; index += 1) {
    const element = array[index];
    if (isFields(element)) {
      const outermost: VisitValue = (value) => visit(value, index);
      if (visitFields(element, parts, from, leafArrays, outermost)) return true;
    }
    if (index === wanted && visitElement(element, parts, from + 1, leafArrays, visit)) return true;
  }
  return false;
}

/** Goes on from an array's element that the path named by its number. */
function visitElement(
  element: unknown,
  parts: readonly string[],
  from: number,
  leafArrays: boolean,
  visit: VisitValue,
): boolean {
  if (from === parts.length) return visit(element, undefined);
  if (isFields(element)) return visitFields(element, parts, from, leafArrays, visit);
  return Array.isArray(element) && visitArray(element, parts, from, leafArrays, visit);
}

/** The value at a path through documents only; an array on the way, or a missing field, gives undefined. */
export function readPath(document: Fields, path: Path): unknown {
  let current: unknown = document;
  for (const part of path.parts) {
    if (!isFields(current)) return undefined;
    current = getField(current, part);
  }
  return current;
}

/** The parts of a path that names a field to sort by or to show. Throws for names that such paths can't have. */
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
