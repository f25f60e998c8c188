import { Agent, type ClientRequest, type IncomingMessage, request as requestHttp } from 'node:http';
import { request as requestHttps, Agent as TlsAgent } from 'node:https';
import { pipeline, Readable } from 'node:stream';
import { createBrotliDecompress, createUnzip, createZstdDecompress } from 'node:zlib';
import { AnswerBody } from './answer-body.ts';
import { type CallWatch, watchOf } from './call-watch.ts';

/** Answers a request instead of the network. A thrown error fails the call. */
export type StandIn = (request: { url: string; init: RequestInit }) => Response | Promise<Response>;

const standIns = new WeakMap<AbortSignal, StandIn>();

/** Makes `callFetch` pass all requests with this signal to a stand-in. Nothing is sent. */
export function answerInstead(signal: AbortSignal, standIn: StandIn): AbortSignal {
  standIns.set(signal, standIn);
  return signal;
}

/** Returns a signal for a call that is built but never sent: `callFetch` answers with an empty body. */
export function dryRunSignal(): AbortSignal {
  return answerInstead(new AbortController().signal, emptyAnswer);
}

export const emptyAnswer: StandIn = () => new Response('', { headers: { 'content-type': 'text/event-stream' } });

/** Longest JSON of an answer, which packages read whole: images as base64, or embeddings. */
const MAX_JSON_BYTES = 128_000_000;

/** Replaces a missing status. */
const NO_STATUS = 502;

/** Keeps idle connections this long unless the server says otherwise. */
const KEPT_IDLE_MS = 15_000;

const agents = {
  'http:': new Agent({ keepAlive: true, timeout: KEPT_IDLE_MS }),
  'https:': new TlsAgent({ keepAlive: true, timeout: KEPT_IDLE_MS }),
};

/**
 * A `fetch` for the provider packages over `node:http`, which takes half as long to the first byte as the built-in
 * one. It lacks features that these calls do not need: redirects and cookies. The only streamed request body is a
 * blob, for example of a file. It does not request compression, but reads compressed answers. Reports every byte to
 * the call's watch.
 */
export const callFetch: typeof fetch = async (input, init = {}) => {
  const signal = init.signal ?? null;
  signal?.throwIfAborted();
  const url = new URL(input instanceof Request ? input.url : input);
  const standIn = signal && standIns.get(signal);
  if (standIn) return standIn({ url: url.href, init });
  const request = init.body instanceof FormData ? await encoded(init) : init;
  try {
    return await send(url, request, signal);
  } catch (error) {
    if (signal?.aborted) throw signal.reason;
    if (!(error instanceof StaleConnection)) throw new TypeError('fetch failed', { cause: error });
    // The server closed an idle connection just as it was reused, so it has not seen the request.
    return send(url, request, signal).catch((cause) => {
      throw signal?.aborted ? signal.reason : new TypeError('fetch failed', { cause });
    });
  }
};

/** Creates a `callFetch` that redirects requests for a provider's own hosts to `baseUrl`, if set. */
export function callFetchTo(baseUrl: string | null, ownHosts: RegExp): typeof fetch {
  if (baseUrl === null) return callFetch;
  return (input, init) => {
    const url = new URL(input instanceof Request ? input.url : input);
    return callFetch(ownHosts.test(url.hostname) ? `${baseUrl}${url.pathname}${url.search}` : url, init);
  };
}

/** Encodes a form as bytes, with a header that names its boundary. */
async function encoded(init: RequestInit): Promise<RequestInit> {
  const form = new Response(init.body);
  const headers = new Headers(init.headers);
  headers.set('content-type', form.headers.get('content-type') ?? '');
  return { ...init, headers, body: new Uint8Array(await form.arrayBuffer()) };
}

class StaleConnection extends Error {}

