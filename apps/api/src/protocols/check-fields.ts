import { ChorusError } from '@chorus/contract';
import type { Response } from 'express';
import type { z } from 'zod';

/** Returns whether a value of an unsupported field has no effect, such as `false` for `logprobs`. */
export type NoEffect = (value: unknown) => boolean;

/** For fields that change the result with every value. */
export const never: NoEffect = () => false;

const MAX_NAMED = 50;
const FIELD_NAME = /^[\w.-]{1,64}$/;

/**
 * Refuses unsupported fields that change the result.
 * @param known the fields that are supported
 * @returns the names of other fields, which are ignored
 * @throws {ChorusError} invalid_request, naming the fields
 */
export function checkFields(
  body: Readonly<Record<string, unknown>>,
  known: ReadonlySet<string>,
  refused: Readonly<Record<string, NoEffect>>,
): string[] {
  const given = Object.keys(body).filter((name) => body[name] != null);
  const details = given
    .filter((name) => Object.hasOwn(refused, name) && !refused[name]?.(body[name]))
    .map((name) => ({ path: `body.${name}`, message: 'is not supported' }));
  const [first] = details;
  if (first !== undefined)
    throw new ChorusError('invalid_request', `${first.path}: ${first.message}`, { details: details.slice(0, 20) });
  return given
    .filter((name) => !known.has(name) && !Object.hasOwn(refused, name) && FIELD_NAME.test(name))
    .slice(0, MAX_NAMED);
}

/** Names the fields of a body that its schema does not have in `X-Ignored-Fields`. */
export function noteIgnored(
  response: Pick<Response, 'setHeader'>,
  { shape }: z.ZodObject,
  body: Readonly<Record<string, unknown>>,
): void {
  const ignored = checkFields(body, new Set(Object.keys(shape)), {});
  if (ignored.length > 0) response.setHeader('X-Ignored-Fields', ignored.join(', '));
}

/** Replaces names of a kind's fields in a text by those of the body. */
export type Rename = (text: string) => string;

/** Returns a replacement of names. @param names the body's fields by those of the kind's request */
export function renameBy(names: Readonly<Record<string, string>>): Rename {
  return (text) => Object.entries(names).reduce((renamed, [name, own]) => renamed.replaceAll(name, own), text);
}

/** Renames fields of a kind's request in an error to those of the body. */
export function renameFields(error: unknown, rename: Rename): unknown {
  if (!(error instanceof ChorusError)) return error;
  const { code, message, details, extra, retryAfterS, notStarted } = error;
  return new ChorusError(code, rename(message), {
    details: details.map((detail) => ({ path: rename(detail.path), message: rename(detail.message) })),
    extra,
    notStarted,
    ...(retryAfterS !== undefined && { retryAfterS }),
    cause: error.cause,
  });
}
