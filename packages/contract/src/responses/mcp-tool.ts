import { z } from 'zod';

const MAX_NAMES = 200;

/** A name that a request gives to one of its MCP servers. */
export const serverLabel = z
  .string()
  .regex(/^[\w-]{1,64}$/, { error: 'must be 1 to 64 letters, digits, underscores or dashes' });

const toolNames = z.array(z.string().min(1).max(256)).max(MAX_NAMES);

const toolFilter = z.object({
  tool_names: toolNames.nullish(),
  read_only: z.boolean().nullish().describe('`true`: only tools with `readOnlyHint`. `false`: only others'),
});
type ToolFilter = z.infer<typeof toolFilter>;

const notSupported = (error: string) => z.null({ error }).optional();

const REGISTERED = 'is not supported: the registered server has its own. Store them with POST /api/v1/mcp-servers';
const BY_URL = 'is not supported; name a registered server with `server_url`';

/** A tool of a request: a registered MCP server, whose tools run on the server. */
export const mcpTool = z.object({
  type: z.literal('mcp'),
  server_label: serverLabel,
  server_url: z
    .string({ error: 'is required: the URL or the id (`mcp_…`) of a registered server' })
    .min(1)
    .max(2_000)
    .describe('The URL or the id (`mcp_…`) of an MCP server that is registered in the scope'),
  allowed_tools: z.union([toolNames, toolFilter]).nullish(),
  require_approval: z
    .union([z.enum(['always', 'never']), z.object({ always: toolFilter.nullish(), never: toolFilter.nullish() })])
    .nullish()
    .describe('Default: `always`. With filters, tools need approval unless `never` matches them and `always` does not'),
  server_description: z.string().max(10_000).nullish().describe('Has no effect'),
  headers: notSupported(REGISTERED),
  authorization: notSupported(REGISTERED),
  connector_id: notSupported(BY_URL),
  tunnel_id: notSupported(BY_URL),
});
export type McpTool = z.infer<typeof mcpTool>;

/** The properties of a listed tool that filters can match. */
export interface ServerTool {
  /** The server's name for it. */
  name: string;
  readOnly: boolean;
}

/** Returns whether a request allows a tool of its server. */
export function allowsTool({ allowed_tools: allowed }: Pick<McpTool, 'allowed_tools'>, tool: ServerTool): boolean {
  if (allowed == null) return true;
  return Array.isArray(allowed) ? allowed.includes(tool.name) : matches(allowed, tool);
}

/** Returns whether the caller must approve calls of a tool. */
export function asksForApproval(
  { require_approval: approval }: Pick<McpTool, 'require_approval'>,
  tool: ServerTool,
): boolean {
  if (approval == null || typeof approval === 'string') return approval !== 'never';
  const { always, never } = approval;
  return never == null || !matches(never, tool) || (always != null && matches(always, tool));
}

/** An empty filter matches nothing, so it cannot allow a tool by mistake. */
function matches({ tool_names: names, read_only: readOnly }: ToolFilter, tool: ServerTool): boolean {
  if (names == null && readOnly == null) return false;
  return (names == null || names.includes(tool.name)) && (readOnly == null || readOnly === tool.readOnly);
}
