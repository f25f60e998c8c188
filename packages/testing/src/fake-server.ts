import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';

/** A recorded request. Times are epoch milliseconds, comparable between processes. */
export interface FakeRequest {
  number: number;
  method: string;
  path: string;
  query: Record<string, string>;
  headers: Record<string, string | string[] | undefined>;
  /** Empty unless the body is JSON. */
  body: Record<string, unknown>;
  /** Fields as text and files as bytes. A body of JSON lines is a file without a name. Empty for other bodies. */
  form: { name: string; value: string | Buffer }[];
  bodyBytes: number;
  model: string;
  receivedAt: number;
  /** When the response ended or the client disconnected. Null while running. */
  closedAt: number | null;
  /** False if the client, or a simulated cut, ended the response early. */
  finished: boolean;
  wordsSent: number;
}

export interface FakeServer {
  port: number;
  requests: FakeRequest[];
  /** Open TCP connections, including idle ones. */
  connections(): number;
  connectionsMade(): number;
  /** Resolves when request `number` (from 1) has arrived. */
  received(number: number): Promise<FakeRequest>;
  /** Resolves when request `number` (from 1) was answered completely, cut, or abandoned. */
  closed(number: number): Promise<FakeRequest>;
  close(): Promise<void>;
}

/** Limits that `/control` shows and changes. */
interface Controlled {
  readonly settings: unknown;
  readonly counts: unknown;
  /** @throws Error for an unknown setting */
  change(settings: Record<string, unknown>): void;
}

/**
 * Starts a real HTTP server that records its requests. For tests that run it as a separate process, `GET /requests`
 * returns them, `GET /control` returns the limits and counts, and `POST /control` changes limits.
 * @param modelOf finds the model in a request
 */
export async function startFakeServer(
  port: number,
  modelOf: (request: FakeRequest) => string,
  handle: (request: FakeRequest, response: ServerResponse) => Promise<void> | void,
  limits: Controlled,
): Promise<FakeServer> {
  const requests: FakeRequest[] = [];
  const sockets = new Set<Socket>();
  const waiting: { number: number; event: 'received' | 'closed'; resolve: (request: FakeRequest) => void }[] = [];
  let made = 0;

  const happened = (event: 'received' | 'closed', request: FakeRequest) => {
    for (let index = waiting.length - 1; index >= 0; index -= 1) {
      const waiter = waiting[index];
      if (waiter?.event !== event || waiter.number !== request.number) continue;
      waiting.splice(index, 1);
      waiter.resolve(request);
    }
  };
  const until = (event: 'received' | 'closed', number: number): Promise<FakeRequest> => {
    const request = requests[number - 1];
    if (request !== undefined && (event === 'received' || request.closedAt !== null)) return Promise.resolve(request);
    return new Promise((resolve) => waiting.push({ number, event, resolve }));
  };

  const take = async (incoming: IncomingMessage, response: ServerResponse) => {
    const url = new URL(incoming.url ?? '/', 'http://fake');
    if (url.pathname === '/requests') return sendJson(response, 200, requests);
    if (url.pathname === '/control') return control(limits, incoming, response);
    const request: FakeRequest = {
      number: requests.length + 1,
      method: incoming.method ?? 'GET',
      path: url.pathname,
      query: Object.fromEntries(url.searchParams),
      headers: incoming.headers,
      body: {},
      form: [],
      bodyBytes: 0,
      model: '',
      receivedAt: Date.now(),
      closedAt: null,
      finished: false,
      wordsSent: 0,
    };
    requests.push(request);
    response.on('close', () => {
      request.closedAt = Date.now();
      request.finished = response.writableFinished;
      happened('closed', request);
    });
    const body = await bytesOf(incoming);
    request.bodyBytes = body.length;
    const type = incoming.headers['content-type'] ?? '';
    if (/jsonl/.test(type)) request.form = [{ name: '', value: body }];
    else if (body.length > 0 && /json/.test(type)) request.body = JSON.parse(body.toString());
    if (/^multipart\/form-data/.test(type)) request.form = await formOf(body, type);
    request.model = modelOf(request);
    happened('received', request);
    await handle(request, response);
  };

  const server = createServer((incoming, response) => {
    take(incoming, response).catch(() => response.destroy());
  });
  server.keepAliveTimeout = 30_000;
  server.on('connection', (socket) => {
    made += 1;
    sockets.add(socket);
    socket.setNoDelay(true);
    socket.on('close', () => sockets.delete(socket));
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, '127.0.0.1', 4096, () => resolve());
  });
  return {
    port: (server.address() as AddressInfo).port,
    requests,
    connections: () => sockets.size,
    connectionsMade: () => made,
    received: (number) => until('received', number),
    closed: (number) => until('closed', number),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        for (const socket of sockets) socket.destroy();
      }),
  };
}

async function bytesOf(incoming: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of incoming) chunks.push(chunk);
  return Buffer.concat(chunks);
}

async function control(limits: Controlled, incoming: IncomingMessage, response: ServerResponse): Promise<void> {
  try {
    if (incoming.method === 'POST') limits.change(JSON.parse((await bytesOf(incoming)).toString()));
    sendJson(response, 200, { limits: limits.settings, counts: limits.counts });
  } catch (error) {
    sendJson(response, 400, { error: String(error) });
  }
}

async function formOf(body: Buffer, type: string): Promise<FakeRequest['form']> {
  const form = await new Response(new Uint8Array(body), { headers: { 'content-type': type } }).formData();
  return Promise.all(
    [...form].map(async ([name, value]) => ({
      name,
      value: typeof value === 'string' ? value : Buffer.from(await value.arrayBuffer()),
    })),
  );
}

export function sendJson(
  response: ServerResponse,
  status: number,
  body: unknown,
  headers: Record<string, string> = {},
): void {
  response.writeHead(status, { 'content-type': 'application/json', ...headers });
  response.end(JSON.stringify(body));
}
