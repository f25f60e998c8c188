import { AsyncLocalStorage } from 'node:async_hooks';
import { pipeline, Readable } from 'node:stream';
import { ChorusError } from '@chorus/contract';
import type { Outbound, RequestMethod } from '@chorus/outbound';
import type { FetchLike } from '@modelcontextprotocol/sdk/shared/transport.js';
import { AnswerScan } from './scan-answer.ts';

/** One request to the server, with the HTTP requests that belong to it. */
export interface Exchange {
  /** Number of HTTP requests sent so far, since a hostile server can cause any number. */
  requests: number;
  /** Called before each HTTP request. */
  onRequest(): void;
  /** Called when the response to an HTTP request has ended, with the error that ended it. */
  onEnd(error: Error | null): void;
  /** Called when the SDK stops trying to resume the response. */
  onGiveUp(error: Error): void;
}

/** The exchange of the running code, across the layers of the SDK. */
export const exchanges = new AsyncLocalStorage<Exchange>();

export interface GuardedFetchOptions {
  outbound: Pick<Outbound, 'request'>;
  /** The server. Requests elsewhere are refused, since they would include its headers. */
  url: URL;
  /** Headers with secrets. The SDK never sees them. */
  headers: Readonly<Record<string, string>>;
  /** Of the result of a call. */
  maxAnswerBytes: number;
  /** Of every other answer, such as a page of tools. */
  maxListBytes: number;
  idleMs: number;
}

const MAX_REQUESTS = 50;
const WITHOUT_BODY = new Set([204, 205, 304]);

/** Returns a `fetch` for the SDK with limits, which only reaches public addresses. */
export function guardedFetch({
  outbound,
  url,
  headers,
  maxAnswerBytes,
  maxListBytes,
  idleMs,
}: GuardedFetchOptions): FetchLike {
  /** Open responses by the id of their request. */
  const open = new Map<number, AbortController>();

  return async (target, init = {}) => {
    const address = new URL(target);
    if (address.origin !== url.origin)
      throw new ChorusError('url_not_allowed', 'The MCP server redirects to another host.');
    const exchange = exchanges.getStore();
    if (exchange !== undefined) {
      exchange.requests += 1;
      exchange.onRequest();
      if (exchange.requests > MAX_REQUESTS)
        throw new ChorusError('limit_reached', 'The MCP server sends too many requests.');
    }
    const body = typeof init.body === 'string' ? init.body : undefined;
    const message = readMessage(body);
    const controller = new AbortController();
    if (message.id !== null) open.set(message.id, controller);
    const signal = AbortSignal.any([controller.signal, ...(init.signal ? [init.signal] : [])]);
    try {
      const answer = await outbound.request(address.href, {
        method: (init.method ?? 'GET') as RequestMethod,
        headers: { ...Object.fromEntries(new Headers(init.headers)), ...headers },
        ...(body !== undefined && { body }),
        // A request without a message resumes an answer, or listens.
        maxBytes: message.method === 'tools/call' || body === undefined ? maxAnswerBytes : maxListBytes,
        idleMs,
        signal,
      });
      // The consumer of the body sees its errors.
      const scan = new AnswerScan(answer.headers['content-type'] ?? '');
      const scanned: Readable = pipeline(answer.body, scan, () => {});
      scanned.once('close', () => {
        if (message.id === null) return;
        open.delete(message.id);
        exchange?.onEnd(scanned.errored);
      });
      return toResponse({ ...answer, body: scanned });
    } catch (error) {
      if (message.id !== null) open.delete(message.id);
      throw error;
    } finally {
      // The server knows that this response is not needed.
      if (message.cancels !== null) open.get(message.cancels)?.abort();
    }
  };
}

function toResponse({ status, headers, body }: Awaited<ReturnType<Outbound['request']>>): Response {
  const kept = Object.entries(headers).flatMap(([name, value]): [string, string][] =>
    value === undefined || name === 'content-encoding' || name === 'content-length'
      ? []
      : [[name, Array.isArray(value) ? value.join(', ') : value]],
  );
  const valid = status >= 200 && status <= 599 ? status : 502;
  if (WITHOUT_BODY.has(valid)) {
    body.destroy();
    return new Response(null, { status: valid, headers: kept });
  }
  return new Response(Readable.toWeb(body) as ReadableStream<Uint8Array>, { status: valid, headers: kept });
}

/** Reads a message that the SDK sends. */
function readMessage(body: string | undefined): { id: number | null; method: unknown; cancels: number | null } {
  const message = body === undefined ? {} : JSON.parse(body);
  const isRequest = typeof message.method === 'string' && typeof message.id === 'number';
  const cancels = message.method === 'notifications/cancelled' ? message.params?.requestId : null;
  const { method } = message;
  return { id: isRequest ? message.id : null, method, cancels: typeof cancels === 'number' ? cancels : null };
}
