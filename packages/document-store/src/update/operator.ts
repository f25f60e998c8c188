import type { Fields } from '../values/fields.ts';

/** What an update operator gives where the field stays as it is. */
export const unchanged = Symbol('unchanged');
/** What an update operator gives where the field goes. */
export const removed = Symbol('removed');

/** Where and when an operator is applied. */
export interface UpdateContext {
  /** The path of the field, positional parts replaced by indexes. */
  path: string;
  /** The document before the update. */
  document: Fields;
  /** One time for the whole update. */
  now: Date;
}

/** One operator with its operand, such as `$inc` with 1, to be applied to one field. */
export interface UpdateOperator {
  /** Whether the operator makes the field, and the documents on the path to it, where they are missing. */
  readonly creates: boolean;
  /** Whether a value on the path that can't hold the field is no error. */
  readonly toleratesBlockedPath: boolean;
  /** How deep the values go that the operator may place in the document; a scalar is 0. */
  readonly depth: number;
  /** Whether the operator has anything to do in a document; absent, it always has. */
  applies?(document: Fields): boolean;
  /**
   * The new value, `unchanged` or `removed`. `value` is undefined where the field is missing, and must not be changed in place.
   */
  apply(value: unknown, context: UpdateContext): unknown;
}
