import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { closing } from './counting-mcp-server.ts';

export interface ApiCall {
  name: string;
  /** Of the run that calls. */
  n: number;
  key: string | null;
  /** Aborts when the caller closes the connection before the answer. */
  left: AbortSignal;
}

/** An HTTP API with the operations `stock` (GET), `reserve` (PUT), and `order` (POST), which counts its calls. */
export interface CountingApi {
  url: string;
  /** Its OpenAPI document. */
  document: string;
  calls: ApiCall[];
  close(): Promise<void>;
}

const parameter = { name: 'n', in: 'path', required: true, schema: { type: 'integer' } };
const responses = { 200: { description: 'Done' } };
const DOCUMENT = {
  openapi: '3.1.0',
  info: { title: 'Shop', version: '1' },
  paths: {
    '/stock/{n}': { get: { operationId: 'stock', parameters: [parameter], responses } },
    '/reservations/{n}': { put: { operationId: 'reserve', parameters: [parameter], responses } },
    '/orders/{n}': { post: { operationId: 'order', parameters: [parameter], responses } },
  },
};
const OPERATIONS: Record<string, string> = { GET: 'stock', PUT: 'reserve', POST: 'order' };

/** @param onCall called once a call is counted; the answer waits for it */
export async function startCountingApi(onCall: (call: ApiCall) => Promise<void> | void): Promise<CountingApi> {
  const calls: ApiCall[] = [];

  const serve = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    request.resume();
    const left = closing(response);
    const name = OPERATIONS[request.method ?? ''] ?? '';
    const key = request.headers['idempotency-key'];
    const call = { name, n: Number(request.url?.split('/').at(-1)), key: typeof key === 'string' ? key : null, left };
    calls.push(call);
    await onCall(call);
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ [name]: call.n }));
  };

  const server = createServer((request, response) => {
    serve(request, response).catch(() => response.destroy());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const url = `http://127.0.0.1:${port}`;
  return {
    url,
    document: JSON.stringify({ ...DOCUMENT, servers: [{ url }] }),
    calls,
    close: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
