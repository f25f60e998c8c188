import { z } from 'zod';

interface Union {
  options: readonly { shape: { type: { value: string } } }[];
}

/** Returns the types that a union knows. */
export const typesOf = ({ options }: Union): ReadonlySet<unknown> =>
  new Set(options.map(({ shape }) => shape.type.value));

/** Accepts objects of types that a union does not know, as null. */
export function otherThan(union: Union) {
  const known = typesOf(union);
  return z.looseObject({ type: z.string().refine((type) => !known.has(type)) }).transform(() => null);
}
