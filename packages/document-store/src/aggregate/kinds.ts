import { ObjectId, type Timestamp } from 'bson';
import { locationError } from '../errors.ts';
import { type Fields, isFields } from '../values/fields.ts';
import { integerOf, isNumber, nearestDouble } from '../values/numbers.ts';
import { type Kind, readAs, typeOf } from './operator.ts';

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
/** A number of any type. */
export const numeric = kindOf<unknown>('a number', isNumber);
export const int32 = kindOf('a 32-bit integer', isInt32, (value) => nearestDouble(value) as number);
export const whole = kindOf(
  'an integer',
  (value) => integerOf(value) !== undefined,
  (value) => integerOf(value) as number,
);

/** A place in an array or a text. */
export const index: Kind<number> = {
  ...int32(40096),
  spreadsNull: false,
  read(value) {
    const place = nearestDouble(value) as number;
    if (place < 0) throw locationError(40097, `an index must not be negative, found: ${place}`);
    return place;
  },
};

/** What stands for a moment: a date, and what has one in it. */
export const date = kindOf('a date', isDate, dateOf);

function isInt32(value: unknown): boolean {
  const number = nearestDouble(value);
  return number !== undefined && number === (number | 0);
}

function isDate(value: unknown): boolean {
  return value instanceof Date || value instanceof ObjectId || typeOf(value) === 'timestamp';
}

/** The moment of a date, an ObjectId or a timestamp. */
export function dateOf(value: unknown): Date {
  if (value instanceof Date) return value;
  if (value instanceof ObjectId) return value.getTimestamp();
  return new Date((value as Timestamp).getHighBitsUnsigned() * 1000);
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
