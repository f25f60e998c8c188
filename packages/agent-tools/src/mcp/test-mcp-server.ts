import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type RequestListener, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import { createOutbound } from '@chorus/outbound';
import { createLogger } from '@chorus/runtime/log';
import { McpServer as SdkServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import { onTestFinished } from 'vitest';
import type { McpServer } from './mcp-connection.ts';

export const log = createLogger({ name: 'test', level: 'silent' });

/** Test servers use 127.0.0.1. 127.0.0.2 is a private address. */
export const outbound = createOutbound({ allow: [{ address: '127.0.0.1', prefix: 32, family: 'ipv4' }] });

export interface SeenRequest {
  method: string;
  headers: IncomingMessage['headers'];
  // biome-ignore lint/suspicious/noExplicitAny: tests look into messages of any shape
  body: any;
}

/** Starts an HTTP server for the duration of a test. */
export async function listen(handle: RequestListener): Promise<{ url: string; server: Server; connections: number }> {
  const server = createServer(handle);
  const seen = { url: '', server, connections: 0 };
  server.on('connection', () => {
    seen.connections += 1;
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  seen.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`;
  return seen;
}

export interface TestServer {
  url: string;
  seen: SeenRequest[];
  /** The MCP servers of the open sessions. */
  sessions: Map<string, { sdk: SdkServer; transport: StreamableHTTPServerTransport }>;
  /** Resolves with the next request for which `matches` is true. */
  next(matches: (request: SeenRequest) => boolean): Promise<SeenRequest>;
  server: Server;
}

/** Starts a real MCP server with the SDK's classes. `define` adds its tools, once per session. */
export async function startMcpServer(
  define: (sdk: SdkServer) => void,
  { asJson = false }: { asJson?: boolean } = {},
): Promise<TestServer> {
  const sessions: TestServer['sessions'] = new Map();
  const seen: SeenRequest[] = [];
  const waiting = new Set<(request: SeenRequest) => void>();
  const { url, server } = await listen(async (request, response) => {
    const body = request.method === 'POST' ? await json(request) : undefined;
    const one = { method: String(request.method), headers: request.headers, body };
    seen.push(one);
    for (const notify of waiting) notify(one);
    await serveSession(request, response, body);
  });

  async function serveSession(request: IncomingMessage, response: ServerResponse, body: unknown): Promise<void> {
    const id = request.headers['mcp-session-id'];
    const known = typeof id === 'string' ? sessions.get(id) : undefined;
    if (known !== undefined) return known.transport.handleRequest(request, response, body);
    if (id !== undefined) return void response.writeHead(404).end('{}');
    const sdk = new SdkServer({ name: 'test', version: '1' });
    define(sdk);
    const transport = new StreamableHTTPServerTransport({
      sessionIdGenerator: randomUUID,
      enableJsonResponse: asJson,
      onsessioninitialized: (session) => void sessions.set(session, { sdk, transport }),
      onsessionclosed: (session) => void sessions.delete(session),
    });
    await sdk.connect(transport);
    await transport.handleRequest(request, response, body);
  }

  return {
    url,
    seen,
    sessions,
    server,
    next: (matches) =>
      new Promise((resolve) => {
        const notify = (request: SeenRequest) => {
          if (!matches(request)) return;
          waiting.delete(notify);
          resolve(request);
        };
        waiting.add(notify);
      }),
  };
}

export const connectTo = (url: string, headers: Record<string, string> = {}): McpServer => ({
  id: randomUUID(),
  owner: 'ada',
  url,
  headers,
  version: '1',
});

/** Answers `initialize` correctly, and everything else with `handle`. */
export function lyingServer(
  handle: (message: { id?: number; method: string }, response: ServerResponse) => void,
): RequestListener {
  return async (request, response) => {
    if (request.method !== 'POST') return void response.writeHead(405).end();
    const message = (await json(request)) as { id?: number; method: string };
    if (message.id === undefined) return void response.writeHead(202).end();
    if (message.method !== 'initialize') return handle(message, response);
    const result = {
      protocolVersion: '2025-06-18',
      capabilities: { tools: {} },
      serverInfo: { name: 'x', version: '1' },
    };
    sendJson(response, { jsonrpc: '2.0', id: message.id, result });
  };
}

export function sendJson(response: ServerResponse, body: unknown): void {
  response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}
