import type { ClientOptions } from './client-options.ts';

/** Credentials that a request was sent with. */
export interface UsedCredentials {
  token: string | null;
  headers: Record<string, string>;
}

/** Provides the headers for credentials and scope. */
export class Credentials {
  readonly #options: ClientOptions;
  #refreshing: { refused: string; fresh: Promise<string | null> } | null = null;

  constructor(options: ClientOptions) {
    const methods = [options.apiKey, options.token, options.auth].filter((one) => one !== undefined);
    if (methods.length > 1) throw new TypeError('Give only one of apiKey, token, and auth.');
    this.#options = options;
  }

  async current(): Promise<UsedCredentials> {
    const { auth, token = null } = this.#options;
    return this.#with(auth ? await auth.token() : token);
  }

  /** Returns new credentials for refused ones, or null. Concurrent requests share one refresh. */
  async refreshed({ token: refused }: UsedCredentials): Promise<UsedCredentials | null> {
    const { auth } = this.#options;
    if (auth === undefined || refused === null) return null;
    if (this.#refreshing?.refused !== refused) this.#refreshing = { refused, fresh: auth.refresh(refused) };
    const { fresh: pending } = this.#refreshing;
    const fresh = await pending.catch((error) => {
      // A failure, such as a lost network, does not prevent the next attempt.
      if (this.#refreshing?.fresh === pending) this.#refreshing = null;
      throw error;
    });
    return fresh === null || fresh === refused ? null : this.#with(fresh);
  }

  #with(token: string | null): UsedCredentials {
    const { apiKey, scope = { type: 'personal' }, agent } = this.#options;
    const headers: Record<string, string> = { 'X-Scope-Type': scope.type };
    if (scope.type === 'workspace') headers['X-Workspace-ID'] = scope.workspaceId;
    if (agent !== undefined) headers['X-Agent-ID'] = agent;
    if (apiKey !== undefined) headers['X-API-Key'] = apiKey;
    else if (token !== null) headers.Authorization = `Bearer ${token}`;
    return { token, headers };
  }
}
