import type { Operations } from './generated/api-types.ts';

/** A route by its method and its path under `/api/v1`, such as `GET /jobs/{job_id}`. */
export type OperationName = keyof Operations;

type Field<Name extends OperationName, Key extends string> =
  Operations[Name] extends Record<Key, infer Value>
    ? Value
    : Operations[Name] extends Partial<Record<Key, infer Value>>
      ? Value
      : never;

export type QueryOf<Name extends OperationName> = NonNullable<Field<Name, 'query'>>;
export type BodyOf<Name extends OperationName> = NonNullable<Field<Name, 'body'>>;
export type FormOf<Name extends OperationName> = NonNullable<Field<Name, 'form'>>;
export type AnswerOf<Name extends OperationName> = Operations[Name]['answer'];

/** What a request of this route is made from. */
export type OperationInput<Name extends OperationName> = Pick<
  Operations[Name],
  Extract<keyof Operations[Name], 'path' | 'query' | 'body' | 'form'>
>;

/** Routes whose input may be left out. */
export type Optional<Input> = Record<never, never> extends Input ? true : false;

/** All fields of a type but these; also of one that takes fields which nobody has declared. */
export type Without<T, Key extends string> = { [K in keyof T as K extends Key ? never : K]: T[K] };
