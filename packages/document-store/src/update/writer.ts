import { pathNotViable, StoreError } from '../errors.ts';
import { describeValue } from '../values/describe-value.ts';
import { copyFields, type Fields, getField, isArrayIndex, isFields, removeField, setField } from '../values/fields.ts';
import { removed, type UpdateContext, unchanged } from './update-operator.ts';
import type { Target } from './update-path.ts';

/** An index so far beyond an array's end is refused rather than filled up with nulls. */
const maximumPadding = 1_500_000;

/**
 * Applies operators to a document without changing it: each container on the way to a changed field is copied once, the rest
 * is shared with the original.
 */
export class UpdateWriter {
  /** The document as it stands; the original itself as long as nothing has changed. */
  document: Fields;
  readonly #copied = new Set<unknown>();

  constructor(document: Fields) {
    this.document = document;
  }

  /** Applies one operator at its path. */
  write(target: Target, context: UpdateContext): void {
    const result = this.#enter(this.document, target, 0, context);
    if (result !== unchanged) this.document = result as Fields;
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
    if (!Array.isArray(container) || !isArrayIndex(part)) return this.#blocked(container, target, index);
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
    const { parts, operator } = target;
    if (index === parts.length - 1) return operator.apply(child, context);
    if (child !== undefined) return this.#enter(child, target, index + 1, context);
    if (!operator.creates) return unchanged;
    let value = operator.apply(undefined, context);
    if (value === unchanged || value === removed) return unchanged;
    for (let depth = parts.length - 1; depth > index; depth -= 1) value = setField({}, parts[depth] as string, value);
    return value;
  }

  #blocked(container: unknown, { parts, operator }: Target, index: number): typeof unchanged {
    if (operator.toleratesBlockedPath) return unchanged;
    const element = `{${parts[index - 1]}: ${describeValue(container).slice(0, 200)}}`;
    throw pathNotViable(
      operator.creates
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
