import { memoryExceeded } from '../errors.ts';
import { checkSize } from '../values/codec.ts';
import { type Fields, fieldNames, getField } from '../values/fields.ts';

/** Limits the work that one document may cause to about 0.1 s, since nothing else runs meanwhile. */
const MAX_STEPS = 2_500_000;
/** Building an element costs this many steps, so an evaluation holds at most 625,000 of them. */
export const STEPS_PER_ELEMENT = 4;

/** Variable values of a running pipeline, by slot. Slot 0 is the current document. */
export class Frame {
  readonly slots: unknown[] = [];
  #steps = 0;

  begin(document: unknown): void {
    this.slots[0] = document;
    this.#steps = 0;
  }

  /** Counts loop steps. Throws when one document causes too much work. */
  spend(steps: number): void {
    this.#steps += steps;
    if (this.#steps > MAX_STEPS) throw memoryExceeded('an expression takes too many steps for one document');
  }

  /** Sets a variable. Its size counts as work, or 50 steps could double it 50 times. */
  bind(slot: number, value: unknown): void {
    if (typeof value === 'object' && value !== null) this.spend(checkSize(value) >> 4);
    this.slots[slot] = value;
  }
}

export type Expression = (frame: Frame) => unknown;

export interface Scope {
  readonly now: Date;
  readonly frame: Frame;
  compile(operand: unknown): Expression;
  with(name: string): { scope: Scope; slot: number };
}

/** Compiles the variables of a `let`. `bind` evaluates them. */
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
