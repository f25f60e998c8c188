import { z } from 'zod';
import { boundedRecord } from './bounded.ts';

/** Headers that the transport sets, or that would break it. */
const RESERVED_HEADERS = new Set([
  'accept',
  'accept-encoding',
  'connection',
  'content-encoding',
  'content-length',
  'content-type',
  'cookie',
  'expect',
  'host',
  'idempotency-key',
  'keep-alive',
  'last-event-id',
  'mcp-protocol-version',
  'mcp-session-id',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]);

/** The name of a header that requests of tools may carry. */
export const toolHeaderName = z
  .string()
  .max(100)
  .regex(/^[A-Za-z0-9!#$%&'*+.^_`|~-]+$/, { error: 'must be the name of an HTTP header' })
  .refine((name) => !isReservedHeader(name), { error: 'is set by the platform' });

export function isReservedHeader(name: string): boolean {
  const lower = name.toLowerCase();
  return RESERVED_HEADERS.has(lower) || lower.startsWith('proxy-') || lower.startsWith('sec-');
}

/** The value of a header: visible ASCII and spaces. */
export const toolHeaderValue = z
  .string()
  .min(1)
  .max(8_000)
  .regex(/^[\x21-\x7e]([\x20-\x7e]*[\x21-\x7e])?$/, { error: 'must be visible ASCII' });

/** The address of a server that tools use. Its host is checked on connecting. */
export const toolUrl = z.url({ protocol: /^https?$/, error: 'must be an http or https URL' }).max(2_000);

/** Calls of a server or API that need approval, whatever an agent says. */
export const leastApproval = z
  .enum(['never', 'writes', 'always'], { error: 'must be never, writes, or always' })
  .describe('Calls that need approval whatever the `approval` of an agent is. `writes`: those that are not read-only');
export type LeastApproval = z.infer<typeof leastApproval>;

const fields = {
  name: z.string().trim().min(1).max(100),
  url: toolUrl.describe('Endpoint of streamable HTTP. Private hosts need `OUTBOUND_ALLOW`'),
  allowed_tools: z
    .array(z.string().min(1).max(256))
    .max(200)
    .nullable()
    .describe('Names of tools that agents may use; null: all'),
  enabled: z.boolean().describe('Agents get no tools from a disabled server'),
  min_approval: leastApproval,
};

const headers = boundedRecord(toolHeaderName, toolHeaderValue, 20).describe(
  'Sent with each request, for example `Authorization`. Stored encrypted, and never returned',
);

export const mcpServerCreate = z.strictObject({
  name: fields.name,
  url: fields.url,
  headers: headers.default({}),
  allowed_tools: fields.allowed_tools.default(null),
  enabled: fields.enabled.default(true),
  min_approval: fields.min_approval.default('never'),
});
export type McpServerCreate = z.infer<typeof mcpServerCreate>;

export const mcpServerPatch = z
  .strictObject({
    ...fields,
    headers: headers.describe('Replaces all headers. Required if the host or path of `url` changes'),
  })
  .partial()
  .refine((patch) => Object.keys(patch).length > 0, {
    error: `send at least one of ${Object.keys(fields).join(', ')}, headers`,
  });
export type McpServerPatch = z.infer<typeof mcpServerPatch>;

export const mcpServer = z.object({
  id: z.string().describe('`mcp_…`'),
  object: z.literal('mcp_server'),
  ...fields,
  header_names: z.array(z.string()).max(20).describe('Names of the stored headers'),
  user_id: z.string().describe('The user who registered it'),
  created_at: z.iso.datetime(),
  updated_at: z.iso.datetime(),
});
export type McpServer = z.infer<typeof mcpServer>;

/** How much a tool call may change. */
export const toolEffect = z
  .enum(['read', 'idempotent', 'write'])
  .describe('`read`: nothing. `idempotent`: repeating a call changes nothing more. `write`: anything');

export const mcpServerTools = z.object({
  object: z.literal('list'),
  data: z
    .array(
      z.object({
        name: z.string(),
        description: z.string().describe("The server's description, which is not trusted"),
        parameters: boundedRecord(z.string(), z.unknown(), 1_000).describe('JSON schema of the arguments'),
        effect: toolEffect,
        allowed: z.boolean().describe('Whether `allowed_tools` allows it'),
      }),
    )
    .max(200),
});
export type McpServerTools = z.infer<typeof mcpServerTools>;
