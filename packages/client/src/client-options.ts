import type { ResponseFacts } from './response-facts.ts';

/** The scope of requests: your own, or a workspace. */
export type Scope = { type: 'personal' } | { type: 'workspace'; workspaceId: string };

/** Provides access tokens that expire. `createLogin` returns one. */
export interface TokenProvider {
  /** Returns the token to send. Null sends the request without one. */
  token(): Promise<string | null> | string | null;
  /** Called when a token was refused. Returns a new one, or null if there is none. */
  refresh(refused: string): Promise<string | null>;
}

export interface ClientOptions {
  /** URL of the platform, such as `https://chorus.example.org`. Default in a browser: the origin of the page. */
  baseUrl?: string | undefined;
  /** An API key, `chk_…`. Give one of `apiKey`, `token`, and `auth`. */
  apiKey?: string | undefined;
  /** An access token or API key, sent as `Authorization: Bearer`. */
  token?: string | undefined;
  /** Provides access tokens and renews them, such as the result of `createLogin`. */
  auth?: TokenProvider | undefined;
  /** Default: `{ type: 'personal' }`. */
  scope?: Scope | undefined;
  /** Id of the agent that requests run as, `agt_…`. */
  agent?: string | undefined;
  /** Replaces the global `fetch`, for tests or other runtimes. */
  fetch?: typeof fetch | undefined;
  /** Maximum attempts for requests that are safe to repeat, including the first. Default: 4. */
  attempts?: number | undefined;
  /** Maximum pause before a retry. If the server asks for more, the call throws. Default: 30,000. */
  maxRetryWaitMs?: number | undefined;
  /** Time limit until a response starts. 0: none. Default: 60,000. */
  timeoutMs?: number | undefined;
  /** Added to every request, for proxies. */
  headers?: Readonly<Record<string, string>> | undefined;
  /** Called with status, headers, and rate limits of every response, including failed ones. */
  onResponse?: ((response: ResponseFacts) => void) | undefined;
  /** Silence after which a stream counts as lost. Default: 45,000. Heartbeats come every 15 s. */
  streamIdleMs?: number | undefined;
  /** How long a lost stream tries to reconnect. Default: 300,000. */
  streamGiveUpMs?: number | undefined;
}

/** Options of every call. */
export interface CallOptions {
  /** Aborts the call. Work on the server continues. */
  signal?: AbortSignal | undefined;
  /** Added to the requests of the call. They override headers of the client. */
  headers?: Readonly<Record<string, string>> | undefined;
  /** Time limit until a response starts. 0: none. Replaces the option of the client. */
  timeoutMs?: number | undefined;
  /** Maximum attempts for requests that are safe to repeat. Replaces the option of the client. */
  attempts?: number | undefined;
  /** Called with status, headers, and rate limits of every response, after the option of the client. */
  onResponse?: ((response: ResponseFacts) => void) | undefined;
}

/** Returns the options for each request of a call that takes several. */
export const callOptions = ({ signal, headers, timeoutMs, attempts, onResponse }: CallOptions): CallOptions => ({
  signal,
  headers,
  timeoutMs,
  attempts,
  onResponse,
});

export interface RequestOptions extends CallOptions {
  /** Key of a POST. Requests with the same key within a day run once. Default: a new key. */
  idempotencyKey?: string | undefined;
  /** Replaces the option of the client. */
  fetch?: typeof fetch | undefined;
}
