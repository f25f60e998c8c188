import { cannotIndexParallelArrays, locationError } from '../errors.ts';
import { type Fields, getField, isArrayIndex, isFields } from '../values/fields.ts';

/** One field of an index or of a sort: a dotted path and 1 (ascending) or -1 (descending). */
export interface KeyField {
  path: string;
  direction: number;
}

/** What `extractIndexKeys` finds in one document. */
export interface IndexKeys {
  /** One list of values for each key, in the order of the index's fields; the same key may come twice. */
  keys: unknown[][];
  /** Whether an array was expanded. */
  multikey: boolean;
  /** Whether the document has none of the fields. */
  missing: boolean;
}

/**
 * The keys of a document in an index. A missing field is null; an array gives a key for each element, an empty one
 * `undefined` (which sorts below null). With `sparse`, keys that have none of the fields are left out.
 * Throws CannotIndexParallelArrays (171) for two arrays side by side, and 16746 where a number in a path could name both an
 * array's element and a field.
 */
export function extractIndexKeys(document: Fields, fields: readonly KeyField[], sparse = false): IndexKeys {
  const result = extractScalarKey(document, fields) ?? { keys: [], multikey: false, missing: true };
  if (result.keys.length === 0) {
    const cursors = fields.map(({ path }) => ({ parts: path.split('.'), next: 0, node: document, atEnd: false }));
    expand(cursors, sparse, result);
  } else if (sparse && result.missing) {
    result.keys = [];
  }
  return result;
}

/** Most keys are of top-level fields without arrays: one key, nothing to expand. */
function extractScalarKey(document: Fields, fields: readonly KeyField[]): IndexKeys | undefined {
  const key: unknown[] = [];
  let missing = true;
  for (const { path } of fields) {
    const value = path.includes('.') ? [] : getField(document, path);
    if (Array.isArray(value)) return undefined;
    if (value !== undefined) missing = false;
    key.push(value === undefined ? null : value);
  }
  return { keys: [key], multikey: false, missing };
}

/** How far a path has been followed: `node` is what stands there. At its end, an unset `node` is a missing field. */
interface Cursor {
  readonly parts: readonly string[];
  readonly next: number;
  readonly node: unknown;
  readonly atEnd: boolean;
}

/** Stands for the one key of an empty array, apart from a missing field. */
const emptyArray = Symbol('empty array');

/** Follows every path to its end or to an array, and expands that array or adds the finished key. */
function expand(cursors: readonly Cursor[], sparse: boolean, result: IndexKeys): void {
  const reached = cursors.map(follow);
  const expanding = reached.filter((cursor) => !cursor.atEnd);
  const array = expanding[0]?.node as unknown[] | undefined;
  if (!array) {
    addKey(reached, sparse, result);
    return;
  }
  for (const other of expanding) {
    if (other.node !== array) throw parallelArrays(expanding[0] as Cursor, other);
  }
  result.multikey = true;
  for (const element of array.length === 0 ? [emptyArray] : array) {
    expand(
      reached.map((cursor) => (cursor.atEnd ? cursor : enter(cursor, element))),
      sparse,
      result,
    );
  }
}

function follow(cursor: Cursor): Cursor {
  if (cursor.atEnd) return cursor;
  const { parts } = cursor;
  let { next, node } = cursor;
  let byNumber = false;
  for (; next < parts.length; next += 1) {
    const part = parts[next] as string;
    if (isFields(node)) {
      node = getField(node, part);
      byNumber = false;
    } else if (Array.isArray(node)) {
      if (!isArrayIndex(part) || Number(part) >= node.length) return { parts, next, node, atEnd: false };
      refuseAmbiguous(node, part);
      node = node[Number(part)];
      byNumber = true;
    } else {
      return { parts, next: parts.length, node: undefined, atEnd: true };
    }
  }
  // An array that the path named as an element of another is one value.
  return { parts, next, node, atEnd: byNumber || !Array.isArray(node) };
}

/** Steps from the array at which a path stopped into one of its elements. */
function enter({ parts, next }: Cursor, element: unknown): Cursor {
  if (next === parts.length) return { parts, next, node: element === undefined ? null : element, atEnd: true };
  if (isFields(element)) return { parts, next, node: element, atEnd: false };
  return { parts, next, node: undefined, atEnd: true };
}

function addKey(cursors: readonly Cursor[], sparse: boolean, result: IndexKeys): void {
  const missing = cursors.every((cursor) => cursor.node === undefined);
  if (!missing) result.missing = false;
  if (missing && sparse) return;
  result.keys.push(
    cursors.map(({ node }) => {
      if (node === undefined) return null;
      return node === emptyArray ? undefined : node;
    }),
  );
}

function refuseAmbiguous(array: readonly unknown[], part: string): void {
  for (const element of array) {
    if (isFields(element) && getField(element, part) !== undefined) {
      throw locationError(
        16746,
        `Ambiguous field name found in array (do not use numeric field names in embedded elements in an array), field: '${part}'`,
      );
    }
  }
}

function parallelArrays(first: Cursor, second: Cursor): Error {
  const name = ({ parts, next }: Cursor) => parts[next - 1];
  return cannotIndexParallelArrays(`cannot index parallel arrays [${name(second)}] [${name(first)}]`);
}
