import type { Frame } from '../aggregate/scope.ts';
import { copyFields, type Fields, fieldNames, getField, isFields, removeField, setField } from '../values/fields.ts';

/** What becomes of a field: its new value, undefined where it goes. The value given is undefined where the field is missing. */
export type Change = (value: unknown, frame: Frame) => unknown;

interface Leaf {
  change: Change;
  /** Whether the field is made, so that it comes behind those that are taken from the document. */
  isMade: boolean;
}

interface Branch {
  children: Map<string, Leaf | Branch>;
  /** Whether some field under it is made. */
  isMade: boolean;
}

type Apply = (document: Fields, branch: Branch, frame: Frame) => Fields;

/** Changes of fields, as a tree of their names: what a projection, `$set` and `$unset` do with a document, which itself stays as it is. */
export class FieldTree {
  readonly #root: Branch = { children: new Map(), isMade: false };
  readonly #collision: (path: readonly string[], isThrough: boolean) => Error;

  /** `collision` makes the error for two changes of which one lies on the path of the other. */
  constructor(collision: (path: readonly string[], isThrough: boolean) => Error) {
    this.#collision = collision;
  }

  place(path: readonly string[], change: Change, isMade = false): void {
    let parent = this.#root;
    for (const part of path.slice(0, -1)) {
      parent.isMade ||= isMade;
      const child = parent.children.get(part) ?? { children: new Map(), isMade: false };
      if (!('children' in child)) throw this.#collision(path, true);
      parent.children.set(part, child);
      parent = child;
    }
    parent.isMade ||= isMade;
    const last = path.at(-1) as string;
    if (parent.children.has(last)) throw this.#collision(path, false);
    parent.children.set(last, { change, isMade });
  }

  has(name: string): boolean {
    return this.#root.children.has(name);
  }

  remove(name: string): void {
    this.#root.children.delete(name);
  }

  /** The named fields alone, in the document's order; then what is made, in the tree's. */
  include(document: Fields, frame: Frame): Fields {
    return include(document, this.#root, frame);
  }

  /** All fields, the named ones changed. */
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
    if (node && ('children' in node || !node.isMade)) take(name, node);
  }
  for (const [name, node] of children) if (node.isMade && getField(result, name) === undefined) take(name, node);
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

/** Goes into documents, and into those in arrays; what is made under anything else is made in a document in its place. */
function changed(value: unknown, node: Leaf | Branch, frame: Frame, apply: Apply): unknown {
  if (!('children' in node)) return node.change(value, frame);
  if (isFields(value)) return apply(value, node, frame);
  if (!Array.isArray(value)) return node.isMade ? apply({}, node, frame) : apply === include ? undefined : value;
  frame.spend(value.length);
  const elements = value.map((element) => changed(element, node, frame, apply));
  return apply === include ? elements.filter((element) => element !== undefined) : elements;
}
