import type { User } from '@chorus/client';

const KEY = 'chorus.login';

/** Who is signed in to this browser. Nothing of it is secret: the refresh token is in a cookie that no script reads. */
export interface RememberedLogin {
  user: User;
  /** Left behind by an earlier version, until it is in the cookie. */
  refreshToken?: string | undefined;
}

/** Remembers the login for all tabs of this browser: signing out in one of them signs out the others. */
class LoginStore {
  readonly #listeners = new Set<() => void>();
  #text: string | null = localStorage.getItem(KEY);
  #login = parse(this.#text);

  constructor() {
    addEventListener('storage', ({ key }) => {
      if (key === KEY || key === null) this.#take(localStorage.getItem(KEY));
    });
  }

  /** What all tabs know by now. */
  readonly load = (): RememberedLogin | null => {
    // Another tab may have written before its event has come.
    this.#take(localStorage.getItem(KEY));
    return this.#login;
  };

  readonly save = (user: User | null): void => {
    if (user === null) localStorage.removeItem(KEY);
    else localStorage.setItem(KEY, JSON.stringify({ user }));
    this.#take(localStorage.getItem(KEY));
  };

  /** As it is known; the same object until it changes. */
  readonly current = (): RememberedLogin | null => this.#login;

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  };

  #take(text: string | null): void {
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
