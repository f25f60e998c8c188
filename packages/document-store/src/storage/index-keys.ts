import { cannotIndexParallelArrays, locationError } from '../errors.ts';
import { type Fields, getField, isArrayIndex, isFields } from '../values/fields.ts';

export interface KeyField {
  path: string;
  direction: 1 | -1;
}

interface IndexKeys {
  /** One list of values per key, in the order of the fields. Keys may repeat. */
  keys: unknown[][];
  multikey: boolean;
  missing: boolean;
}

/**
 * Extracts a document's index keys. A missing field gives null. An array gives a key per element,
 * and an empty one gives `undefined`, which sorts below null. `sparse` omits keys without any of
 * the fields. Throws CannotIndexParallelArrays (171), and 16746 if a number in a path is ambiguous.
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

/** The fast path: top-level fields without arrays give a single key. */
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

/** A position on a path. At its end, an undefined `node` is a missing field. */
interface Cursor {
  readonly parts: readonly string[];
  readonly next: number;
  readonly node: unknown;
  readonly atEnd: boolean;
}

/** The key of an empty array, as opposed to a missing field. */
const emptyArray = Symbol('empty array');

/** Follows all paths to an array, which it expands, or to the end, where it adds a key. */
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
      rejectAmbiguousPath(node, part);
      node = node[Number(part)];
      byNumber = true;
    } else {
      return { parts, next: parts.length, node: undefined, atEnd: true };
    }
  }
  // An array that the path names by number counts as one value.
  return { parts, next, node, atEnd: byNumber || !Array.isArray(node) };
}

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

function rejectAmbiguousPath(array: readonly unknown[], part: string): void {
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
