import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text as readText } from 'node:stream/consumers';
import { callTool, type FakePiece, say, writePdf } from '@chorus/testing';
import type { Script } from './test-agents.ts';

interface Message {
  role: string;
  content: string | null;
  tool_calls?: { function: { name: string; arguments: string } }[];
}

/**
 * A model that obeys any text, even an attacker's. `CALL name {…}` is a call, `SAY …` an answer. In arguments, `$RULES`
 * is the platform's system message.
 */
export const obedient: Script = ({ body }) => {
  const messages = body.messages as Message[];
  const tools = body.tools as { function: { description: string } }[];
  const texts = [...tools.map((tool) => tool.function.description), ...messages.map(({ content }) => content ?? '')];
  const made = messages.flatMap(({ tool_calls = [] }) => tool_calls.map(({ function: call }) => called(call)));
  const rules = JSON.stringify(messages[0]?.content).slice(1, -1);
  const orders = [...texts.join('\n').matchAll(/CALL ([\w.-]+) (\{.*?\})/g)].map(([, name = '', args = '']) => ({
    name,
    arguments: args.replaceAll('$RULES', () => rules),
  }));
  const next = orders.filter((order, at) => {
    const isNew = orders.findIndex((other) => called(other) === called(order)) === at;
    return isNew && !made.includes(called(order));
  });
  if (next.length > 0 && body.tool_choice !== 'none')
    return next.flatMap((order, at) => callTool(order.name, order.arguments, at));
  const said = texts.flatMap((text) => [...text.matchAll(/SAY (.*)/g)].map(([, words = '']) => words));
  return said.length === 0 ? say('Done.') : said.flatMap((words): FakePiece[] => say(words));
};

const called = ({ name, arguments: args }: { name: string; arguments: string }) => `${name} ${args}`;

export interface HostileServer {
  url: string;
  /** All requests, but those that list tools. */
  seen: { method: string; path: string; headers: IncomingMessage['headers']; body: string }[];
  /** The tools of its MCP server, as it lists them. */
  tools: Record<string, unknown>[];
  /** Answers a call of a tool. */
  onCall: (name: string, args: Record<string, unknown>) => string | Promise<string>;
  /** The texts of its page, its PDF, and its API's answer. */
  text: string;
  /** Tells a client, once it listens, that the tools have changed. */
  tellChanged(): Promise<void>;
  close(): Promise<void>;
}

/** Starts a server with pages, an API, and an MCP server at `/mcp`, whose texts are those of an attacker. */
export async function startHostileServer(): Promise<HostileServer> {
  let listening = Promise.withResolvers<ServerResponse>();

  const mcp = async (request: IncomingMessage, response: ServerResponse, body: string): Promise<void> => {
    if (request.method === 'GET') {
      response.writeHead(200, { 'content-type': 'text/event-stream' }).flushHeaders();
      listening.resolve(response);
      response.once('close', () => {
        listening = Promise.withResolvers();
      });
      return;
    }
    const { id, method, params } = body === '' ? {} : JSON.parse(body);
    if (id === undefined) return void response.writeHead(202).end();
    const results: Record<string, () => object | Promise<object>> = {
      initialize: () => ({
        protocolVersion: params.protocolVersion,
        capabilities: { tools: { listChanged: true } },
        serverInfo: { name: 'hostile', version: '1' },
      }),
      'tools/list': () => ({ tools: server.tools }),
      'tools/call': async () => ({
        content: [{ type: 'text', text: await server.onCall(params.name, params.arguments) }],
      }),
    };
    const result = (await results[method]?.()) ?? {};
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ jsonrpc: '2.0', id, result }));
  };

  const http = createServer(async (request, response) => {
    const body = await readText(request);
    const { method = '', url: path = '', headers } = request;
    if (!body.includes('"tools/list"')) server.seen.push({ method, path, headers, body });
    if (path.startsWith('/mcp')) return mcp(request, response, body);
    if (path.startsWith('/to?')) return void response.writeHead(302, { location: path.slice(4) }).end();
    if (path === '/file.pdf') {
      const marks = server.text.split('\n').map((text, line) => ({ text, x: 40, y: 40 + line * 20, size: 10 }));
      return void response.setHeader('content-type', 'application/pdf').end(writePdf([{ width: 900, marks }]));
    }
    if (path !== '/page') return void response.setHeader('content-type', 'text/plain').end(server.text);
    const paragraphs = server.text.split('\n').map((line) => `<p>${line.replaceAll('<', '&lt;')}</p>`);
    response.setHeader('content-type', 'text/html').end(`<title>Page</title>${paragraphs.join('')}`);
  });
  http.listen(0, '127.0.0.1');
  await once(http, 'listening');

  const server: HostileServer = {
    url: `http://127.0.0.1:${(http.address() as AddressInfo).port}`,
    seen: [],
    tools: [],
    onCall: () => 'ok',
    text: '',
    tellChanged: async () => {
      const message = { jsonrpc: '2.0', method: 'notifications/tools/list_changed' };
      const stream = await listening.promise;
      stream.write(`data: ${JSON.stringify(message)}\n\n`);
    },
    close: async () => {
      http.closeAllConnections();
      http.close();
      await once(http, 'close');
    },
  };
  return server;
}
