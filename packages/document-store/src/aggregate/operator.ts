import { Int32, Long } from 'bson';
import { locationError, StoreError, typeMismatch } from '../errors.ts';
import { type Fields, fieldNames, getField, isFields } from '../values/fields.ts';
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

/** Operators by name. */
export type Operators = Readonly<Record<string, Operator>>;

/** Throws ExceededMemoryLimit, as MongoDB does for what can't spill to disk. */
export function memoryExceeded(message: string): StoreError {
  return new StoreError(146, 'ExceededMemoryLimit', message);
}

/** What an argument has to be. */
export interface Kind<Value> {
  /** As messages tell it. */
  readonly wanted: string;
  /** The code of the error for anything else. */
  readonly code: number;
  /** Absent where every value will do. */
  readonly accepts?: (value: unknown) => boolean;
  /** What the operator gets of a value that is accepted; absent where that is the value itself. */
  readonly read?: (value: unknown) => Value;
  /** Whether null, or nothing, makes the result of the operator null; else it is accepted, or refused, as any other value. */
  readonly spreadsNull: boolean;
  /** Whether it may be left out. */
  readonly optional?: boolean;
  /** Whether it is evaluated only when the operator calls it. */
  readonly lazy?: boolean;
}

type Kinds = readonly Kind<unknown>[] | Readonly<Record<string, Kind<unknown>>>;
type Values<Of extends Kinds> = { -readonly [Key in keyof Of]: Of[Key] extends Kind<infer Value> ? Value : never };

/** Where an operator runs. */
interface Call {
  name: string;
  frame: Frame;
}

type Apply<Given> = (values: Given, call: Call) => unknown;

/** An operator whose arguments are a list, or one alone. */
export function operator<const Of extends readonly Kind<unknown>[]>(kinds: Of, apply: Apply<Values<Of>>): Operator {
  const least = kinds.filter(({ optional }) => !optional).length;
  return evaluating(
    (argument, name) => {
      const operands = listOf(argument, name, least, kinds.length);
      return operands.map((operand, at) => ({
        operand,
        kind: kinds[at] as Kind<unknown>,
        place: `argument ${at + 1}`,
      }));
    },
    (values, call) => apply(values as Values<Of>, call),
  );
}

/** An operator of any number of arguments, all of one kind. */
export function variadic<Value>(kind: Kind<Value>, apply: Apply<Value[]>, least = 0): Operator {
  return evaluating(
    (argument, name) =>
      listOf(argument, name, least, Number.POSITIVE_INFINITY).map((operand) => ({
        operand,
        kind,
        place: 'an argument',
      })),
    (values, call) => apply(values as Value[], call),
  );
}

/** An operator that takes its arguments by name. */
export function named<const Of extends Readonly<Record<string, Kind<unknown>>>>(
  kinds: Of,
  codes: ArgumentCodes,
  apply: Apply<Values<Of>>,
): Operator {
  const names = Object.entries(kinds).map(([name, { optional }]) => (optional ? `${name}?` : name));
  return (argument, scope, name) => {
    const given = [...namedArguments(argument, name, names, codes)];
    const fields = given.map(([field]) => field);
    const evaluate = evaluating(
      () => given.map(([field, operand]) => ({ operand, kind: kinds[field] as Kind<unknown>, place: `'${field}'` })),
      (values, call) => {
        const byName: Record<string, unknown> = {};
        for (let at = 0; at < values.length; at += 1) byName[fields[at] as string] = values[at];
        return apply(byName as Values<Of>, call);
      },
    );
    return evaluate(argument, scope, name);
  };
}

interface Input {
  operand: unknown;
  kind: Kind<unknown>;
  place: string;
}

function evaluating(read: (argument: unknown, name: string) => Input[], apply: Apply<unknown[]>): Operator {
  return (argument, scope, name) => {
    const inputs = read(argument, name).map(({ operand, kind, place }) => {
      const expression = scope.compile(operand);
      const evaluate: Expression = kind.lazy ? (frame) => () => expression(frame) : expression;
      return { kind, evaluate, what: `${place} of ${name}` };
    });
    const call = { name, frame: scope.frame };
    return (frame) => {
      const values: unknown[] = [];
      for (const { kind, evaluate } of inputs) {
        const value = evaluate(frame);
        if (value == null && kind.spreadsNull) return null;
        values.push(value);
      }
      for (let at = 0; at < values.length; at += 1) {
        const { kind, what } = inputs[at] as (typeof inputs)[number];
        if (kind.accepts) values[at] = readAs(kind, values[at], what);
      }
      return apply(values, call);
    };
  };
}

/** The value, read as one of a kind. Throws what the operators throw for any other. */
export function readAs<Value>(kind: Kind<Value>, value: unknown, what: string): Value {
  const { accepts, read, wanted, code } = kind;
  if (!accepts || accepts(value)) return read ? read(value) : (value as Value);
  const message = `${what} must be ${wanted}, but is of type ${typeOf(value)}`;
  throw code === 14 ? typeMismatch(message) : locationError(code, message);
}

/** The operands that stand in a list, or alone. Throws where they are too few or too many. */
function listOf(argument: unknown, name: string, least: number, most: number): unknown[] {
  const operands = Array.isArray(argument) ? argument : [argument];
  const count = operands.length;
  if (count >= least && count <= most) return operands;
  const wanted = least === most ? `exactly ${least}` : `at least ${least}, and at most ${most}`;
  throw locationError(
    least === most ? 16020 : 28667,
    `Expression ${name} takes ${wanted} arguments. ${count} were passed in.`,
  );
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

/** The type of a value as messages tell it. */
export function typeOf(value: unknown): TypeName | 'missing' {
  return value === undefined ? 'missing' : typeName(value);
}

/** An int where it fits, else a long. */
export function integer(value: number): Int32 | Long {
  return value === (value | 0) ? new Int32(value) : Long.fromNumber(value);
}
