import { Int32, Long } from 'bson';
import { locationError, StoreError } from '../errors.ts';
import { fieldNames, getField, isFields } from '../values/fields.ts';
import { nearestDouble } from '../values/numbers.ts';
import { checkBytes } from '../values/sizes.ts';
import { type TypeName, typeName } from '../values/types.ts';

/** Work that one document may cause, counted in steps of loops: about half a second. */
const MAX_STEPS = 10_000_000;
/** What makes an element costs so many steps; so an evaluation holds at most 2.5 million of them. */
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

/** Compiles `{name: argument}`. Throws for malformed arguments, before any document is read. */
export type Operator = (argument: unknown, scope: Scope, name: string) => Expression;

/** Throws ExceededMemoryLimit, as MongoDB does for what can't spill to disk. */
export function memoryExceeded(message: string): StoreError {
  return new StoreError(146, 'ExceededMemoryLimit', message);
}

/** An operator whose arguments are all evaluated, `least` to `most` of them. */
export function operator(least: number, most: number, apply: (values: unknown[], name: string) => unknown): Operator {
  return (argument, scope, name) => {
    const operands = Array.isArray(argument) ? argument : [argument];
    const count = operands.length;
    if (count < least || count > most) {
      const wanted = least === most ? `exactly ${least}` : `at least ${least} arguments, and at most ${most}`;
      throw locationError(
        least === most ? 16020 : 28667,
        `Expression ${name} takes ${wanted} arguments. ${count} were passed in.`,
      );
    }
    const expressions = operands.map((operand) => scope.compile(operand));
    return (frame) => {
      const values: unknown[] = [];
      for (const expression of expressions) values.push(expression(frame));
      return apply(values, name);
    };
  };
}

/** As `operator`, but null or missing in any place makes the result null. */
export function strict(least: number, most: number, apply: (values: unknown[], name: string) => unknown): Operator {
  return operator(least, most, (values, name) => {
    for (const value of values) if (value == null) return null;
    return apply(values, name);
  });
}

/** An operator of one argument; null or missing makes null. */
export function unary(apply: (value: unknown, name: string) => unknown): Operator {
  return strict(1, 1, (values, name) => apply(values[0], name));
}

/** The codes of a malformed document of arguments: not a document, an unknown argument, a missing one. */
type ArgumentCodes = readonly [notDocument: number, unknown: number, missing: number];

/** The arguments of an operator that takes them by name, each as it stands; names end in `?` where they may be absent. */
export function namedArguments(
  argument: unknown,
  name: string,
  names: readonly string[],
  [notDocument, unknown, missing]: ArgumentCodes,
): Map<string, unknown> {
  if (!isFields(argument))
    throw locationError(notDocument, `${name} requires an object as an argument, found: ${typeName(argument)}`);
  const known = new Set(names.map((known) => known.replace('?', '')));
  const given = new Map<string, unknown>();
  for (const field of fieldNames(argument)) {
    if (!known.has(field)) throw locationError(unknown, `${name} found an unknown argument: ${field}`);
    given.set(field, getField(argument, field));
  }
  for (const field of names) {
    if (!field.endsWith('?') && !given.has(field))
      throw locationError(missing, `Missing '${field}' parameter to ${name}`);
  }
  return given;
}

/** An operator that takes evaluated arguments by name. */
export function named(
  names: readonly string[],
  codes: ArgumentCodes,
  apply: (values: Record<string, unknown>, name: string) => unknown,
): Operator {
  return (argument, scope, name) => {
    const given = [...namedArguments(argument, name, names, codes)];
    const expressions = given.map(([field, operand]) => [field, scope.compile(operand)] as const);
    return (frame) => {
      const values: Record<string, unknown> = {};
      for (const [field, expression] of expressions) values[field] = expression(frame);
      return apply(values, name);
    };
  };
}

/** The type of a value as messages tell it. */
export function typeOf(value: unknown): TypeName | 'missing' {
  return value === undefined ? 'missing' : typeName(value);
}

/** An int where it fits, else a long. */
export function integer(value: number): Int32 | Long {
  return value === (value | 0) ? new Int32(value) : Long.fromNumber(value);
}

/** A whole number of 32 bits; throws `code` for anything else. */
export function int32Of(value: unknown, code: number, what: string): number {
  const number = nearestDouble(value);
  if (number === undefined || number !== (number | 0)) {
    throw locationError(code, `${what} must be representable as a 32-bit integer, found: ${typeOf(value)}`);
  }
  return number;
}

/** A string; throws `code` for anything else. */
export function stringArgument(value: unknown, code: number, what: string): string {
  if (typeof value !== 'string') throw locationError(code, `${what} requires a string, found: ${typeOf(value)}`);
  return value;
}

/** An array; throws `code` for anything else. */
export function arrayArgument(value: unknown, code: number, what: string): unknown[] {
  if (!Array.isArray(value)) throw locationError(code, `${what} must be an array, but is ${typeOf(value)}`);
  return value;
}
