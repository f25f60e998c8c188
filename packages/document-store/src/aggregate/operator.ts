import { ObjectId, type Timestamp } from 'bson';
import { locationError, typeMismatch } from '../errors.ts';
import { type Fields, fieldNames, getField, isFields } from '../values/fields.ts';
import { integerOf, isNumber } from '../values/numbers.ts';
import { type TypeName, typeName } from '../values/types.ts';
import type { Expression, Frame, Scope } from './scope.ts';

export type Operator = (argument: unknown, scope: Scope, name: string) => Expression;

export type Operators = Readonly<Record<string, Operator>>;

export interface Parameter<Value> {
  readonly expected: string;
  readonly code: number;
  /** If absent, every value is accepted. */
  readonly accepts?: (value: unknown) => boolean;
  /** Converts an accepted value; if absent, the operator gets the value itself. */
  readonly read?: (value: unknown) => Value;
  /** True if a null or missing argument makes the operator's result null. */
  readonly propagatesNull: boolean;
  readonly optional?: boolean;
  readonly lazy?: boolean;
}

function defineParameter<Value>(
  expected: string,
  accepts: (value: unknown) => boolean,
  read?: (value: unknown) => Value,
): (code: number) => Parameter<Value> {
  return (code) => ({ expected, code, accepts, ...(read && { read }), propagatesNull: true });
}

export const anything: Parameter<unknown> = { expected: 'anything', code: 0, propagatesNull: false };

export const lazy: Parameter<() => unknown> = { ...(anything as Parameter<() => unknown>), lazy: true, optional: true };

export const array = defineParameter<unknown[]>('an array', Array.isArray);
export const text = defineParameter<string>('a string', (value) => typeof value === 'string');
export const fields = defineParameter<Fields>('an object', isFields);
export const number = defineParameter<unknown>('a number', isNumber);
export const wholeNumber = defineParameter(
  'an integer',
  (value) => integerOf(value) !== undefined,
  (value) => integerOf(value) as number,
);
export const date = defineParameter(
  'a date',
  (value) => dateOf(value) !== undefined,
  dateOf as (value: unknown) => Date,
);

export function dateOf(value: unknown): Date | undefined {
  if (value instanceof Date) return value;
  if (value instanceof ObjectId) return value.getTimestamp();
  return typeOrMissing(value) === 'timestamp' ? new Date((value as Timestamp).getHighBitsUnsigned() * 1000) : undefined;
}

export function optional<Value>(parameter: Parameter<Value>): Parameter<Value | undefined> {
  return { ...parameter, optional: true };
}

export function nonNull<Value>(parameter: Parameter<Value>): Parameter<Value> {
  return { ...parameter, propagatesNull: false };
}

/** An argument that may be null; the operator then gets undefined. */
export function nullable<Value>(parameter: Parameter<Value>): Parameter<Value | undefined> {
  return {
    ...parameter,
    propagatesNull: false,
    accepts: (value) => value == null || (parameter.accepts?.(value) ?? true),
    read: (value) => (value == null ? undefined : readArgument(parameter, value, parameter.expected)),
  };
}

type ParameterList = readonly Parameter<unknown>[];
type ParameterMap = Readonly<Record<string, Parameter<unknown>>>;
type Values<Of extends ParameterList | ParameterMap> = {
  -readonly [Key in keyof Of]: Of[Key] extends Parameter<infer Value> ? Value : never;
};

type Apply<Given> = (values: Given, call: { name: string; frame: Frame }) => unknown;

export function operator<const Of extends ParameterList>(parameters: Of, apply: Apply<Values<Of>>): Operator {
  const least = parameters.filter(({ optional }) => !optional).length;
  return (argument, scope, name) => {
    const operands = readOperands(argument, name, least, parameters.length);
    return compileCall(operands, parameters, scope, name, apply as Apply<unknown[]>);
  };
}

export function variadicOperator<Value>(parameter: Parameter<Value>, apply: Apply<Value[]>, least = 0): Operator {
  return (argument, scope, name) => {
    const operands = readOperands(argument, name, least, Number.POSITIVE_INFINITY);
    return compileCall(operands, Array(operands.length).fill(parameter), scope, name, apply as Apply<unknown[]>);
  };
}

export function namedOperator<const Of extends ParameterMap>(parameters: Of, apply: Apply<Values<Of>>): Operator {
  const names = Object.entries(parameters).map(([name, { optional }]) => (optional ? `${name}?` : name));
  return (argument, scope, name) => {
    const given = readNamedArguments(argument, name, names);
    const known = [...given.keys()];
    const applyNamed: Apply<unknown[]> = (values, call) =>
      apply(Object.fromEntries(known.map((field, at) => [field, values[at]])) as Values<Of>, call);
    return compileCall(
      [...given.values()],
      known.map((field) => parameters[field] as Parameter<unknown>),
      scope,
      name,
      applyNamed,
    );
  };
}

function compileCall(
  operands: unknown[],
  parameters: ParameterList,
  scope: Scope,
  name: string,
  apply: Apply<unknown[]>,
): Expression {
  const inputs = operands.map((operand, at) => {
    const parameter = parameters[at] as Parameter<unknown>;
    const expression = scope.compile(operand);
    const evaluate: Expression = parameter.lazy ? (frame) => () => expression(frame) : expression;
    return { parameter, evaluate };
  });
  const call = { name, frame: scope.frame };
  return (frame) => {
    const values: unknown[] = [];
    for (const { parameter, evaluate } of inputs) {
      const value = evaluate(frame);
      if (value == null && parameter.propagatesNull) return null;
      values.push(value);
    }
    for (let at = 0; at < values.length; at += 1)
      values[at] = readArgument(parameters[at] as Parameter<unknown>, values[at], name);
    return apply(values, call);
  };
}

export function readArgument<Value>(parameter: Parameter<Value>, value: unknown, name: string): Value {
  const { accepts, read, expected, code } = parameter;
  if (!accepts || accepts(value)) return read ? read(value) : (value as Value);
  const message = `${name} needs ${expected}, but got a value of type ${typeOrMissing(value)}`;
  throw code === 14 ? typeMismatch(message) : locationError(code, message);
}

export function readOperands(argument: unknown, name: string, least: number, most: number): unknown[] {
  const operands = Array.isArray(argument) ? argument : [argument];
  const count = operands.length;
  if (count >= least && count <= most) return operands;
  const wanted = least === most ? `exactly ${least}` : `at least ${least} and at most ${most}`;
  const code = least === most ? 16020 : 28667;
  throw locationError(code, `Expression ${name} takes ${wanted} arguments. ${count} were passed in.`);
}

/** Reads arguments given by name. A name that ends in `?` is optional. */
export function readNamedArguments(
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

export function typeOrMissing(value: unknown): TypeName | 'missing' {
  return value === undefined ? 'missing' : typeName(value);
}
