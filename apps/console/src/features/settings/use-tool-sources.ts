import type { McpServer, McpServerTools, ToolApi } from '@chorus/client';
import { type UseQueryResult, useQuery } from '@tanstack/react-query';
import { useScope } from '../../scope/scope-context.tsx';

export function useMcpServers(): UseQueryResult<McpServer[]> {
  const { client, scopeKey } = useScope();
  return useQuery({
    queryKey: [scopeKey, 'mcp-servers'],
    queryFn: ({ signal }) => Array.fromAsync(client.mcpServers.all({ limit: 100 }, { signal })),
  });
}

export function useToolApis(): UseQueryResult<ToolApi[]> {
  const { client, scopeKey } = useScope();
  return useQuery({
    queryKey: [scopeKey, 'tool-apis'],
    queryFn: ({ signal }) => Array.fromAsync(client.toolApis.all({ limit: 100 }, { signal })),
  });
}

/** Connects to a server and returns its tools. */
export function useMcpTools(id: string, enabled: boolean): UseQueryResult<McpServerTools['data']> {
  const { client, scopeKey } = useScope();
  return useQuery({
    queryKey: [scopeKey, 'mcp-tools', id],
    queryFn: async ({ signal }) => (await client.mcpServers.tools(id, { signal })).data,
    enabled,
    retry: false,
  });
}
