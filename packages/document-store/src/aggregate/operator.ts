import { ObjectId, type Timestamp } from 'bson';
import { locationError, typeMismatch } from '../errors.ts';
import { type Fields, fieldNames, getField, isFields } from '../values/fields.ts';
import { integerOf, isNumber } from '../values/numbers.ts';
import { type TypeName, typeName } from '../values/types.ts';
import type { Expression, Frame, Scope } from './scope.ts';

/** Compiles `{name: argument}`. Throws for malformed arguments, before any document is read. */
export type Operator = (argument: unknown, scope: Scope, name: string) => Expression;

/** Operators by name. */
export type Operators = Readonly<Record<string, Operator>>;

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

function kindOf<Value>(
  wanted: string,
  accepts: (value: unknown) => boolean,
  read?: (value: unknown) => Value,
): (code: number) => Kind<Value> {
  return (code) => ({ wanted, code, accepts, ...(read && { read }), spreadsNull: true });
}

/** Any value, also null and none. */
export const anything: Kind<unknown> = { wanted: 'anything', code: 0, spreadsNull: false };

/** What is evaluated only where the operator calls it. */
export const later: Kind<() => unknown> = { ...(anything as Kind<() => unknown>), lazy: true, optional: true };

export const array = kindOf<unknown[]>('an array', Array.isArray);
export const text = kindOf<string>('a string', (value) => typeof value === 'string');
export const fields = kindOf<Fields>('an object', isFields);
export const numeric = kindOf<unknown>('a number', isNumber);
export const whole = kindOf(
  'an integer',
  (value) => integerOf(value) !== undefined,
  (value) => integerOf(value) as number,
);
/** What stands for a moment: a date, and what has one in it. */
export const date = kindOf('a date', (value) => dateOf(value) !== undefined, dateOf as (value: unknown) => Date);

/** The moment of a date, an ObjectId or a timestamp. */
export function dateOf(value: unknown): Date | undefined {
  if (value instanceof Date) return value;
  if (value instanceof ObjectId) return value.getTimestamp();
  return typeOf(value) === 'timestamp' ? new Date((value as Timestamp).getHighBitsUnsigned() * 1000) : undefined;
}

/** An argument that may be left out. */
export function optional<Value>(kind: Kind<Value>): Kind<Value | undefined> {
  return { ...kind, optional: true };
}

/** An argument that must not be null. */
export function present<Value>(kind: Kind<Value>): Kind<Value> {
  return { ...kind, spreadsNull: false };
}

/** An argument that may be null, which the operator then gets as undefined. */
export function nullable<Value>(kind: Kind<Value>): Kind<Value | undefined> {
  return {
    ...kind,
    spreadsNull: false,
    accepts: (value) => value == null || (kind.accepts?.(value) ?? true),
    read: (value) => (value == null ? undefined : readAs(kind, value, kind.wanted)),
  };
}

type Kinds = readonly Kind<unknown>[] | Readonly<Record<string, Kind<unknown>>>;
type Values<Of extends Kinds> = { -readonly [Key in keyof Of]: Of[Key] extends Kind<infer Value> ? Value : never };

/** What an operator does with its arguments. */
type Apply<Given> = (values: Given, call: { name: string; frame: Frame }) => unknown;

/** An operator whose arguments are a list, or one alone. */
export function operator<const Of extends readonly Kind<unknown>[]>(kinds: Of, apply: Apply<Values<Of>>): Operator {
  const least = kinds.filter(({ optional }) => !optional).length;
  return (argument, scope, name) => {
    const operands = listOf(argument, name, least, kinds.length);
    return evaluating(operands, kinds, scope, name, apply as Apply<unknown[]>);
  };
}

/** An operator of any number of arguments, all of one kind. */
export function variadic<Value>(kind: Kind<Value>, apply: Apply<Value[]>, least = 0): Operator {
  return (argument, scope, name) => {
    const operands = listOf(argument, name, least, Number.POSITIVE_INFINITY);
    return evaluating(operands, Array(operands.length).fill(kind), scope, name, apply as Apply<unknown[]>);
  };
}

/** An operator that takes its arguments by name. */
export function named<const Of extends Readonly<Record<string, Kind<unknown>>>>(
  kinds: Of,
  apply: Apply<Values<Of>>,
): Operator {
  const names = Object.entries(kinds).map(([name, { optional }]) => (optional ? `${name}?` : name));
  return (argument, scope, name) => {
    const given = namedArguments(argument, name, names);
    const known = [...given.keys()];
    const applyNamed: Apply<unknown[]> = (values, call) =>
      apply(Object.fromEntries(known.map((field, at) => [field, values[at]])) as Values<Of>, call);
    return evaluating(
      [...given.values()],
      known.map((field) => kinds[field] as Kind<unknown>),
      scope,
      name,
      applyNamed,
    );
  };
}

function evaluating(
  operands: unknown[],
  kinds: readonly Kind<unknown>[],
  scope: Scope,
  name: string,
  apply: Apply<unknown[]>,
): Expression {
  const inputs = operands.map((operand, at) => {
    const kind = kinds[at] as Kind<unknown>;
    const expression = scope.compile(operand);
    const evaluate: Expression = kind.lazy ? (frame) => () => expression(frame) : expression;
    return { kind, evaluate };
  });
  const call = { name, frame: scope.frame };
  return (frame) => {
    const values: unknown[] = [];
    for (const { kind, evaluate } of inputs) {
      const value = evaluate(frame);
      if (value == null && kind.spreadsNull) return null;
      values.push(value);
    }
    for (let at = 0; at < values.length; at += 1) values[at] = readAs(kinds[at] as Kind<unknown>, values[at], name);
    return apply(values, call);
  };
}

/** The value, read as one of a kind. Throws what the operators throw for any other. */
export function readAs<Value>(kind: Kind<Value>, value: unknown, name: string): Value {
  const { accepts, read, wanted, code } = kind;
  if (!accepts || accepts(value)) return read ? read(value) : (value as Value);
  const message = `${name} needs ${wanted}, but found one of type ${typeOf(value)}`;
  throw code === 14 ? typeMismatch(message) : locationError(code, message);
}

/** The operands that stand in a list, or alone. Throws where they are too few or too many. */
export function listOf(argument: unknown, name: string, least: number, most: number): unknown[] {
  const operands = Array.isArray(argument) ? argument : [argument];
  const count = operands.length;
  if (count >= least && count <= most) return operands;
  const wanted = least === most ? `exactly ${least}` : `at least ${least}, and at most ${most}`;
  const code = least === most ? 16020 : 28667;
  throw locationError(code, `Expression ${name} takes ${wanted} arguments. ${count} were passed in.`);
}

/** The arguments of what takes them by name, each as it stands; names end in `?` where they may be absent. */
export function namedArguments(
  argument: unknown,
  name: string,
  names: readonly string[],
  notDocument = 9,
): Map<string, unknown> {
  if (!isFields(argument)) {
    throw locationError(notDocument, `${name} requires an object as an argument, found: ${typeName(argument)}`);
  }
  const given = new Map(fieldNames(argument).map((field) => [field, getField(argument, field)]));
  for (const field of given.keys()) {
    if (names.includes(field) || names.includes(`${field}?`)) continue;
    throw locationError(40415, `${name} found an unknown argument: ${field}`);
  }
  for (const field of names) {
    if (field.endsWith('?') || given.has(field)) continue;
    throw locationError(40414, `Missing '${field}' parameter to ${name}`);
  }
  return given;
}

/** The type of a value as messages tell it. */
export function typeOf(value: unknown): TypeName | 'missing' {
  return value === undefined ? 'missing' : typeName(value);
}
