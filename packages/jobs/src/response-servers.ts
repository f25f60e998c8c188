import {
  type ConversationItem,
  type ErrorDetail,
  isId,
  McpApprovals,
  type McpTool,
  mcpToolsOf,
  type Owner,
  type ResponseOptions,
} from '@chorus/contract';
import type { Database } from '@chorus/database';
import { refuse } from './unsupported-fields.ts';

interface Store {
  mcpServers: Pick<Database['mcpServers'], 'get' | 'withUrl'>;
}

/**
 * Finds the registered servers of a request's `mcp` tools.
 * @param at prefix of paths in errors
 * @returns Their ids by label. Undefined without such tools.
 * @throws {ChorusError} `invalid_request` that names each field
 */
export async function findServers(
  { mcpServers }: Store,
  owner: Owner,
  options: ResponseOptions,
  at: string,
): Promise<Record<string, string> | undefined> {
  const tools = (options.tools ?? []).flatMap((tool, index) => (tool.type === 'mcp' ? [{ tool, index }] : []));
  if (tools.length === 0) return undefined;
  const found = await Promise.all(
    tools.map(async ({ tool, index }) => ({ tool, path: `${at}.tools.${index}.server_url`, ...(await find(tool)) })),
  );
  const seen = new Set<string>();
  const issues = found.flatMap(({ path, id, problem }): ErrorDetail[] => {
    if (problem !== undefined) return [{ path, message: problem }];
    if (seen.has(id)) return [{ path, message: 'names the same server as an earlier tool' }];
    seen.add(id);
    return [];
  });
  refuse(issues);
  return Object.fromEntries(found.map(({ tool, id }) => [tool.server_label, id]));

  async function find({ server_url: given }: McpTool): Promise<{ id: string; problem?: string }> {
    const named = isId('mcpServer', given) ? await mcpServers.get(owner, given) : null;
    const servers = named === null ? await mcpServers.withUrl(owner, spellings(given), 2) : [named];
    const [server, other] = servers;
    if (server === undefined)
      return { id: '', problem: 'names no MCP server of this scope; register it with POST /api/v1/mcp-servers first' };
    if (other !== undefined) return { id: '', problem: `names several servers: use an id, such as ${server.id}` };
    return { id: server.id, ...(!server.enabled && { problem: `names ${server.name}, which is not enabled` }) };
  }
}

/** Returns the possible spellings of a URL. */
function spellings(url: string): string[] {
  if (!URL.canParse(url)) return [url];
  const { href } = new URL(url);
  return [...new Set([url, href, href.replace(/\/$/, '')])];
}

/**
 * Checks that each approval request in a conversation is answered, and that the tools of approved calls exist.
 * @param previous number of items before those of the request
 * @throws {ChorusError} `invalid_request` that names the field
 */
export function checkApprovals(
  items: readonly ConversationItem[],
  options: ResponseOptions,
  { previous, at }: { previous: number; at: string },
): void {
  const requests = new Set<string>();
  const responses = new Set<string>();
  for (const [index, item] of items.entries()) {
    if (item.type === 'mcp_approval_request') requests.add(item.id);
    if (item.type !== 'mcp_approval_response') continue;
    const { approval_request_id: id } = item;
    const path = `${at}.input.${index - previous}.approval_request_id`;
    if (!requests.has(id)) refuse([{ path, message: 'names no approval request before it' }]);
    if (responses.has(id)) refuse([{ path, message: 'names an approval request that has its response' }]);
    responses.add(id);
  }
  const approvals = new McpApprovals(items);
  const [open] = approvals.unanswered();
  if (open !== undefined)
    refuse([{ path: `${at}.input`, message: `needs an mcp_approval_response for the approval request ${open.id}` }]);
  const labels = mcpToolsOf(options).map(({ server_label }) => server_label);
  const lost = approvals.approved().find(({ server_label }) => !labels.includes(server_label));
  if (lost !== undefined)
    refuse([{ path: `${at}.tools`, message: `needs the MCP server ${lost.server_label}, whose call was approved` }]);
}
