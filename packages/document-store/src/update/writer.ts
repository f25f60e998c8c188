import { pathNotViable, StoreError } from '../errors.ts';
import { copyFields, type Fields, getField, isArrayIndex, isFields, removeField, setField } from '../values/fields.ts';
import type { Modification } from './modifications.ts';
import { removed, shown, type UpdateContext, unchanged } from './operator.ts';

/** An index so far beyond an array's end is refused rather than filled up with nulls. */
const maximumPadding = 1_500_000;

type Target = Pick<Modification, 'parts' | 'change' | 'missing'>;

/**
 * Changes a document without touching it: each container on the way to a changed field is copied once, the rest is shared
 * with the original.
 */
export class UpdateWriter {
  /** The document as it stands; the original itself as long as nothing has changed. */
  document: Fields;
  readonly #copied = new Set<unknown>();

  constructor(document: Fields) {
    this.document = document;
  }

  /** Makes one change at its path, which has no positional parts; returns whether anything has changed. */
  write(target: Target, context: UpdateContext): boolean {
    const result = this.#enter(this.document, target, 0, context);
    if (result !== unchanged) this.document = result as Fields;
    return result !== unchanged;
  }

  /** The container as it is after the change under it, or `unchanged`. */
  #enter(container: unknown, target: Target, index: number, context: UpdateContext): unknown {
    const part = target.parts[index] as string;
    if (isFields(container)) {
      const value = this.#next(getField(container, part), target, index, context);
      if (value === unchanged) return unchanged;
      const copy = this.#own(container, copyFields);
      if (value !== removed) return this.#adopt(setField(copy, part, value));
      removeField(copy, part);
      return copy;
    }
    if (!Array.isArray(container) || !isArrayIndex(part)) return this.#blocked(container, target, index, context);
    const position = Number(part);
    const value = this.#next(container[position], target, index, context);
    if (value === unchanged) return unchanged;
    if (position > container.length + maximumPadding) {
      throw new StoreError(34, 'CannotBackfillArray', `can't backfill more than ${maximumPadding} elements`);
    }
    const copy = this.#own(container, (array) => [...array]);
    while (copy.length < position) copy.push(null);
    // An element can't go without moving those behind it.
    copy[position] = value === removed ? null : value;
    return copy;
  }

  #next(child: unknown, target: Target, index: number, context: UpdateContext): unknown {
    const { parts, change, missing } = target;
    if (index === parts.length - 1) return change(child, context);
    if (child !== undefined) return this.#enter(child, target, index + 1, context);
    const value = missing === 'create' ? change(undefined, context) : unchanged;
    if (value === unchanged) return unchanged;
    return parts.slice(index + 1).reduceRight((inner, part) => setField({}, part, inner), value);
  }

  #blocked(container: unknown, target: Target, index: number, context: UpdateContext): typeof unchanged {
    const { parts, change, missing } = target;
    if (missing === 'ignore' || (missing === 'create' && change(undefined, context) === unchanged)) return unchanged;
    const element = `{${parts[index - 1]}: ${shown(container)}}`;
    throw pathNotViable(
      missing === 'create'
        ? `Cannot create field '${parts[index]}' in element ${element}`
        : `Cannot use the part (${parts[index]}) of (${parts.join('.')}) to traverse the element (${element})`,
    );
  }

  #own<T extends object>(container: T, copy: (container: T) => T): T {
    return this.#copied.has(container) ? container : this.#adopt(copy(container));
  }

  #adopt<T>(container: T): T {
    this.#copied.add(container);
    return container;
  }
}
