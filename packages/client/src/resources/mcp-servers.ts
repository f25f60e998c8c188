import type { CallOptions } from '../client-options.ts';
import type { BodyOf, QueryOf } from '../operations.ts';
import { iterateItems } from '../pages.ts';
import type { Transport } from '../transport.ts';

export function createMcpServers(transport: Transport) {
  const path = (id: string) => ({ path: { server_id: id } });
  return {
    /** Registers an MCP server, whose tools agents can then use. */
    create: (body: BodyOf<'POST /mcp-servers'>, options?: CallOptions) =>
      transport.request('POST /mcp-servers', { body }, options),
    /** Returns a server, without the values of its headers. */
    get: (id: string, options?: CallOptions) => transport.request('GET /mcp-servers/{server_id}', path(id), options),
    /** Returns one page of servers. */
    list: (query?: QueryOf<'GET /mcp-servers'>, options?: CallOptions) =>
      transport.request('GET /mcp-servers', { query }, options),
    /** Iterates over all servers of the scope. */
    all: (query?: QueryOf<'GET /mcp-servers'>, options?: CallOptions) =>
      iterateItems(transport, 'GET /mcp-servers', { query }, options),
    /** Connects to a server and returns its tools. */
    tools: (id: string, options?: CallOptions) =>
      transport.request('GET /mcp-servers/{server_id}/tools', path(id), options),
    /** Changes the fields that `body` contains. */
    update: (id: string, body: BodyOf<'PATCH /mcp-servers/{server_id}'>, options?: CallOptions) =>
      transport.request('PATCH /mcp-servers/{server_id}', { ...path(id), body }, options),
    /** Deletes a server and its headers. */
    delete: (id: string, options?: CallOptions) =>
      transport.request('DELETE /mcp-servers/{server_id}', path(id), options),
  };
}
