import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';

interface RpcRequest {
  id?: number | string;
  method: string;
  params?: { name?: string; arguments?: unknown; protocolVersion?: string };
}

/** An MCP server with the tools `read` and `mail`, which counts the calls that reach it. */
export interface CountingMcpServer {
  url: string;
  calls: { name: string; args: unknown }[];
  /** Lets calls that were held end. */
  release(): void;
  /** Holds later calls until `release`. */
  hold(): void;
  close(): Promise<void>;
}

const TOOLS = [
  { name: 'read', inputSchema: { type: 'object' }, annotations: { readOnlyHint: true } },
  { name: 'mail', inputSchema: { type: 'object' } },
];

/** Starts a server that speaks MCP's streamable HTTP with plain JSON. */
export async function startCountingMcpServer(): Promise<CountingMcpServer> {
  const calls: CountingMcpServer['calls'] = [];
  let held = Promise.withResolvers<void>();
  held.resolve();

  const resultOf = async ({ method, params = {} }: RpcRequest): Promise<object> => {
    if (method === 'initialize') {
      const protocolVersion = params.protocolVersion ?? '2025-06-18';
      return { protocolVersion, capabilities: { tools: {} }, serverInfo: { name: 'counting', version: '1' } };
    }
    if (method === 'tools/list') return { tools: TOOLS };
    if (method !== 'tools/call') return {};
    calls.push({ name: params.name ?? '', args: params.arguments });
    await held.promise;
    return { content: [{ type: 'text', text: `${params.name} ${calls.length}` }] };
  };

  const serve = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    if (request.method !== 'POST') return void response.writeHead(405).end();
    const call = (await json(request)) as RpcRequest;
    if (call.id === undefined) return void response.writeHead(202).end();
    const result = await resultOf(call);
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ jsonrpc: '2.0', id: call.id, result }));
  };

  const server = createServer((request, response) => {
    serve(request, response).catch(() => response.destroy());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/mcp`,
    calls,
    hold: () => {
      held = Promise.withResolvers();
    },
    release: () => held.resolve(),
    close: async () => {
      held.resolve();
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
