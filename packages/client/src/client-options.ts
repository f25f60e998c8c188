/** In which scope requests run. */
export type Scope = { type: 'personal' } | { type: 'workspace'; workspaceId: string };

/** Where access tokens come from that run out. `createLogin` makes one. */
export interface TokenProvider {
  /** The token to send; null: there is none, and the request goes without. */
  token(): Promise<string | null> | string | null;
  /** Called when a token was refused: gives another one, or null when there is none. */
  refresh(refused: string): Promise<string | null>;
}

export interface ClientOptions {
  /** Where the platform is, such as `https://chorus.example.org`. In a browser it may be left out: where the page came from. */
  baseUrl?: string | undefined;
  /** An API key, `chk_…`. One of `apiKey`, `token` and `auth`. */
  apiKey?: string | undefined;
  /** An access token, or an API key, sent as the bearer. */
  token?: string | undefined;
  /** Gives access tokens, and fresh ones when they have run out. */
  auth?: TokenProvider | undefined;
  /** Default: personal. */
  scope?: Scope | undefined;
  /** Id of the agent that requests run as. */
  agent?: string | undefined;
  /** In place of the global one: for tests, or a runtime with its own. */
  fetch?: typeof fetch | undefined;
  /** How often a request is tried in all, when nothing came of it that could have done something. Default 4. */
  attempts?: number | undefined;
  /** The longest that is waited before another attempt, in milliseconds; where the server wants longer, its error is thrown. Default 30 s. */
  maxRetryWaitMs?: number | undefined;
  /** How long an answer may take to begin, in milliseconds, beyond what the request itself asks it to wait. Default 60 s. */
  timeoutMs?: number | undefined;
  /** How long a stream may be silent before it counts as lost, in milliseconds: the server says something every 15 s. Default 45 s. */
  streamIdleMs?: number | undefined;
  /** How long a stream whose connection is lost tries to go on, in milliseconds. Default 5 minutes. */
  streamGiveUpMs?: number | undefined;
}

/** What every call takes besides its input. */
export interface CallOptions {
  /** Ends the call; what runs on the server goes on. */
  signal?: AbortSignal | undefined;
}

export interface RequestOptions extends CallOptions {
  headers?: Readonly<Record<string, string>> | undefined;
  /** Of a POST: the same key a day long means the same request. Absent: one is made for each call. */
  idempotencyKey?: string | undefined;
  /** In place of the client's. */
  attempts?: number | undefined;
  /** In place of the client's; 0: no limit. */
  timeoutMs?: number | undefined;
  /** What sends it, in place of the client's. */
  fetch?: typeof fetch | undefined;
}
