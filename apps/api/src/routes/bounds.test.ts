import { arrayBound, recordBound, walkSchema } from '@chorus/contract';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { routes } from './index.ts';

const cases = routes.map((route) => [`${route.method} ${route.path}`, route] as const);

test.each(cases)('every array and record of %s has a bound', (_name, { body, query, answer, upload }) => {
  const unbounded: string[] = [];
  for (const schema of [body, query, answer, ...Object.values(upload ?? {})]) {
    if (schema === undefined) continue;
    walkSchema(schema, (part, path) => {
      const isBounded =
        part instanceof z.ZodArray ? arrayBound(part) : part instanceof z.ZodRecord ? recordBound(part) : 0;
      if (isBounded === undefined) unbounded.push(path);
    });
  }
  expect(unbounded).toEqual([]);
});
