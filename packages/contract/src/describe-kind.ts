import { z } from 'zod';
import type { KindDefinition } from './define-kind.ts';
import { SURFACES } from './execution.ts';
import { POOLS } from './names/index.ts';

const FIELD_TYPES = ['text', 'number', 'flag', 'list', 'object'] as const;

export const kindView = z.object({
  kind: z.string().describe('`chat.completion`, `iris.image`, …'),
  object: z.literal('kind'),
  label: z.string().describe('Display name'),
  surface: z.enum(SURFACES),
  pool: z.enum(POOLS),
  batchable: z.boolean().describe('Whether batches may contain it'),
  path: z.string().describe('Path of its route: `POST` the request'),
  fields: z
    .array(z.object({ name: z.string(), type: z.enum(FIELD_TYPES), required: z.boolean() }))
    .max(100)
    .describe('Fields of its request'),
});
export type KindView = z.infer<typeof kindView>;

export function describeKind({ kind, label, surface, pool, batchable, path, request }: KindDefinition): KindView {
  const shape = request instanceof z.ZodObject ? request.shape : {};
  const fields = Object.entries<z.ZodType>(shape).map(([name, schema]) => ({
    name,
    type: fieldType(schema),
    required: !schema.safeParse(undefined).success,
  }));
  return { kind, object: 'kind', label, surface, pool, batchable: batchable !== false, path: `/api/v1${path}`, fields };
}

function fieldType(schema: z.core.$ZodType): (typeof FIELD_TYPES)[number] {
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodNullable || schema instanceof z.ZodDefault)
    return fieldType(schema.def.innerType);
  if (schema instanceof z.ZodPipe) return fieldType(schema.def.in);
  if (schema instanceof z.ZodNumber) return 'number';
  if (schema instanceof z.ZodBoolean) return 'flag';
  if (schema instanceof z.ZodArray) return 'list';
  return schema instanceof z.ZodObject || schema instanceof z.ZodRecord ? 'object' : 'text';
}
