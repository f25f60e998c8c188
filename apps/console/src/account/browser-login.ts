import { ChorusError, createClient, type TokenAnswer, type TokenProvider, type User } from '@chorus/client';
import type { RememberedLogin } from './login-store.ts';

export interface BrowserLoginOptions {
  baseUrl: string;
  store: {
    load(): RememberedLogin | null;
    save(user: User | null): void;
  };
  fetch?: typeof fetch | undefined;
}

/** Asks the server to keep the refresh token in a cookie that no script can read. */
const COOKIE = { 'X-Token-Storage': 'cookie' };

/** Access tokens are renewed this much early, so that no request is sent in vain. */
const EARLY_MS = 30_000;

/** A repeated renewal gets the same answer for 10 s; later the token would count as stolen, which ends the login. */
const RENEW_WITHIN_MS = 8_000;

/** Set while the server has not been told of a sign-out: it was out of reach. */
const UNTOLD = 'chorus.signed-out';

interface AccessToken {
  token: string;
  expiresAt: number;
  userId: string;
}

/** The login of this browser: a cookie for all tabs, and in each tab an access token in memory. */
export class BrowserLogin implements TokenProvider {
  readonly #client: ReturnType<typeof createClient>;
  readonly #store: BrowserLoginOptions['store'];
  #access: AccessToken | null = null;
  #renewing: Promise<string | null> | null = null;

  constructor({ store, ...options }: BrowserLoginOptions) {
    this.#client = createClient(options);
    this.#store = store;
    addEventListener('online', () => void this.tellSignOut());
  }

  async token(): Promise<string | null> {
    const user = this.#store.load()?.user;
    if (user === undefined) return null;
    const access = this.#access;
    if (access?.userId === user.id && access.expiresAt - Date.now() > EARLY_MS) return access.token;
    return this.#renewOnce();
  }

  async refresh(refused: string): Promise<string | null> {
    const access = this.#access;
    if (access !== null && access.token !== refused && access.userId === this.#store.load()?.user.id)
      return access.token;
    return this.#renewOnce();
  }

  /** @throws {ChorusError} totp_required, with `extra.challenge` for `confirm`; invalid_credentials; rate_limited */
  async signIn(email: string, password: string): Promise<void> {
    const body = { email, password };
    this.#keep(await this.#client.request('POST /auth/login', { body }, { headers: COOKIE }));
  }

  /** @throws {ChorusError} invalid_totp_code; rate_limited; unauthorized when it has taken too long */
  async confirm(challenge: string, code: string): Promise<void> {
    const body = { challenge, code };
    this.#keep(await this.#client.request('POST /auth/totp', { body }, { headers: COOKIE }));
  }

  /** Creates the account that an invitation is for. */
  async signUp(token: string, password: string): Promise<void> {
    const answer = await this.#client.request('POST /invitations/accept', { body: { token, password } });
    this.#keep(await this.#exchange(answer.refresh_token));
  }

  /** Signs out in all tabs at once; the server is told as soon as it can be reached. */
  async signOut(): Promise<void> {
    localStorage.setItem(UNTOLD, '1');
    this.#access = null;
    this.#store.save(null);
    await this.tellSignOut();
  }

  /** Tells the server of a sign-out that it does not know of yet. */
  async tellSignOut(): Promise<void> {
    if (localStorage.getItem(UNTOLD) === null || this.#store.load() !== null) return;
    try {
      await alone(() => this.#client.request('POST /auth/forget', {}, { headers: COOKIE, attempts: 1 }));
      localStorage.removeItem(UNTOLD);
    } catch {
      // At the next start, or when the network is back.
    }
  }

  #renewOnce(): Promise<string | null> {
    this.#renewing ??= alone(() => this.#renew()).finally(() => {
      this.#renewing = null;
    });
    return this.#renewing;
  }

  async #renew(): Promise<string | null> {
    const login = this.#store.load();
    if (login === null) return null;
    try {
      const answer = await this.#exchange(login.refreshToken);
      // Another tab may have signed out, or someone else in, meanwhile.
      if (this.#store.load()?.user.id !== login.user.id) return null;
      this.#keep(answer);
      return answer.access_token;
    } catch (error) {
      if (!(error instanceof ChorusError) || error.status !== 401) throw error;
      const now = this.#store.load();
      // Another tab has moved the old token into the cookie.
      if (now !== null && now.refreshToken !== login.refreshToken) return this.#renew();
      this.#access = null;
      if (now?.user.id === login.user.id) this.#store.save(null);
      return null;
    }
  }

  /** An access token for the cookie; a refresh token moves into the cookie first. Tried once: the request that needs it is repeated. */
  #exchange(refreshToken: string | undefined): Promise<TokenAnswer> {
    const body = refreshToken === undefined ? {} : { refresh_token: refreshToken };
    return this.#client.request(
      'POST /auth/refresh',
      { body },
      { headers: COOKIE, timeoutMs: RENEW_WITHIN_MS, attempts: 1 },
    );
  }

  #keep({ access_token, expires_in, user }: TokenAnswer): void {
    this.#access = { token: access_token, expiresAt: Date.now() + expires_in * 1_000, userId: user.id };
    localStorage.removeItem(UNTOLD);
    this.#store.save(user);
  }
}

/** One tab after the other, where the browser can: each then starts from the newest cookie. */
function alone<T>(act: () => Promise<T>): Promise<T> {
  return 'locks' in navigator ? navigator.locks.request('chorus.login', act) : act();
}
