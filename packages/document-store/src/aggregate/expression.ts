import { badValue, failedToParse, locationError, StoreError } from '../errors.ts';
import { isTruthy } from '../query/match-operators.ts';
import { type Fields, fieldNames, getField, isFields, setField } from '../values/fields.ts';
import { fieldPathParts } from '../values/path.ts';
import { foldOperators } from './accumulators.ts';
import { arithmeticOperators } from './arithmetic.ts';
import { arrayOperators } from './arrays.ts';
import { conversionOperators } from './conversions.ts';
import { dateOperators } from './dates.ts';
import { logicOperators } from './logic.ts';
import { objectOperators } from './objects.ts';
import type { Operator } from './operator.ts';
import { type Expression, Frame, type Scope } from './scope.ts';
import { stringOperators } from './strings.ts';

const operators = new Map<string, Operator>(
  Object.entries({
    ...arithmeticOperators,
    ...arrayOperators,
    ...conversionOperators,
    ...dateOperators,
    ...foldOperators,
    ...logicOperators,
    ...objectOperators,
    ...stringOperators,
  }),
);

/** The variables in scope. A pipeline never reuses a slot, so all its stages share a frame. */
export class Variables implements Scope {
  readonly frame: Frame;
  readonly now: Date;
  readonly #slots: ReadonlyMap<string, number>;
  readonly #count: { slots: number };

  private constructor(slots: ReadonlyMap<string, number>, frame: Frame, now: Date, count: { slots: number }) {
    this.#slots = slots;
    this.frame = frame;
    this.now = now;
    this.#count = count;
  }

  static of(given: Fields = {}): Scope {
    const names = new Map([
      ['ROOT', 0],
      ['CURRENT', 0],
    ]);
    let scope: Scope = new Variables(names, new Frame(), new Date(), { slots: 1 });
    for (const name of fieldNames(given)) {
      const value = scope.compile(getField(given, name))(scope.frame);
      const inner = scope.with(name);
      scope.frame.slots[inner.slot] = value;
      scope = inner.scope;
    }
    return scope;
  }

  with(name: string): { scope: Scope; slot: number } {
    checkVariableName(name);
    const slot = this.#count.slots;
    this.#count.slots += 1;
    const slots = new Map(this.#slots).set(name, slot);
    return { scope: new Variables(slots, this.frame, this.now, this.#count), slot };
  }

  compile(operand: unknown): Expression {
    if (typeof operand === 'string' && operand.startsWith('$')) return this.#compileReference(operand);
    if (Array.isArray(operand)) return compileArray(operand.map((element) => this.compile(element)));
    if (isFields(operand)) return this.#compileFields(operand);
    return () => operand;
  }

  #compileReference(text: string): Expression {
    if (!text.startsWith('$$')) return compilePath(this.#slot('CURRENT'), fieldPathParts(text.slice(1)));
    const [name = '', ...parts] = text.slice(2).split('.');
    if (parts.length > 0) fieldPathParts(parts.join('.'));
    if (name === 'REMOVE') return () => undefined;
    if (name === 'NOW') return () => this.now;
    return compilePath(this.#slot(name), parts);
  }

  #slot(name: string): number {
    const slot = this.#slots.get(name);
    if (slot === undefined) {
      if (name === '') throw failedToParse('empty variable names are not allowed');
      throw locationError(17276, `Use of undefined variable: ${name}`);
    }
    return slot;
  }

  #compileFields(operand: Fields): Expression {
    const names = fieldNames(operand);
    const first = names[0];
    if (first === undefined) return () => operand;
    if (names.length === 1 && first.startsWith('$')) return this.#compileOperator(first, getField(operand, first));
    const fields = names.map((name) => {
      checkFieldName(name, operand);
      return [name, this.compile(getField(operand, name))] as const;
    });
    return (frame) => {
      let result: Fields = {};
      for (const [name, expression] of fields) {
        const value = expression(frame);
        if (value !== undefined) result = setField(result, name, value);
      }
      return result;
    };
  }

  #compileOperator(name: string, argument: unknown): Expression {
    const make = operators.get(name);
    if (make) return make(argument, this, name);
    throw new StoreError(
      168,
      'InvalidPipelineOperator',
      `Unrecognized expression '${name}': this server does not support it`,
    );
  }
}

export function compileReader(operand: unknown, scope: Scope): (document: unknown) => unknown {
  const expression = scope.compile(operand);
  return (document) => {
    scope.frame.begin(document);
    return expression(scope.frame);
  };
}

export function compileCondition(operand: unknown, scope: Scope = Variables.of()): (document: unknown) => boolean {
  const read = compileReader(operand, scope);
  return (document) => isTruthy(read(document));
}

function compileArray(elements: Expression[]): Expression {
  return (frame) => elements.map((element) => element(frame) ?? null);
}

function compilePath(slot: number, parts: readonly string[]): Expression {
  const [first, second] = parts;
  if (first === undefined) return ({ slots }) => slots[slot];
  if (second === undefined) {
    return ({ slots }) => {
      const value = slots[slot];
      return isFields(value) ? getField(value, first) : readThroughArrays(value, parts, 0);
    };
  }
  return ({ slots }) => readThroughArrays(slots[slot], parts, 0);
}

/** Reads a path. An array on the way gives an array of the values in its documents. */
function readThroughArrays(value: unknown, parts: readonly string[], from: number): unknown {
  let current = value;
  for (let at = from; at < parts.length; at += 1) {
    if (Array.isArray(current)) {
      return current
        .filter(isFields)
        .map((element) => readThroughArrays(element, parts, at))
        .filter((found) => found !== undefined);
    }
    if (!isFields(current)) return undefined;
    current = getField(current, parts[at] as string);
  }
  return current;
}

function checkFieldName(name: string, holder: Fields): void {
  if (name.startsWith('$')) {
    const names = fieldNames(holder).join(', ');
    throw locationError(15983, `an object representing an expression must have exactly one field: { ${names} }`);
  }
  if (name === '') throw locationError(40352, 'FieldPath cannot be constructed with empty string');
  if (name.includes('.')) throw locationError(16412, "FieldPath field names may not contain '.'.");
}

function checkVariableName(name: string): void {
  if (name === 'CURRENT') return;
  if (name === '') throw failedToParse('empty variable names are not allowed');
  if (!/^[a-z\u0080-\uffff][\w\u0080-\uffff]*$/.test(name)) {
    throw badValue(`'${name}' is not a valid variable name: use a lowercase letter, then letters, digits, and _`);
  }
}
