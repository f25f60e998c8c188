import { memoryExceeded } from '../errors.ts';
import { type Fields, fieldNames, getField } from '../values/fields.ts';
import { checkBytes } from '../values/sizes.ts';

/** Work that one document may cause, counted in steps of loops: about a tenth of a second, in which nobody else is served. */
const MAX_STEPS = 2_500_000;
/** Making an element costs this many steps, so an evaluation holds at most 625,000 of them. */
export const MAKING = 4;

/** The values of the variables while a pipeline runs, by slot. Slot 0 is the document at hand. */
export class Frame {
  readonly slots: unknown[] = [];
  #steps = 0;

  begin(document: unknown): void {
    this.slots[0] = document;
    this.#steps = 0;
  }

  /** To be called for the steps of a loop; throws when a single document makes too much work. */
  spend(steps: number): void {
    this.#steps += steps;
    if (this.#steps > MAX_STEPS) throw memoryExceeded('an expression takes too many steps for one document');
  }

  /** Gives a variable its value; one that holds others must not outgrow a document, or 50 steps could double it 50 times. */
  bind(slot: number, value: unknown): void {
    if (typeof value === 'object' && value !== null) this.spend(checkBytes(value) >> 4);
    this.slots[slot] = value;
  }
}

/** A compiled expression. A missing value is undefined. */
export type Expression = (frame: Frame) => unknown;

/** What an expression is compiled in: the variables that it may name. */
export interface Scope {
  readonly now: Date;
  readonly frame: Frame;
  compile(operand: unknown): Expression;
  /** The scope inside which one more variable exists, and its slot. */
  with(name: string): { scope: Scope; slot: number };
}

/** Variables that `let` and its kin give: the scope that has them, and how they get their values. */
export function bindVariables(given: Fields, scope: Scope): { scope: Scope; bind: (frame: Frame) => void } {
  let inner = scope;
  const bindings = fieldNames(given).map((variable) => {
    const expression = scope.compile(getField(given, variable));
    const bound = inner.with(variable);
    inner = bound.scope;
    return { expression, slot: bound.slot };
  });
  return {
    scope: inner,
    bind(frame) {
      for (const { expression, slot } of bindings) frame.bind(slot, expression(frame));
    },
  };
}
