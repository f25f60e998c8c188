import { z } from 'zod';

const schema = z.record(z.string(), z.unknown());

/** A parameter, under its name in the arguments of the tool. */
const compiledParameter = z.object({
  key: z.string(),
  name: z.string(),
  in: z.enum(['path', 'query', 'header']),
  style: z.enum(['simple', 'form', 'deepObject', 'spaceDelimited', 'pipeDelimited']),
  explode: z.boolean(),
  required: z.boolean(),
  schema,
});
export type CompiledParameter = z.infer<typeof compiledParameter>;

const compiledOperation = z.object({
  name: z.string(),
  method: z.enum(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']),
  path: z.string(),
  description: z.string(),
  effect: z.enum(['read', 'idempotent', 'write']),
  parameters: z.array(compiledParameter),
  body: z
    .object({ kind: z.enum(['json', 'form', 'text']), mediaType: z.string(), required: z.boolean(), schema })
    .nullable(),
});
export type CompiledOperation = z.infer<typeof compiledOperation>;

/** The operations of a document, in the form that is stored and run. */
export const compiledOperations = z.array(compiledOperation);

export interface CompiledApi {
  /** The document's first server. May be relative to the document. */
  server: string | null;
  operations: CompiledOperation[];
  /** Parts that are not supported, for the user. */
  warnings: string[];
}
