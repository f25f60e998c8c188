import type { Operations } from './generated/api-types.ts';

/** A route by method and path under `/api/v1`, such as `GET /jobs/{job_id}`. */
export type OperationName = keyof Operations;

type Field<Name extends OperationName, Key extends string> =
  Operations[Name] extends Record<Key, infer Value>
    ? Value
    : Operations[Name] extends Partial<Record<Key, infer Value>>
      ? Value
      : never;

/** The query of a route. */
export type QueryOf<Name extends OperationName> = NonNullable<Field<Name, 'query'>>;
/** The JSON body of a route. */
export type BodyOf<Name extends OperationName> = NonNullable<Field<Name, 'body'>>;
/** The form of a route that accepts files. */
export type FormOf<Name extends OperationName> = NonNullable<Field<Name, 'form'>>;
/** The JSON response of a route. */
export type AnswerOf<Name extends OperationName> = Operations[Name]['answer'];

/** The input of a route: path, query, and body or form. */
export type OperationInput<Name extends OperationName> = Pick<
  Operations[Name],
  Extract<keyof Operations[Name], 'path' | 'query' | 'body' | 'form'>
>;

/** Whether the input of a route may be omitted. */
export type Optional<Input> = Record<never, never> extends Input ? true : false;

/** Like `Omit`, but also for types with an index signature. */
export type Without<T, Key extends string> = { [K in keyof T as K extends Key ? never : K]: T[K] };
