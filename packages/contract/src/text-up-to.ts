import { z } from 'zod';

/** Non-blank text of at most `max` characters. Surrounding whitespace is kept. */
export function textUpTo(max: number) {
  const error = 'must not be blank';
  return z
    .string()
    .min(1, { error, abort: true })
    .max(max)
    .refine((value) => /\S/u.test(value), { error });
}