function send(url: URL, init: RequestInit, signal: AbortSignal | null): Promise<Response> {
  const secure = url.protocol === 'https:';
  const watch = watchOf(signal);
  watch?.waiting(); // may be the call's second request
  return new Promise((resolve, reject) => {
    const outgoing = (secure ? requestHttps : requestHttp)(url, {
      method: init.method ?? 'GET',
      headers: headersOf(init),
      agent: agents[secure ? 'https:' : 'http:'],
    });
    const abort = () => outgoing.destroy(new Error('aborted'));
    signal?.addEventListener('abort', abort, { once: true });
    outgoing.on('close', () => signal?.removeEventListener('abort', abort));
    outgoing.on('error', (error: NodeJS.ErrnoException) => {
      const stale = outgoing.reusedSocket && (error.code === 'ECONNRESET' || error.code === 'EPIPE');
      reject(stale ? new StaleConnection(error.message, { cause: error }) : error);
    });
    outgoing.on('response', (incoming) => {
      watch?.heard();
      const status = incoming.statusCode ?? NO_STATUS;
      watch?.onAnswer?.(status, incoming.headers);
      if (watch?.onFirstByte) incoming.once('data', () => watch.onFirstByte?.(status));
      resolve(responseOf(outgoing, incoming, watch));
    });
    if (init.body instanceof Blob) pipeline(Readable.from(chunksOf(init.body, watch)), outgoing, () => {});
    else outgoing.end(init.body as string | Uint8Array | undefined);
  });
}

/** Reads a blob as fast as the connection takes it. Each chunk counts as a sign of life. */
async function* chunksOf(body: Blob, watch: CallWatch | undefined): AsyncGenerator<Uint8Array, void, undefined> {
  for await (const chunk of body.stream()) {
    watch?.waiting();
    yield chunk;
  }
}

/** Copies headers. Packages pass plain objects, which need no `Headers`. */
function headersOf({ headers, body }: RequestInit): Record<string, string> {
  const plain = headers !== undefined && !(headers instanceof Headers) && !Array.isArray(headers);
  const all: Record<string, string> = {};
  for (const [name, value] of plain ? Object.entries(headers) : new Headers(headers))
    if (value !== undefined) all[name] = value.trim();
  if (typeof body === 'string' || body instanceof Uint8Array) all['content-length'] = String(Buffer.byteLength(body));
  if (body instanceof Blob) all['content-length'] = String(body.size);
  return all;
}

function responseOf(
  outgoing: ClientRequest,
  incoming: IncomingMessage,
  watch: CallWatch | undefined,
): Response | Promise<Response> {
  const { statusCode = NO_STATUS, statusMessage = '' } = incoming;
  const answer = () => ({ status: statusCode, statusText: statusMessage, headers: receivedHeaders(incoming) });
  // Responses with these statuses must not have a body.
  if (statusCode === 204 || statusCode === 304) {
    incoming.resume();
    return new Response(null, answer());
  }
  return toResponse(new AnswerBody(outgoing, decoded(incoming), watch), watch, statusCode, answer);
}

const DECODERS: Record<string, () => NodeJS.ReadWriteStream & Readable> = {
  gzip: createUnzip,
  'x-gzip': createUnzip,
  deflate: createUnzip,
  br: createBrotliDecompress,
  zstd: createZstdDecompress,
};

/** Some proxies compress unasked. */
function decoded(incoming: IncomingMessage): Readable {
  const coding = incoming.headers['content-encoding']?.trim().toLowerCase() ?? '';
  const makeDecoder = Object.hasOwn(DECODERS, coding) ? DECODERS[coding] : undefined;
  if (makeDecoder === undefined) return incoming;
  // The pipeline destroys the decoder on an error, which the body's reader then sees.
  return pipeline(incoming, makeDecoder(), () => {});
}

function receivedHeaders({ headers }: IncomingMessage): [string, string][] {
  return Object.entries(headers).flatMap(([name, value]) =>
    [value ?? []].flat().map((one): [string, string] => [name, one]),
  );
}

/** Gives a body to the package, or to the call if it wants it. */
export function toResponse(
  body: AnswerBody,
  watch: CallWatch | undefined,
  status: number,
  answer: () => ResponseInit,
): Response | Promise<Response> {
  if (!watch?.bodyTaker || status < 200 || status > 299) {
    const init = answer();
    const isJson = /\bjson\b/i.test(new Headers(init.headers).get('content-type') ?? '');
    return new Response(streamOf(body, isJson ? MAX_JSON_BYTES : Number.POSITIVE_INFINITY), init);
  }
  const left = watch.bodyTaker(body);
  return left === null ? new Promise(() => {}) : new Response(left, answer());
}

function streamOf(body: AnswerBody, maxBytes: number): ReadableStream<Uint8Array> {
  let bytes = 0;
  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      const chunk = body.next() ?? (await body.wait());
      bytes += chunk?.length ?? 0;
      if (chunk === null) controller.close();
      else if (bytes <= maxBytes) controller.enqueue(chunk);
      else {
        body.cancel();
        controller.error(new TypeError('terminated', { cause: new Error('The answer is too long') }));
      }
    },
    cancel: () => body.cancel(),
  });
}
