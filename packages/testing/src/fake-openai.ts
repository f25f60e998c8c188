import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { answerRequest, type FakeRequest, sendError, sendJson } from './fake-openai-answer.ts';
import { behaviourOf, type FakeBehaviour } from './fake-openai-behaviour.ts';

export interface FakeOpenAIOptions {
  /** 0, the default: any free port. */
  port?: number;
  /** Only this bearer is let in; absent: anyone. */
  apiKey?: string;
  /** What `GET /v1/models` lists. */
  models?: string[];
  /** False: `/v1/responses` answers 404, as many servers of the same API do. */
  responses?: boolean;
  /** Overrides parts of what the model's name says. */
  script?: (request: FakeRequest) => Partial<FakeBehaviour> | undefined;
}

export interface FakeOpenAI {
  /** Base URL, including `/v1`. */
  url: string;
  port: number;
  /** Every request but the fake's own controls, in order of arrival. */
  requests: FakeRequest[];
  /** TCP connections that are open now, idle ones too. */
  connections(): number;
  /** TCP connections that were ever made. */
  connectionsMade(): number;
  /** Resolves when the n-th request (from 1) has arrived. */
  received(number: number): Promise<FakeRequest>;
  /** Resolves when the n-th request (from 1) has ended: sent whole, cut, or left by the client. */
  closed(number: number): Promise<FakeRequest>;
  close(): Promise<void>;
}

/**
 * A real HTTP server that speaks OpenAI's wire formats: models, chat completions and responses, streamed and whole.
 * What it answers is spelled by the model's name: see `FakeBehaviour`. `GET /requests` gives the log of requests as JSON, for
 * tests that run it as a process of its own.
 */
export async function startFakeOpenAI(options: FakeOpenAIOptions = {}): Promise<FakeOpenAI> {
  const requests: FakeRequest[] = [];
  const sockets = new Set<Socket>();
  const seenOnce = new Set<string>();
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

  const handle = async (incoming: IncomingMessage, response: ServerResponse) => {
    const path = new URL(incoming.url ?? '/', 'http://fake').pathname;
    if (path === '/requests') return sendJson(response, 200, requests);
    const request: FakeRequest = {
      number: requests.length + 1,
      method: incoming.method ?? 'GET',
      path,
      headers: incoming.headers,
      body: {},
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
    const chunks: Buffer[] = [];
    for await (const chunk of incoming) chunks.push(chunk);
    if (chunks.length > 0) request.body = JSON.parse(Buffer.concat(chunks).toString());
    request.model = String(request.body.model ?? '');
    happened('received', request);

    if (options.apiKey !== undefined && incoming.headers.authorization !== `Bearer ${options.apiKey}`)
      return sendError(response, 401, { ...behaviourOf('fail-401').error });
    if (path === '/v1/models' && request.method === 'GET')
      return sendJson(response, 200, {
        object: 'list',
        data: (options.models ?? ['words-20', 'echo']).map((id) => ({
          id,
          object: 'model',
          created: 1_750_000_000,
          owned_by: 'fake',
        })),
      });
    const api = path === '/v1/chat/completions' ? 'chat' : path === '/v1/responses' ? 'responses' : null;
    if (api === null || (api === 'responses' && options.responses === false))
      return sendError(response, 404, {
        message: `Invalid URL (${request.method} ${path})`,
        type: 'invalid_request_error',
        code: null,
      });
    const behaviour = { ...behaviourOf(request.model), ...options.script?.(request) };
    if (behaviour.once) {
      if (seenOnce.has(request.model))
        Object.assign(behaviour, { kind: behaviour.kind === 'echo' ? 'echo' : 'words', ending: null });
      seenOnce.add(request.model);
    }
    await answerRequest(api, request, behaviour, response);
  };

  const server = createServer((incoming, response) => {
    handle(incoming, response).catch(() => response.destroy());
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
    server.listen(options.port ?? 0, '127.0.0.1', 4096, () => resolve());
  });
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/v1`,
    port,
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
