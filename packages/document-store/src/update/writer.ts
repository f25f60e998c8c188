import { pathNotViable, StoreError } from '../errors.ts';
import { copyFields, type Fields, getField, isArrayIndex, isFields, removeField, setField } from '../values/fields.ts';
import type { Modification } from './modifications.ts';
import { describeShort, removed, type UpdateContext, unchanged } from './operator.ts';

/** Larger gaps beyond an array's end are rejected instead of filled with nulls. */
const MAX_PADDING = 1_500_000;

type Target = Pick<Modification, 'parts' | 'change' | 'missing'>;

/** Changes a document without modifying it. Copies each changed container once. */
export class UpdateWriter {
  document: Fields;
  readonly #copied = new Set<unknown>();

  constructor(document: Fields) {
    this.document = document;
  }

  /** Applies a change at a path without positional parts. Returns whether anything changed. */
  write(target: Target, context: UpdateContext): boolean {
    const result = this.#enter(this.document, target, 0, context);
    if (result !== unchanged) this.document = result as Fields;
    return result !== unchanged;
  }

  #enter(container: unknown, target: Target, index: number, context: UpdateContext): unknown {
    const part = target.parts[index] as string;
    if (isFields(container)) {
      const value = this.#next(getField(container, part), target, index, context);
      if (value === unchanged) return unchanged;
      const copy = this.#copyOnce(container, copyFields);
      if (value !== removed) return this.#markCopied(setField(copy, part, value));
      removeField(copy, part);
      return copy;
    }
    if (!Array.isArray(container) || !isArrayIndex(part)) return this.#blocked(container, target, index, context);
    const position = Number(part);
    const value = this.#next(container[position], target, index, context);
    if (value === unchanged) return unchanged;
    if (position > container.length + MAX_PADDING) {
      throw new StoreError(34, 'CannotBackfillArray', `can't backfill more than ${MAX_PADDING} elements`);
    }
    const copy = this.#copyOnce(container, (array) => [...array]);
    while (copy.length < position) copy.push(null);
    // Removing the element would move those after it.
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
    const element = `{${parts[index - 1]}: ${describeShort(container)}}`;
    throw pathNotViable(
      missing === 'create'
        ? `Cannot create field '${parts[index]}' in element ${element}`
        : `Cannot use the part (${parts[index]}) of (${parts.join('.')}) to traverse the element (${element})`,
    );
  }

  #copyOnce<T extends object>(container: T, copy: (container: T) => T): T {
    return this.#copied.has(container) ? container : this.#markCopied(copy(container));
  }

  #markCopied<T>(container: T): T {
    this.#copied.add(container);
    return container;
  }
}
