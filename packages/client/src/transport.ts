import { ChorusError, chorusError, errorFromResponse } from './chorus-error.ts';
import type { ClientOptions, RequestOptions } from './client-options.ts';
import { Credentials } from './credentials.ts';
import type { AnswerOf, OperationInput, OperationName, Optional } from './operations.ts';
import { readJson } from './read-response.ts';
import { encodeBody, fillPath, newIdempotencyKey, writeQuery } from './request-parts.ts';
import { factsOf } from './response-facts.ts';
import { backoff, Deadline, wait } from './timing.ts';

/** Routes without credentials and scope. */
const PUBLIC_ROUTES: readonly string[] = [
  'GET /shared/{token}',
  'GET /shared/{token}/messages',
  'POST /auth/login',
  'POST /auth/totp',
  'POST /auth/refresh',
  'POST /auth/forget',
  'POST /invitations/accept',
];

/** Options of a request that is sent. */
interface Sent extends RequestOptions {
  name: OperationName;
  /** Whether it needs no credentials. */
  isPublic: boolean;
}

const TIMED_OUT = 'The server did not answer in time.';

type Input<Name extends OperationName> = OperationInput<Name>;

export type RequestArguments<Name extends OperationName> =
  Optional<Input<Name>> extends true
    ? [input?: Input<Name> | undefined, options?: RequestOptions | undefined]
    : [input: Input<Name>, options?: RequestOptions | undefined];

/** Sends requests: credentials, scope, retries, errors. */
export class Transport {
  readonly options: ClientOptions;
  readonly baseUrl: string;
  readonly #credentials: Credentials;

  constructor(options: ClientOptions) {
    this.options = options;
    this.baseUrl = (options.baseUrl ?? '').replace(/\/+$/, '').replace(/\/api\/v1$/, '');
    // `localhost:8080` would have the scheme `localhost`. A path is relative to the page.
    if (!/^(https?:\/\/|\/|$)/i.test(this.baseUrl))
      throw new TypeError(`baseUrl must begin with http:// or https://, but is "${this.baseUrl}".`);
    this.#credentials = new Credentials(options);
  }

  /** Requests a route and returns its response. */
  request<Name extends OperationName>(
    name: Name,
    ...[input, options]: RequestArguments<Name>
  ): Promise<AnswerOf<Name>> {
    return this.send(name, input, options, readJson<AnswerOf<Name>>);
  }

  /** Opens a request whose response is streamed. The time limit ends when the response starts. */
  open<Name extends OperationName>(
    name: Name,
    input: Input<Name> | undefined,
    options: RequestOptions | undefined,
  ): Promise<Response> {
    return this.send(name, input, options, async (response) => response);
  }

  /**
   * Sends a request, retries it if that is safe, and reads a successful response.
   *
   * @throws {ChorusError} and the reason of the signal when it aborts
   */
  async send<Name extends OperationName, T>(
    name: Name,
    input: Partial<Record<'path' | 'query' | 'body' | 'form', unknown>> | undefined,
    options: RequestOptions = {},
    read: (response: Response) => Promise<T>,
  ): Promise<T> {
    const [method = 'GET', path = ''] = name.split(' ', 2);
    const url = `${this.baseUrl}/api/v1${fillPath(path, input?.path)}${writeQuery(input?.query)}`;
    const { body, headers } = encodeBody(input?.body, input?.form);
    const isPublic = PUBLIC_ROUTES.includes(name);
    if (method === 'POST' && !isPublic) headers['Idempotency-Key'] = options.idempotencyKey ?? newIdempotencyKey();
    const init: RequestInit = {
      method,
      headers: { ...headers, ...this.options.headers, ...options.headers },
      ...(body !== undefined && { body }),
    };
    return this.#withRetries(method, options, () => this.#attempt(url, init, { isPublic, name, ...options }, read));
  }

  async #withRetries<T>(method: string, options: RequestOptions, attempt: () => Promise<T>): Promise<T> {
    const attempts = options.attempts ?? this.options.attempts ?? 4;
    const maxWaitMs = this.options.maxRetryWaitMs ?? 30_000;
    for (let attempted = 1; ; attempted++) {
      try {
        return await attempt();
      } catch (error) {
        if (attempted >= attempts || !(error instanceof ChorusError) || !canRetry(method, error)) throw error;
        const waitMs = error.retryAfterMs ?? backoff(attempted, maxWaitMs);
        if (waitMs > maxWaitMs) throw error;
        await wait(waitMs, options.signal);
      }
    }
  }

  async #attempt<T>(
    url: string,
    init: RequestInit,
    options: Sent,
    read: (response: Response) => Promise<T>,
  ): Promise<T> {
    const used = options.isPublic ? null : await this.#credentials.current();
    try {
      return await this.#fetch(url, init, used?.headers ?? {}, options, read);
    } catch (error) {
      if (used === null || !(error instanceof ChorusError) || error.status !== 401) throw error;
      const fresh = await this.#credentials.refreshed(used);
      if (fresh === null) throw error;
      return this.#fetch(url, init, fresh.headers, options, read);
    }
  }

  async #fetch<T>(
    url: string,
    init: RequestInit,
    credentials: Record<string, string>,
    { name, signal, timeoutMs = this.options.timeoutMs ?? 60_000, fetch: own, onResponse }: Sent,
    read: (response: Response) => Promise<T>,
  ): Promise<T> {
    signal?.throwIfAborted();
    const fetcher = own ?? this.options.fetch ?? fetch;
    if (fetcher === globalThis.fetch && url.startsWith('/') && !('location' in globalThis))
      throw new TypeError('baseUrl is missing. Only pages in a browser can omit it.');
    const deadline = new Deadline(signal, TIMED_OUT);
    deadline.set(timeoutMs);
    let isObserved = false; // An observer throws errors of the caller.
    try {
      const headers = { ...(init.headers as Record<string, string>), ...credentials };
      const response = await fetcher(url, { ...init, headers, signal: deadline.signal });
      isObserved = true;
      for (const observe of [this.options.onResponse, onResponse]) observe?.(factsOf(name, response));
      isObserved = false;
      if (!response.ok) throw await errorFromResponse(response);
      return await read(response);
    } catch (error) {
      if (error instanceof ChorusError || isObserved) throw error;
      if (deadline.signal.aborted) throw deadline.signal.reason;
      throw chorusError('connection_lost', `Cannot reach ${this.baseUrl || 'the server'}: ${reasonOf(error)}`, {
        status: 0,
        retryable: true,
        cause: error,
      });
    } finally {
      deadline.close();
    }
  }
}

/**
 * Whether a retry is safe. A request that may have had an effect is repeated only with an
 * idempotency key.
 */
function canRetry(method: string, { retryable, status }: ChorusError): boolean {
  if (!retryable) return false;
  const wasRefused = status === 429 || status === 503 || status === 409;
  return wasRefused || method === 'GET' || method === 'POST';
}

/** Returns the message of the cause, since `fetch failed` says nothing. */
function reasonOf(error: unknown): string {
  const cause = (error as { cause?: unknown }).cause;
  const reason = cause instanceof Error && cause.message !== '' ? cause : error;
  return reason instanceof Error ? reason.message : String(reason);
}
