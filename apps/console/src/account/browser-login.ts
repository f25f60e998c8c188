import { ChorusError, createClient, type TokenAnswer, type TokenProvider, type User } from '@chorus/client';

/** The user who is signed in to this browser. Holds no secrets: the refresh token is in an HttpOnly cookie. */
export interface RememberedLogin {
  user: User;
  /** Left by an earlier version until it moves into the cookie. */
  refreshToken?: string | undefined;
}

interface BrowserLoginOptions {
  baseUrl: string;
  store: {
    load(): RememberedLogin | null;
    save(user: User | null): void;
  };
  fetch?: typeof fetch | undefined;
}

/** Asks the server to keep the refresh token in an HttpOnly cookie. */
const COOKIE_HEADERS = { 'X-Token-Storage': 'cookie' };

/** Access tokens are renewed this long before they expire. */
const RENEW_EARLY_MS = 30_000;

/**
 * A repeated renewal gets the same response for 10 s. Later, the server treats the token as stolen and ends the
 * login.
 */
const RENEW_TIMEOUT_MS = 8_000;

/** localStorage key that marks a sign-out the server does not know about yet. */
const PENDING_SIGN_OUT = 'chorus.signed-out';

/** localStorage key that marks a login at the identity provider. */
const SINGLE_SIGN_ON = 'chorus.single-sign-on';

interface AccessToken {
  token: string;
  expiresAt: number;
  userId: string;
}

/** The login of this browser: one cookie for all tabs, and one in-memory access token per tab. */
export class BrowserLogin implements TokenProvider {
  readonly #client: ReturnType<typeof createClient>;
  readonly #store: BrowserLoginOptions['store'];
  #access: AccessToken | null = null;
  #renewing: Promise<string | null> | null = null;

  constructor({ store, ...options }: BrowserLoginOptions) {
    this.#client = createClient(options);
    this.#store = store;
    addEventListener('online', () => void this.reportSignOut());
  }

  async token(): Promise<string | null> {
    const user = this.#store.load()?.user;
    if (user === undefined) return null;
    const access = this.#access;
    if (access?.userId === user.id && access.expiresAt - Date.now() > RENEW_EARLY_MS) return access.token;
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
    this.#save(await this.#client.request('POST /auth/login', { body }, { headers: COOKIE_HEADERS }));
  }

  /** @throws {ChorusError} invalid_totp_code; rate_limited; unauthorized if the challenge has expired */
  async confirm(challenge: string, code: string): Promise<void> {
    const body = { challenge, code };
    this.#save(await this.#client.request('POST /auth/totp', { body }, { headers: COOKIE_HEADERS }));
  }

  /** Completes a login at the identity provider. */
  async redeem(ticket: string): Promise<void> {
    this.#save(await this.#client.request('POST /auth/oidc', { body: { ticket } }, { headers: COOKIE_HEADERS }));
    localStorage.setItem(SINGLE_SIGN_ON, '1');
  }

  /** Creates the account that an invitation allows. */
  async signUp(token: string, password: string): Promise<void> {
    const answer = await this.#client.request('POST /invitations/accept', { body: { token, password } });
    this.#save(await this.#exchange(answer.refresh_token));
  }

  /** Signs out in all tabs at once, and on the server as soon as it is reachable. */
  async signOut(): Promise<void> {
    localStorage.setItem(PENDING_SIGN_OUT, '1');
    this.#access = null;
    this.#store.save(null);
    const isSingle = localStorage.getItem(SINGLE_SIGN_ON) !== null;
    localStorage.removeItem(SINGLE_SIGN_ON);
    await this.reportSignOut();
    // Otherwise, the next click on the button would sign in the same user without asking.
    if (isSingle) location.assign(`${this.#client.baseUrl}/api/v1/auth/oidc-end`);
  }

  /** Sends a pending sign-out to the server. */
  async reportSignOut(): Promise<void> {
    if (localStorage.getItem(PENDING_SIGN_OUT) === null || this.#store.load() !== null) return;
    try {
      await withLoginLock(() =>
        this.#client.request('POST /auth/forget', {}, { headers: COOKIE_HEADERS, attempts: 1 }),
      );
      localStorage.removeItem(PENDING_SIGN_OUT);
    } catch {
      // Retried at the next start, or when the network is back.
    }
  }

  #renewOnce(): Promise<string | null> {
    this.#renewing ??= withLoginLock(() => this.#renew()).finally(() => {
      this.#renewing = null;
    });
    return this.#renewing;
  }

  async #renew(): Promise<string | null> {
    const login = this.#store.load();
    if (login === null) return null;
    try {
      const answer = await this.#exchange(login.refreshToken);
      // Another tab may have signed out, or signed in as someone else.
      if (this.#store.load()?.user.id !== login.user.id) return null;
      this.#save(answer);
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

  /**
   * Exchanges the cookie for an access token. A given refresh token moves into the cookie first.
   *
   * Tried once, because the request that needs the token is retried.
   */
  #exchange(refreshToken: string | undefined): Promise<TokenAnswer> {
    const body = refreshToken === undefined ? {} : { refresh_token: refreshToken };
    return this.#client.request(
      'POST /auth/refresh',
      { body },
      { headers: COOKIE_HEADERS, timeoutMs: RENEW_TIMEOUT_MS, attempts: 1 },
    );
  }

  #save({ access_token, expires_in, user }: TokenAnswer): void {
    this.#access = { token: access_token, expiresAt: Date.now() + expires_in * 1_000, userId: user.id };
    localStorage.removeItem(PENDING_SIGN_OUT);
    this.#store.save(user);
  }
}

/** Lets one tab renew at a time, if Web Locks are available, so that each uses the newest cookie. */
function withLoginLock<T>(act: () => Promise<T>): Promise<T> {
  return 'locks' in navigator ? navigator.locks.request('chorus.login', act) : act();
}
