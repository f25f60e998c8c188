import { EventStream, type Payload } from './event-stream.ts';
import { poll } from './poll.ts';

export interface Answer {
  status: number;
  headers: Headers;
  // JSON if it parses, otherwise text.
  body: Payload;
}

export interface CallOptions {
  /** Strings are sent unchanged, the rest as JSON. */
  body?: unknown;
  /** Added to the default headers; null removes one. */
  headers?: Record<string, string | null>;
  /** Base URL of another API process. */
  url?: string;
  signal?: AbortSignal;
}

const TERMINAL = ['succeeded', 'failed', 'cancelled'];

export class ApiClient {
  readonly token: string;
  readonly userId: string;
  readonly #url: () => string;
  readonly #scope: Record<string, string>;

  constructor(url: () => string, token: string, userId: string, scope: Record<string, string>) {
    this.#url = url;
    this.token = token;
    this.userId = userId;
    this.#scope = scope;
  }

  static async login(url: () => string, login: { email: string; password: string }): Promise<ApiClient> {
    const response = await fetch(`${url()}/api/v1/auth/login`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(login),
    });
    const body = (await response.json()) as Payload;
    if (response.status !== 200) throw new Error(`login: ${response.status} ${JSON.stringify(body)}`);
    return new ApiClient(url, body.access_token, body.user.id, { 'x-scope-type': 'personal' });
  }

  inWorkspace(id: string): ApiClient {
    return new ApiClient(this.#url, this.token, this.userId, { 'x-scope-type': 'workspace', 'x-workspace-id': id });
  }

  async call(method: string, path: string, options: CallOptions = {}): Promise<Answer> {
    const { url, headers, body } = this.#request(path, options);
    const response = await fetch(url, {
      method,
      headers,
      ...(body === undefined ? {} : { body }),
      ...(options.signal ? { signal: options.signal } : {}),
    });
    const text = await response.text();
    const json = response.headers.get('content-type')?.startsWith('application/json') && text !== '';
    return { status: response.status, headers: response.headers, body: json ? JSON.parse(text) : text };
  }

  get(path: string, options?: CallOptions): Promise<Answer> {
    return this.call('GET', path, options);
  }

  post(path: string, body: unknown = {}, options: CallOptions = {}): Promise<Answer> {
    return this.call('POST', path, { ...options, body });
  }

  chat(body: Record<string, unknown> | string, options?: CallOptions): Promise<Answer> {
    return this.post('/chat/completions', body, options);
  }

  async start(body: Record<string, unknown>): Promise<Payload> {
    const { status, body: execution } = await this.chat(body, { headers: { prefer: 'respond-async' } });
    if (status !== 200) throw new Error(`chat: ${status} ${JSON.stringify(execution)}`);
    return execution;
  }

  stream(body: Record<string, unknown>, options: CallOptions = {}): Promise<EventStream> {
    return this.open('POST', '/chat/completions', { ...options, body: { ...body, stream: true } });
  }

  events(id: string, after?: number, options: CallOptions = {}): Promise<EventStream> {
    const headers = { ...options.headers, ...(after === undefined ? {} : { 'last-event-id': String(after) }) };
    return this.open('GET', `/jobs/${id}/events`, { ...options, headers });
  }

  open(method: string, path: string, options: CallOptions = {}): Promise<EventStream> {
    const { url, headers, body } = this.#request(path, options);
    return EventStream.open(method, url, headers, body, options.signal);
  }

  async job(id: string): Promise<Payload> {
    const { status, body } = await this.get(`/jobs/${id}`);
    if (status !== 200) throw new Error(`GET /jobs/${id}: ${status} ${JSON.stringify(body)}`);
    return body;
  }

  waitForJob(id: string, statuses: string[] = TERMINAL, withinMs?: number): Promise<Payload> {
    const look = async () => {
      const job = await this.job(id);
      return statuses.includes(job.status) ? job : undefined;
    };
    return poll(`job ${id} is ${statuses.join(' or ')}`, look, withinMs);
  }

  async messages(sessionId: string): Promise<Payload[]> {
    const { status, body } = await this.get(`/sessions/${sessionId}/messages?limit=100`);
    if (status !== 200) throw new Error(`messages of ${sessionId}: ${status} ${JSON.stringify(body)}`);
    return body.data;
  }

  #request(path: string, options: CallOptions): { url: string; headers: Record<string, string>; body?: string } {
    const all: Record<string, string | null> = {
      authorization: `Bearer ${this.token}`,
      ...this.#scope,
      ...(options.body === undefined ? {} : { 'content-type': 'application/json' }),
      ...options.headers,
    };
    const headers = Object.fromEntries(
      Object.entries(all).filter((entry): entry is [string, string] => entry[1] !== null),
    );
    const root = /^\/(healthz|readyz|metrics|openapi\.json|docs)/.test(path);
    const url = `${options.url ?? this.#url()}${root ? '' : '/api/v1'}${path}`;
    if (options.body === undefined) return { url, headers };
    return { url, headers, body: typeof options.body === 'string' ? options.body : JSON.stringify(options.body) };
  }
}
