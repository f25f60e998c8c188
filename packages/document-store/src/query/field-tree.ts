import type { Frame } from '../aggregate/scope.ts';
import { copyFields, type Fields, fieldNames, getField, isFields, removeField, setField } from '../values/fields.ts';

/** Computes a field's new value. Undefined means a missing field, before or after. */
export type Change = (value: unknown, frame: Frame) => unknown;

interface Leaf {
  change: Change;
  /** Computed fields follow the document's own. */
  isComputed: boolean;
}

interface Branch {
  children: Map<string, Leaf | Branch>;
  isComputed: boolean;
}

type Apply = (document: Fields, branch: Branch, frame: Frame) => Fields;

/** A tree of field changes, as in a projection, `$set`, or `$unset`. Does not modify documents. */
export class FieldTree {
  readonly #root: Branch = { children: new Map(), isComputed: false };
  readonly #collision: (path: readonly string[], isThrough: boolean) => Error;

  /** `collision` creates the error for a path that conflicts with another one. */
  constructor(collision: (path: readonly string[], isThrough: boolean) => Error) {
    this.#collision = collision;
  }

  add(path: readonly string[], change: Change, isComputed = false): void {
    let parent = this.#root;
    for (const part of path.slice(0, -1)) {
      parent.isComputed ||= isComputed;
      const child = parent.children.get(part) ?? { children: new Map(), isComputed: false };
      if (!('children' in child)) throw this.#collision(path, true);
      parent.children.set(part, child);
      parent = child;
    }
    parent.isComputed ||= isComputed;
    const last = path.at(-1) as string;
    if (parent.children.has(last)) throw this.#collision(path, false);
    parent.children.set(last, { change, isComputed });
  }

  has(name: string): boolean {
    return this.#root.children.has(name);
  }

  remove(name: string): void {
    this.#root.children.delete(name);
  }

  /** Returns the named fields in the document's order, then the computed ones in the tree's. */
  include(document: Fields, frame: Frame): Fields {
    return include(document, this.#root, frame);
  }

  modify(document: Fields, frame: Frame): Fields {
    return modify(document, this.#root, frame);
  }
}

function include(document: Fields, { children }: Branch, frame: Frame): Fields {
  let result: Fields = document instanceof Map ? new Map() : {};
  const take = (name: string, node: Leaf | Branch): void => {
    const value = changed(getField(document, name), node, frame, include);
    if (value !== undefined) result = setField(result, name, value);
  };
  for (const name of fieldNames(document)) {
    const node = children.get(name);
    if (node && ('children' in node || !node.isComputed)) take(name, node);
  }
  for (const [name, node] of children) if (node.isComputed && getField(result, name) === undefined) take(name, node);
  return result;
}

function modify(document: Fields, { children }: Branch, frame: Frame): Fields {
  let result = copyFields(document);
  for (const [name, node] of children) {
    const before = getField(document, name);
    const value = changed(before, node, frame, modify);
    if (value === undefined) removeField(result, name);
    else if (value !== before) result = setField(result, name, value);
  }
  return result;
}

/** Descends into documents and arrays of documents. Computed fields replace any other value. */
function changed(value: unknown, node: Leaf | Branch, frame: Frame, apply: Apply): unknown {
  if (!('children' in node)) return node.change(value, frame);
  if (isFields(value)) return apply(value, node, frame);
  if (!Array.isArray(value)) return node.isComputed ? apply({}, node, frame) : apply === include ? undefined : value;
  frame.spend(value.length);
  const elements = value.map((element) => changed(element, node, frame, apply));
  return apply === include ? elements.filter((element) => element !== undefined) : elements;
}
