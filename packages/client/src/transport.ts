import { ChorusError, errorOfAnswer } from './chorus-error.ts';
import type { ClientOptions, RequestOptions } from './client-options.ts';
import { Credentials } from './credentials.ts';
import { Deadline } from './deadline.ts';
import { newKey } from './new-key.ts';
import type { AnswerOf, OperationInput, OperationName, Optional } from './operations.ts';
import { readJson } from './read-json.ts';
import { encodeBody, fillPath, writeQuery } from './request-parts.ts';
import { growingWait, wait } from './wait.ts';

/** Routes that are asked without credentials or scope. */
const OPEN: readonly string[] = [
  'POST /auth/login',
  'POST /auth/totp',
  'POST /auth/refresh',
  'POST /auth/forget',
  'POST /invitations/accept',
];

const TIMED_OUT = 'The server did not answer in time.';

type Input<Name extends OperationName> = OperationInput<Name>;

export type RequestArguments<Name extends OperationName> =
  Optional<Input<Name>> extends true
    ? [input?: Input<Name> | undefined, options?: RequestOptions | undefined]
    : [input: Input<Name>, options?: RequestOptions | undefined];

/** Sends requests: credentials, scope, attempts, errors. */
export class Transport {
  readonly options: ClientOptions;
  readonly baseUrl: string;
  readonly #credentials: Credentials;

  constructor(options: ClientOptions) {
    this.options = options;
    this.baseUrl = (options.baseUrl ?? '').replace(/\/+$/, '').replace(/\/api\/v1$/, '');
    // `localhost:8080` would be an address of the scheme `localhost`. A path is one in the page's own place.
    if (!/^(https?:\/\/|\/|$)/i.test(this.baseUrl))
      throw new TypeError(`baseUrl must begin with http:// or https://, and is "${this.baseUrl}".`);
    this.#credentials = new Credentials(options);
  }

  /** One request of a route, and its answer. */
  async request<Name extends OperationName>(name: Name, ...rest: RequestArguments<Name>): Promise<AnswerOf<Name>> {
    const { body } = await this.answer(name, ...rest);
    return body;
  }

  /** The same, with the headers of the answer. */
  async answer<Name extends OperationName>(
    name: Name,
    ...[input, options]: RequestArguments<Name>
  ): Promise<{ body: AnswerOf<Name>; headers: Headers }> {
    return this.send(name, input, options, async (response) => ({
      body: await readJson<AnswerOf<Name>>(response),
      headers: response.headers,
    }));
  }

  /** Opens a request whose answer is read as it comes. Only the beginning of the answer has a limit of time. */
  open<Name extends OperationName>(
    name: Name,
    input: Input<Name> | undefined,
    options: RequestOptions | undefined,
  ): Promise<Response> {
    return this.send(name, input, options, async (response) => response);
  }

  /**
   * Sends a request until it is answered, as often as it may be, and reads the answer of a success.
   *
   * @throws {ChorusError}; the signal's reason when that has come
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
    const isOpen = OPEN.includes(name);
    if (method === 'POST' && !isOpen) headers['Idempotency-Key'] = options.idempotencyKey ?? newKey();
    const init: RequestInit = {
      method,
      headers: { ...headers, ...options.headers },
      ...(body !== undefined && { body }),
    };
    return this.#patiently(method, options, () => this.#attempt(url, init, { isOpen, ...options }, read));
  }

  async #patiently<T>(method: string, options: RequestOptions, attempt: () => Promise<T>): Promise<T> {
    const attempts = options.attempts ?? this.options.attempts ?? 4;
    const maxWaitMs = this.options.maxRetryWaitMs ?? 30_000;
    for (let tried = 1; ; tried++) {
      try {
        return await attempt();
      } catch (error) {
        if (tried >= attempts || !(error instanceof ChorusError) || !mayTryAgain(method, error)) throw error;
        const waitMs = error.retryAfterMs ?? growingWait(tried, maxWaitMs);
        if (waitMs > maxWaitMs) throw error;
        await wait(waitMs, options.signal);
      }
    }
  }

  async #attempt<T>(
    url: string,
    init: RequestInit,
    options: RequestOptions & { isOpen: boolean },
    read: (response: Response) => Promise<T>,
  ): Promise<T> {
    const used = options.isOpen ? null : await this.#credentials.current();
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
    { signal, timeoutMs = this.options.timeoutMs ?? 60_000, fetch: own }: RequestOptions,
    read: (response: Response) => Promise<T>,
  ): Promise<T> {
    signal?.throwIfAborted();
    const fetcher = own ?? this.options.fetch ?? fetch;
    if (fetcher === globalThis.fetch && url.startsWith('/') && !('location' in globalThis))
      throw new TypeError('baseUrl is missing: outside of pages there is no other address to ask.');
    const deadline = new Deadline(signal, TIMED_OUT);
    deadline.set(timeoutMs);
    try {
      const headers = { ...(init.headers as Record<string, string>), ...credentials };
      const response = await fetcher(url, { ...init, headers, signal: deadline.signal });
      if (!response.ok) throw await errorOfAnswer(response);
      return await read(response);
    } catch (error) {
      if (error instanceof ChorusError) throw error;
      if (deadline.signal.aborted) throw deadline.signal.reason;
      throw new ChorusError('connection_lost', `The server cannot be reached: ${reasonOf(error)}`, {
        status: 0,
        retryable: true,
        cause: error,
      });
    } finally {
      deadline.close();
    }
  }
}

/** Whether nothing bad can come of another attempt: what may have been done already is repeated only where that is noticed. */
function mayTryAgain(method: string, { retryable, status }: ChorusError): boolean {
  if (!retryable) return false;
  const wasRefused = status === 429 || status === 503 || status === 409;
  return wasRefused || method === 'GET' || method === 'POST';
}

/** `fetch failed` says nothing; its cause does. */
function reasonOf(error: unknown): string {
  const cause = (error as { cause?: unknown }).cause;
  const told = cause instanceof Error && cause.message !== '' ? cause : error;
  return told instanceof Error ? told.message : String(told);
}
