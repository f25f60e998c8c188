import { ChorusError, chorusError } from './chorus-error.ts';
import type { ClientOptions, TokenProvider } from './client-options.ts';
import type { TokenAnswer, User } from './generated/api-types.ts';
import type { AnswerOf } from './operations.ts';
import { wait } from './timing.ts';
import { Transport } from './transport.ts';

/** A login in the form that a store keeps. */
export interface StoredLogin {
  accessToken: string;
  refreshToken: string;
  /** When the access token expires, in Unix milliseconds. */
  expiresAt: number;
  user: User;
}

/** Stores a login. It contains secrets. */
export interface LoginStore {
  /** Returns the stored login. Null if there is none. */
  load(): Promise<StoredLogin | null> | StoredLogin | null;
  /** Replaces the stored login. Null removes it. */
  save(login: StoredLogin | null): Promise<void> | void;
}

/** A login that waits for the user's approval. */
export type DeviceAuthorization = Pick<
  AnswerOf<'POST /auth/device'>,
  'user_code' | 'verification_uri' | 'verification_uri_complete' | 'expires_in'
>;

export interface LoginOptions extends Pick<ClientOptions, 'baseUrl' | 'fetch' | 'attempts' | 'timeoutMs'> {
  /** Default: in memory. */
  store?: LoginStore | undefined;
}

/** A login for the option `auth` of a client. It renews its tokens itself. */
export interface Login extends TokenProvider {
  /**
   * Logs in with email and password.
   *
   * @throws {ChorusError} `invalid_credentials`; `rate_limited` after repeated failures;
   *   `totp_required` if the account asks for a code: pass `extra.challenge` to `confirm`
   */
  login(email: string, password: string): Promise<User>;
  /**
   * Completes a login with a code from the authenticator app, or a recovery code.
   *
   * @throws {ChorusError} `invalid_totp_code`; `rate_limited`; `unauthorized` if the challenge has
   *   expired
   */
  confirm(challenge: string, code: string): Promise<User>;
  /**
   * Logs in with a code that the user approves in a browser, with single sign-on or a password. Waits until then.
   *
   * @param show Receives the address to open, and the code to compare or enter there.
   * @throws {ChorusError} `access_denied` if the user denies it; `expired_token` after ten minutes
   */
  device(show: (asked: DeviceAuthorization) => void, options?: { signal?: AbortSignal }): Promise<User>;
  /** Uses tokens from elsewhere, such as from accepting an invitation. */
  adopt(answer: TokenAnswer): Promise<User>;
  /** Ends the login here, and on the server if it can be reached. */
  logout(): Promise<void>;
  /** Returns the user. Null if not logged in. */
  user(): Promise<User | null>;
}

/** Tokens are renewed this long before they expire. */
const RENEW_EARLY_MS = 30_000;

/**
 * Time limit of a renewal. If its response is lost, the same token gets the same response for 10 s. After that, it
 * would count as stolen and end the login.
 */
const RENEW_TIMEOUT_MS = 8_000;

/** Creates a login that a client can use as `auth`. Give it a `store` to survive restarts. */
export function createLogin({ store = inMemory(), ...options }: LoginOptions = {}): Login {
  const transport = new Transport(options);
  let renewing: Promise<StoredLogin | null> | null = null;

  const keep = async (answer: TokenAnswer): Promise<StoredLogin> => {
    const { access_token, refresh_token, expires_in, user } = answer;
    if (refresh_token === undefined)
      throw chorusError('unexpected_answer', 'The answer has no refresh token.', { status: 0 });
    const expiresAt = Date.now() + expires_in * 1_000;
    const login = { accessToken: access_token, refreshToken: refresh_token, expiresAt, user };
    await store.save(login);
    return login;
  };

  const renew = async (refused: string): Promise<StoredLogin | null> => {
    // Another tab or process may have renewed it meanwhile, and a refresh token only works once.
    const login = await store.load();
    if (login === null || login.accessToken !== refused) return login;
    try {
      const body = { refresh_token: login.refreshToken };
      return await keep(
        await transport.request(
          'POST /auth/refresh',
          { body },
          { timeoutMs: Math.min(options.timeoutMs || RENEW_TIMEOUT_MS, RENEW_TIMEOUT_MS) },
        ),
      );
    } catch (error) {
      if (!(error instanceof ChorusError) || error.status !== 401) throw error;
      const now = await store.load();
      if (now !== null && now.accessToken !== refused) return now;
      await store.save(null);
      return null;
    }
  };

  const renewOnce = (refused: string): Promise<StoredLogin | null> => {
    renewing ??= renew(refused).finally(() => {
      renewing = null;
    });
    return renewing;
  };

  return {
    async token() {
      const login = await store.load();
      if (login === null) return null;
      if (login.expiresAt - Date.now() > RENEW_EARLY_MS) return login.accessToken;
      return (await renewOnce(login.accessToken))?.accessToken ?? null;
    },
    refresh: async (refused) => (await renewOnce(refused))?.accessToken ?? null,
    async login(email, password) {
      return (await keep(await transport.request('POST /auth/login', { body: { email, password } }))).user;
    },
    async confirm(challenge, code) {
      return (await keep(await transport.request('POST /auth/totp', { body: { challenge, code } }))).user;
    },
    async device(show, { signal } = {}) {
      const { device_code, interval, ...asked } = await transport.request('POST /auth/device', {}, { signal });
      show(asked);
      for (let pauseS = interval; ; ) {
        await wait(pauseS * 1_000, signal);
        try {
          return (await keep(await transport.request('POST /auth/device/token', { body: { device_code } }, { signal })))
            .user;
        } catch (error) {
          if (!(error instanceof ChorusError)) throw error;
          if (error.code === 'slow_down') pauseS += interval;
          else if (error.code !== 'authorization_pending') throw error;
        }
      }
    },
    adopt: async (answer) => (await keep(answer)).user,
    async logout() {
      const login = await store.load();
      await store.save(null);
      if (login === null) return;
      const client = new Transport({ ...options, token: login.accessToken, attempts: 1 });
      await client.request('POST /auth/logout').catch(() => undefined); // it expires by itself
    },
    user: async () => (await store.load())?.user ?? null,
  };
}

function inMemory(): LoginStore {
  let kept: StoredLogin | null = null;
  return {
    load: () => kept,
    save: (login) => {
      kept = login;
    },
  };
}
