import { ChorusError, type ErrorDetail, type Owner } from '@chorus/contract';
import type { Database } from '@chorus/database';
import type { ToolConfig } from './tool-config.ts';

const MAX_NAMED = 20;

/**
 * Checks that the servers, APIs, and operations of an agent's tools exist, and that no tool is listed twice. Makes no
 * connections.
 *
 * @param path of the list in the request, such as `body.tools`
 * @throws {ChorusError} invalid_request that names each wrong field and the allowed values
 */
export async function checkTools(
  { database }: { database: Pick<Database, 'mcpServers' | 'toolApis'> },
  owner: Owner,
  configs: readonly ToolConfig[],
  path = 'body.tools',
): Promise<void> {
  const seen = new Set<string>();
  const found = await Promise.all(
    configs.map(async (config, index): Promise<ErrorDetail | null> => {
      const at = `${path}.${index}`;
      const key = keyOf(config);
      if (seen.has(key)) return { path: at, message: 'is the same tool as an earlier one' };
      seen.add(key);
      if (config.type === 'mcp') {
        if ((await database.mcpServers.get(owner, config.server_id)) !== null) return null;
        return { path: `${at}.server_id`, message: 'must be the id of an MCP server of this scope' };
      }
      if (config.type !== 'http') return null;
      const api = await database.toolApis.get(owner, config.api_id);
      if (api === null) return { path: `${at}.api_id`, message: 'must be the id of an API of this scope' };
      const names = api.operations.map(({ name }) => name);
      const unknown = config.operations?.findIndex((name) => !names.includes(name)) ?? -1;
      if (unknown === -1) return null;
      return { path: `${at}.operations.${unknown}`, message: `must be one of ${listOf(names)}` };
    }),
  );
  const details = found.filter((detail) => detail !== null);
  const [first] = details;
  if (first !== undefined)
    throw new ChorusError('invalid_request', `The tools are not valid: \`${first.path}\` ${first.message}.`, {
      details,
    });
}

/** Identifies a tool: each platform tool, server, and API may be listed once. */
function keyOf(config: ToolConfig): string {
  if (config.type === 'mcp') return `mcp ${config.server_id}`;
  return config.type === 'http' ? `http ${config.api_id}` : config.type;
}

function listOf(names: readonly string[]): string {
  return `${names.slice(0, MAX_NAMED).join(', ')}${names.length > MAX_NAMED ? ', …' : ''}`;
}
