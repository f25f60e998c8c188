import { createClient, type User } from '@chorus/client';
import { basePath } from '../page-config.ts';
import { BrowserLogin, type RememberedLogin } from './browser-login.ts';

const STORAGE_KEY = 'chorus.login';

/** Shares the login between all tabs of this browser. */
class LoginStore {
  readonly #listeners = new Set<() => void>();
  #text: string | null = localStorage.getItem(STORAGE_KEY);
  #login = parse(this.#text);

  constructor() {
    addEventListener('storage', ({ key }) => {
      if (key === STORAGE_KEY || key === null) this.#update(localStorage.getItem(STORAGE_KEY));
    });
  }

  /** Reads the latest value from storage. */
  readonly load = (): RememberedLogin | null => {
    // Another tab may have written before its storage event arrives.
    this.#update(localStorage.getItem(STORAGE_KEY));
    return this.#login;
  };

  readonly save = (user: User | null): void => {
    if (user === null) localStorage.removeItem(STORAGE_KEY);
    else localStorage.setItem(STORAGE_KEY, JSON.stringify({ user }));
    this.#update(localStorage.getItem(STORAGE_KEY));
  };

  /** Returns the same object until the login changes. */
  readonly current = (): RememberedLogin | null => this.#login;

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  };

  #update(text: string | null): void {
    if (text === this.#text) return;
    this.#text = text;
    this.#login = parse(text);
    for (const listener of this.#listeners) listener();
  }
}

function parse(text: string | null): RememberedLogin | null {
  try {
    const { user, refreshToken } = JSON.parse(text ?? 'null') as RememberedLogin;
    return { user, refreshToken };
  } catch {
    return null;
  }
}

export const loginStore = new LoginStore();

const baseUrl = `${location.origin}${basePath}`;

export const login = new BrowserLogin({ baseUrl, store: loginStore });

/** Sends requests without a login. */
export const anonymousClient = createClient({ baseUrl });

/** Sends requests as the signed-in user, in the personal scope. */
export const accountClient = createClient({ baseUrl, auth: login });
