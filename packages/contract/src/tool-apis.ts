import { z } from 'zod';
import { leastApproval, toolEffect, toolHeaderName, toolHeaderValue, toolUrl } from './mcp-servers.ts';

const MAX_DOCUMENT_CHARS = 2_000_000;

/** The credentials that are sent with calls to an API. */
export const toolApiAuth = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('none') }),
  z.strictObject({ type: z.literal('bearer'), token: toolHeaderValue }),
  z.strictObject({ type: z.literal('header'), name: toolHeaderName, value: toolHeaderValue }),
  z.strictObject({ type: z.literal('query'), name: z.string().min(1).max(100), value: z.string().min(1).max(8_000) }),
  z.strictObject({
    type: z.literal('basic'),
    username: z
      .string()
      .max(1_000)
      .regex(/^[^:\0]*$/, { error: 'must not contain a colon' }),
    password: z.string().max(1_000),
  }),
]);
export type ToolApiAuth = z.infer<typeof toolApiAuth>;

const fields = {
  name: z.string().trim().min(1).max(100),
  enabled: z.boolean().describe('Agents get no tools from a disabled API'),
  min_approval: leastApproval,
};

const source = {
  document: z
    .string()
    .min(1)
    .max(MAX_DOCUMENT_CHARS)
    .optional()
    .describe('An OpenAPI 3 document, as JSON or YAML. Instead of `document_url`'),
  document_url: toolUrl.optional().describe('The address of the document, which is read once, now'),
  base_url: toolUrl.optional().describe('Replaces the first server of the document'),
};

const auth = toolApiAuth.describe('Credentials. Stored encrypted, and never returned');

const oneDocument = (value: { document?: string | undefined; document_url?: string | undefined }) =>
  value.document === undefined || value.document_url === undefined;

export const toolApiCreate = z
  .strictObject({
    name: fields.name,
    enabled: fields.enabled.default(true),
    min_approval: fields.min_approval.default('never'),
    ...source,
    auth: auth.default({ type: 'none' }),
  })
  .refine((value) => oneDocument(value) && (value.document ?? value.document_url) !== undefined, {
    path: ['document'],
    error: 'send exactly one of `document` and `document_url`',
  });
export type ToolApiCreate = z.infer<typeof toolApiCreate>;

export const toolApiPatch = z
  .strictObject({
    ...fields,
    ...source,
    auth: auth.describe('Replaces the credentials. Required if the host or path that is called changes'),
  })
  .partial()
  .refine(oneDocument, { path: ['document'], error: 'send at most one of `document` and `document_url`' })
  .refine((patch) => Object.keys(patch).length > 0, {
    error: 'send at least one of name, enabled, min_approval, document, document_url, base_url, auth',
  });
export type ToolApiPatch = z.infer<typeof toolApiPatch>;

export const toolApi = z.object({
  id: z.string().describe('`api_…`'),
  object: z.literal('tool_api'),
  ...fields,
  document_url: z.string().nullable(),
  base_url: z.string().describe("The document's paths are appended to it"),
  auth: z.object({
    type: z.enum(['none', 'bearer', 'header', 'query', 'basic']),
    name: z.string().nullable().describe('Name of the header or query parameter'),
  }),
  operations: z
    .array(
      z.object({
        name: z.string().describe('Name of the tool: the `operationId`, or method and path'),
        method: z.string(),
        path: z.string(),
        description: z.string(),
        effect: toolEffect,
      }),
    )
    .max(300),
  warnings: z.array(z.string()).max(50).describe('Parts of the document that are not supported'),
  user_id: z.string().describe('The user who registered it'),
  created_at: z.iso.datetime(),
  updated_at: z.iso.datetime(),
});
export type ToolApi = z.infer<typeof toolApi>;
