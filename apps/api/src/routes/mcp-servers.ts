import { changeMcpServer, createMcpServer, listMcpTools, presentMcpServer, removeMcpServer } from '@chorus/agent-tools';
import {
  deletion,
  listOf,
  listQuery,
  mcpServer,
  mcpServerCreate,
  mcpServerPatch,
  mcpServerTools,
} from '@chorus/contract';
import { defineRoute } from '../define-route.ts';
import { unknownRecord } from '../http/unknown-record.ts';
import type { Services } from '../services.ts';

const params = { server_id: 'mcpServer' } as const;

export const createServer = defineRoute({
  method: 'post',
  path: '/mcp-servers',
  area: 'tools',
  summary: 'Register an MCP server',
  description:
    'Agents of the scope can use its tools. The server must speak streamable HTTP and have a public address. ' +
    'In a workspace, admins and owners register servers.',
  needs: 'manage',
  body: mcpServerCreate,
  answer: mcpServer,
  refuses: ['url_not_allowed', 'limit_reached'],
  handle: async ({ body, actor, owner, services }) =>
    presentMcpServer(await createMcpServer(partsOf(services), owner, actor, body)),
});

export const listServers = defineRoute({
  method: 'get',
  path: '/mcp-servers',
  area: 'tools',
  summary: 'List MCP servers',
  description: 'Newest first. Members of a workspace share them.',
  needs: 'read',
  query: listQuery,
  answer: listOf(mcpServer),
  handle: async ({ query, owner, services }) => {
    const page = await services.database.mcpServers.list(owner, query);
    return { object: 'list', ...page, data: page.data.map(presentMcpServer) };
  },
});

export const getServer = defineRoute({
  method: 'get',
  path: '/mcp-servers/:server_id',
  area: 'tools',
  summary: 'Get an MCP server',
  needs: 'read',
  params,
  answer: mcpServer,
  handle: async ({ params, owner, services }) => {
    const record = await services.database.mcpServers.get(owner, params.server_id);
    if (record === null) throw unknownRecord('mcpServer');
    return presentMcpServer(record);
  },
});

export const listServerTools = defineRoute({
  method: 'get',
  path: '/mcp-servers/:server_id/tools',
  area: 'tools',
  summary: 'List the tools of an MCP server',
  description:
    'Connects to the server, and says why if that fails. Lists are cached for up to five minutes. ' +
    'Names and descriptions come from the server and are not trusted.',
  needs: 'run',
  params,
  answer: mcpServerTools,
  refuses: ['download_failed', 'timeout'],
  handle: async ({ params, owner, services }) =>
    listMcpTools({ database: services.database, pool: await services.mcpPool() }, owner, params.server_id),
});

export const updateServer = defineRoute({
  method: 'patch',
  path: '/mcp-servers/:server_id',
  area: 'tools',
  summary: 'Update an MCP server',
  needs: 'manage',
  params,
  body: mcpServerPatch,
  answer: mcpServer,
  refuses: ['url_not_allowed'],
  handle: async ({ params, body, actor, owner, services }) =>
    presentMcpServer(await changeMcpServer(partsOf(services), owner, actor, params.server_id, body)),
});

export const deleteServer = defineRoute({
  method: 'delete',
  path: '/mcp-servers/:server_id',
  area: 'tools',
  summary: 'Delete an MCP server',
  description: 'Its headers are deleted, too. Agents that name it continue without its tools.',
  needs: 'manage',
  params,
  answer: deletion,
  handle: async ({ params, actor, owner, services }) => {
    await removeMcpServer(partsOf(services), owner, actor, params.server_id);
    return { id: params.server_id, object: 'mcp_server', deleted: true };
  },
});

const partsOf = ({ database, outbound, accounts }: Services) => ({ database, outbound, audit: accounts.audit });
