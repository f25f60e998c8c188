import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';

interface RpcRequest {
  id?: number | string;
  method: string;
  params?: {
    name?: string;
    arguments?: Record<string, unknown>;
    protocolVersion?: string;
    _meta?: { idempotencyKey?: string };
  };
}

export interface McpCall {
  name: string;
  /** Of the run that calls. */
  n: number;
  key: string | null;
  /** Aborts when the caller closes the connection before the answer. */
  left: AbortSignal;
}

/** An MCP server with the tools `read` (read-only), `label` (idempotent), and `mail`, which counts its calls. */
export interface CountingMcpServer {
  url: string;
  calls: McpCall[];
  close(): Promise<void>;
}

const inputSchema = { type: 'object', properties: { n: { type: 'integer' } } };
const TOOLS = [
  { name: 'read', inputSchema, annotations: { readOnlyHint: true } },
  { name: 'label', inputSchema, annotations: { idempotentHint: true } },
  { name: 'mail', inputSchema },
];

/**
 * Starts a server that speaks MCP's streamable HTTP with plain JSON.
 * @param onCall called once a call is counted; the answer waits for it. Returns the result's text
 */
export async function startCountingMcpServer(
  onCall: (call: McpCall) => Promise<string | undefined> | string | undefined = () => undefined,
): Promise<CountingMcpServer> {
  const calls: McpCall[] = [];

  const resultOf = async ({ method, params = {} }: RpcRequest, left: AbortSignal): Promise<object> => {
    if (method === 'initialize') {
      const protocolVersion = params.protocolVersion ?? '2025-06-18';
      return { protocolVersion, capabilities: { tools: {} }, serverInfo: { name: 'counting', version: '1' } };
    }
    if (method === 'tools/list') return { tools: TOOLS };
    if (method !== 'tools/call') return {};
    const key = params._meta?.idempotencyKey ?? null;
    const call = { name: params.name ?? '', n: Number(params.arguments?.n), key, left };
    calls.push(call);
    const text = (await onCall(call)) ?? `${call.name} ${call.n}`;
    return { content: [{ type: 'text', text }] };
  };

  const serve = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    if (request.method !== 'POST') return void response.writeHead(405).end();
    const message = (await json(request)) as RpcRequest;
    if (message.id === undefined) return void response.writeHead(202).end();
    const result = await resultOf(message, closing(response));
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ jsonrpc: '2.0', id: message.id, result }));
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
    close: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

/** Returns a signal that aborts when the other side closes a connection before the answer. */
export function closing(response: ServerResponse): AbortSignal {
  const left = new AbortController();
  response.once('close', () => {
    if (!response.writableFinished) left.abort();
  });
  return left.signal;
}
